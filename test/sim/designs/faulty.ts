/** Copies of the simulator with a fault in their source. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { compileFunction } from "node:vm";
import { build, type Plugin } from "esbuild";
import type { compileBuiltin } from "../../../sim/index.ts";

interface Change {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
export interface SimulatorFault extends Change {
  /** What would hide the fault otherwise. */
  readonly also?: Change;
}

interface Copy {
  readonly compileBuiltin: typeof compileBuiltin;
}

const source = resolve(fileURLToPath(new URL(".", import.meta.url)), "../../../sim/backend"),
  entry = join(source, "builtin/builtin.ts"),
  fromNode = createRequire(import.meta.url);

/** A file of the simulator, or of its reader of Verilog. */
const pathOf = (file: string): string => join(source, file.startsWith("reader/") ? file : `builtin/${file}`);

/** What lies outside of the simulator stays outside of the copy. */
const sharedOutside = (found: (path: string) => void): Plugin => ({
  name: "shared outside",
  setup: b => {
    b.onResolve({ filter: /^\./ }, ({ path, importer, kind }) => {
      const file = resolve(dirname(importer), path);
      if (kind === "entry-point" || !relative(source, file).startsWith("..")) return undefined;
      found(file);
      return { path: file, external: true };
    });
  },
});

/** The fault in the text of its file. */
const plantedIn = (f: Change, found: () => void): Plugin => ({
  name: `fault in ${f.file}`,
  setup: b => {
    b.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      if (path !== pathOf(f.file)) return undefined;
      const text = readFileSync(path, "utf8"),
        contents = text.replace(f.from, () => f.to);
      if (contents !== text) found();
      return { contents, loader: "ts" };
    });
  },
});

/**
 * A copy of the simulator with the fault in it, as one function. Imported file by file, the copies took longer than the
 * faults took to be found.
 */
export async function faulty(f: SimulatorFault): Promise<typeof compileBuiltin> {
  const outside = new Set<string>(),
    changes: readonly Change[] = f.also === undefined ? [f] : [f, f.also],
    planted = new Set<Change>();
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: "node",
    target: "es2022",
    format: "cjs",
    logLevel: "silent",
    plugins: [sharedOutside(path => outside.add(path)), ...changes.map(c => plantedIn(c, () => planted.add(c)))],
  });
  const missing = changes.find(c => !planted.has(c));
  if (missing !== undefined)
    throw new Error(`${missing.file} has no text "${missing.from}": plant the fault in text that is there`);
  // The same modules as the healthy simulator has: designs and errors are known by identity.
  const shared = new Map<string, unknown>();
  for (const path of outside) shared.set(path, await import(/* @vite-ignore */ path));
  const module = { exports: {} as Copy },
    run = compileFunction(outputFiles[0]?.text ?? "", ["require", "module"]) as (...given: unknown[]) => void;
  run((path: string) => shared.get(path) ?? (fromNode(path) as unknown), module);
  return module.exports.compileBuiltin;
}
