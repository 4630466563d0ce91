/** Figures with a fault in the source of what they are measured with. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { root } from "../../../../../../scripts/setup/paths.mjs";
import type * as entry from "./mutant-entry.ts";

export interface SourceFault {
  readonly name: string;
  /** Under designs. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}
/** Cycles of the core that a device has, in place of a device: figures of hops ask for nothing else. */
const withoutDevice = (cycles: { readonly dummy: number; readonly switched: number }): string =>
  `export const measureCore = async () => (${JSON.stringify(cycles)});`;

/** @throws Error when the text to change is not there exactly once: a fault that was not planted proves nothing */
export async function mutantOf(
  fault: SourceFault | undefined,
  cycles: Parameters<typeof withoutDevice>[0],
): Promise<typeof entry> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-figures-")),
    outfile = join(folder, "mutant.mjs"),
    edits = { count: 0 };
  const plugin: Plugin = {
    name: "fault",
    setup(b) {
      b.onLoad({ filter: /\/designs\/.*\.ts$/ }, ({ path }) => {
        const file = relative(join(root, "designs"), path);
        if (file === "supernic/evaluation/measure/index.ts") return { contents: withoutDevice(cycles), loader: "ts" };
        if (fault === undefined || file !== fault.file) return undefined;
        const text = readFileSync(path, "utf8");
        edits.count = text.split(fault.from).length - 1;
        return { contents: text.replace(fault.from, () => fault.to), loader: "ts" };
      });
    },
  };
  try {
    await build({
      entryPoints: [join(root, "test/designs/supernic/evaluation/figures/support/mutant-entry.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      outfile,
      logLevel: "silent",
      // Packages that are CommonJS ask for what Node has.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      plugins: [plugin],
    });
    if (fault !== undefined && edits.count !== 1)
      throw new Error(`${fault.name}: "${fault.from}" stands ${edits.count} times in designs/${fault.file}, not once`);
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as typeof entry;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
