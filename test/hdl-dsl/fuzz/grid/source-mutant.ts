/** The language with one edit in its source, and the programs that this language makes of the grid. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { root } from "../../../../scripts/setup/paths.mjs";
import type { EmittedFile } from "./mutant-entry.ts";
import type { SourceFault } from "./source-faults.ts";

/** What `mutant-entry.ts` exports. */
export interface Entry {
  readonly texts: (seed: number, name: string, from: number, count: number) => (readonly EmittedFile[] | string)[];
}

/** The entry with the edit in place. @throws Error when the text to change is not there exactly once. */
export async function mutantOf(fault: SourceFault | undefined): Promise<Entry> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-mutant-")),
    outfile = join(folder, "mutant.mjs");
  let edits = 0;
  try {
    await build({
      entryPoints: [join(root, "test/hdl-dsl/fuzz/grid/mutant-entry.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "silent",
      plugins: [
        {
          name: "fault",
          setup(b) {
            b.onLoad({ filter: /\/hdl-dsl\/(ir|verilog|build)\/[^/]*\.ts$/ }, ({ path }) => {
              const text = readFileSync(path, "utf8");
              if (fault === undefined || relative(join(root, "hdl-dsl"), path) !== fault.file)
                return { contents: text, loader: "ts" };
              edits = text.split(fault.from).length - 1;
              return { contents: text.replace(fault.from, () => fault.to), loader: "ts" };
            });
          },
        },
      ],
    });
    if (fault !== undefined && edits !== 1)
      throw new Error(`${fault.name}: "${fault.from}" stands ${edits} times in hdl-dsl/${fault.file}, not once`);
    return (await import(pathToFileURL(outfile).href)) as Entry;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
