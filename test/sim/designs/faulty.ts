/** Copies of the simulator with a fault in their source. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll } from "vitest";
import type { compileBuiltin } from "../../../sim/index.ts";

export interface SimulatorFault {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const source = resolve(fileURLToPath(new URL(".", import.meta.url)), "../../../sim/backend");
const folder = mkdtempSync(join(tmpdir(), "mnemo-simulator-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A file of the simulator, or of its reader of Verilog. */
const pathOf = (file: string): string => (file.startsWith("reader/") ? file : `builtin/${file}`);

/** A copy of the simulator with the fault in it. */
export async function faulty(f: SimulatorFault, n: number): Promise<typeof compileBuiltin> {
  const copy = join(folder, String(n));
  cpSync(source, copy, { recursive: true });
  let planted = false;
  for (const name of readdirSync(copy, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const depth = name.split(/[\\/]/).length,
      text = readFileSync(join(copy, name), "utf8");
    // What lies outside of the simulator is the same module for both.
    const outside = text.replace(/from "((?:\.\.\/)+)([^"]*)"/g, (all, up: string, rest: string) =>
      up.length / 3 < depth ? all : `from "${resolve(source, name, "..", up, rest)}"`,
    );
    const at = name.replaceAll("\\", "/") === pathOf(f.file) ? outside.replace(f.from, () => f.to) : outside;
    planted ||= at !== outside;
    writeFileSync(join(copy, name), at);
  }
  if (!planted) throw new Error(`${f.file} has no text "${f.from}": plant the fault in text that is there`);
  const module = (await import(/* @vite-ignore */ pathToFileURL(join(copy, "builtin/builtin.ts")).href)) as {
    readonly compileBuiltin: typeof compileBuiltin;
  };
  return module.compileBuiltin;
}
