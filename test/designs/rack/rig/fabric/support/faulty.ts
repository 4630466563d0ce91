/** A file of the fabric with a fault in its source, as a module of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { root } from "../../../../../../scripts/setup/paths.mjs";

const folder = join(root, "designs/rack/rig/fabric");

/**
 * @param entry the file whose exports are wanted @param file the one, of those that it imports, with the fault
 * @throws when the file does not have the text once: a fault that was not planted proves nothing
 */
export async function faulty(entry: string, file: string, from: string, to: string): Promise<unknown> {
  const text = readFileSync(join(folder, file), "utf8");
  if (text.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
  const planted: Plugin = {
    name: "planted",
    setup: b => {
      b.onLoad({ filter: /fabric\/[a-z-]+\.ts$/ }, ({ path }) =>
        basename(path) === file ? { contents: text.replace(from, () => to), loader: "ts" } : undefined,
      );
    },
  };
  const place = mkdtempSync(join(tmpdir(), "mnemo-fabric-")),
    outfile = join(place, "planted.mjs");
  try {
    await build({
      ...{ bundle: true, platform: "node", format: "esm", logLevel: "silent", outfile },
      entryPoints: [join(folder, entry)],
      plugins: [planted],
      // What it imports of the rest needs modules of Node's.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    return await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  } finally {
    rmSync(place, { recursive: true });
  }
}
