/** A file of the fabric with a fault in its source, as a module of its own. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { root } from "../../../../../../scripts/setup/paths.mjs";

const folder = join(root, "designs/rack/rig/fabric");

/** Where a copy finds modules that it shares with everybody. */
const sharing = Symbol.for("mnemo modules of a faulty fabric");
/** Those that are not the fabric's, by their paths: circuits know who made them. */
const sharedOutside = (shared: ReadonlyMap<string, unknown>): Plugin => ({
  name: "shared",
  setup: b => {
    b.onResolve({ filter: /^\./ }, ({ path, importer }) => {
      const file = resolve(dirname(importer), path);
      return shared.has(file) ? { path: file, namespace: "shared" } : undefined;
    });
    b.onLoad({ filter: /./, namespace: "shared" }, ({ path }) => ({
      contents: `module.exports = globalThis[Symbol.for(${JSON.stringify(sharing.description)})].get(${JSON.stringify(path)})`,
    }));
  },
});

/**
 * @param entry the file whose exports are wanted @param file the one, of those that it imports, with the fault
 * @param shared modules that the copy does not have of its own, by path
 * @throws when the file does not have the text once: a fault that was not planted proves nothing
 */
export async function faulty(
  entry: string,
  file: string,
  from: string,
  to: string,
  shared: ReadonlyMap<string, unknown> = new Map(),
): Promise<unknown> {
  Object.assign(globalThis, { [sharing]: shared });
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
      plugins: [planted, sharedOutside(shared)],
      // What it imports of the rest needs modules of Node's.
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    });
    return await import(/* @vite-ignore */ pathToFileURL(outfile).href);
  } finally {
    rmSync(place, { recursive: true });
  }
}
