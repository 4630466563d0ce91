/** A bench of the software with a fault in the source that it tries. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { root } from "../../../../../scripts/setup/paths.mjs";

export interface SourceFault {
  readonly name: string;
  /** Under designs/supernic. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/**
 * @param entry the module to load, under test/designs/supernic
 * @throws Error when the text to change is not there exactly once: a fault that was not planted proves nothing
 */
export async function mutantOf<T>(entry: string, fault: SourceFault): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-software-")),
    outfile = join(folder, "mutant.mjs"),
    edits = { count: 0 };
  const plugin: Plugin = {
    name: "fault",
    setup(b) {
      b.onLoad({ filter: /\/designs\/.*\.ts$/ }, ({ path }) => {
        if (relative(join(root, "designs/supernic"), path) !== fault.file) return undefined;
        const text = readFileSync(path, "utf8");
        edits.count = text.split(fault.from).length - 1;
        return { contents: text.replace(fault.from, () => fault.to), loader: "ts" };
      });
    },
  };
  try {
    await build({
      entryPoints: [join(root, "test/designs/supernic", entry)],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "silent",
      // Packages that are CommonJS ask for what Node has.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      plugins: [plugin],
    });
    if (edits.count !== 1)
      throw new Error(`${fault.name}: "${fault.from}" stands ${edits.count} times in ${fault.file}, not once`);
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as T;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
