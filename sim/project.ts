/** The project that the harness works for: where caches and waves go. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder at or above `from` that has a package.json; `from` itself when there is none. */
export function packageAbove(from: string): string {
  for (let at = resolve(from); ; at = dirname(at)) {
    if (existsSync(join(at, "package.json"))) return at;
    if (dirname(at) === at) return resolve(from);
  }
}

/**
 * In the repository (run as TypeScript) its own folder; installed as a package (compiled) the folder of
 * the user's project.
 */
export function projectFolder(): string {
  const here = fileURLToPath(import.meta.url);
  return here.endsWith(".ts") ? resolve(dirname(here), "..") : packageAbove(process.cwd());
}
