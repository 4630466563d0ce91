import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GeneratedFile } from "../../designs/shared/command-line/index.ts";

export interface Difference {
  readonly path: string;
  readonly how: "missing" | "changed" | "left over";
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw e;
  }
}

/** The files under `folder` that nothing generates: all of it is written by `mnemo generate`. */
function leftOver(root: string, folder: string, files: readonly GeneratedFile[]): string[] {
  const known = new Set(files.map(f => f.path));
  let entries;
  try {
    entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter(e => e.isFile())
    .map(e =>
      join(e.parentPath, e.name)
        .slice(root.length + 1)
        .replaceAll("\\", "/"),
    )
    .filter(p => !known.has(p))
    .sort();
}

/** Differences between `files` and the tree under `root`; everything in `generated/` must be one of `files`. */
export function compare(root: string, files: readonly GeneratedFile[]): Difference[] {
  const own = files.flatMap((f): Difference[] => {
    const there = bytesAt(join(root, f.path));
    return there?.equals(Buffer.from(f.text)) === true
      ? []
      : [{ path: f.path, how: there === undefined ? "missing" : "changed" }];
  });
  return [...own, ...leftOver(root, "generated", files).map((path): Difference => ({ path, how: "left over" }))];
}

/** Writes the files that differ (all, when `different` is left out) and removes what is left over. */
export function writeAll(root: string, files: readonly GeneratedFile[], different?: readonly Difference[]): void {
  const wanted = different === undefined ? undefined : new Set(different.map(d => d.path));
  for (const f of files) {
    if (wanted?.has(f.path) === false) continue;
    mkdirSync(dirname(join(root, f.path)), { recursive: true });
    writeFileSync(join(root, f.path), f.text);
  }
  for (const d of different ?? []) if (d.how === "left over") rmSync(join(root, d.path));
}
