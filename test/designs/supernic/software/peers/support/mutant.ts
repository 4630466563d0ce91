/** The software of peers with a fault in its source. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { PeerSoftware } from "../../../../../../designs/supernic/software/index.ts";
import { root } from "../../../../../../scripts/setup/paths.mjs";

const folder = join(root, "designs/supernic/software/peers"),
  common = { bundle: true, platform: "node", format: "esm", logLevel: "silent" } as const;
/** What the peers' files import of the rest, made once: each fault is then a matter of milliseconds. */
const besides = {
  "../../../shared/control/software/index.ts": "control",
  "../../../shared/wire/index.ts": "shared",
  "../../config/index.ts": "config",
  "../../wire/index.ts": "wire",
  "../setup/index.ts": "setup",
  "../regions/index.ts": "regions",
  "../control/index.ts": "requests",
} as const;

export class Mutants {
  readonly #place = mkdtempSync(join(tmpdir(), "mnemo-peers-"));
  #made = 0;

  async prepare(): Promise<this> {
    const entries = Object.entries(besides).map(([path, out]) => ({ in: join(folder, path), out }));
    const banner = {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    };
    await build({
      ...common,
      entryPoints: entries,
      splitting: true,
      outdir: this.#place,
      outExtension: { ".js": ".mjs" },
      banner,
    });
    return this;
  }
  /** @throws Error when the text is not there exactly once: a fault that was not planted proves nothing */
  async of(file: string, from: string, to: string): Promise<typeof PeerSoftware> {
    const outfile = join(this.#place, `mutant-${this.#made++}.mjs`),
      edits = { count: 0 };
    const plugin: Plugin = {
      name: "fault",
      setup: b => {
        b.onResolve({ filter: /index\.ts$/ }, ({ path, kind }) => {
          const name = kind === "entry-point" ? undefined : besides[path as keyof typeof besides];
          return name === undefined ? undefined : { path: `./${name}.mjs`, external: true };
        });
        b.onLoad({ filter: /\/software\/peers\/[a-z-]+\.ts$/ }, ({ path }) => {
          if (relative(folder, path) !== file) return undefined;
          const text = readFileSync(path, "utf8");
          edits.count = text.split(from).length - 1;
          return { contents: text.replace(from, () => to), loader: "ts" };
        });
      },
    };
    await build({ ...common, entryPoints: [join(folder, "index.ts")], outfile, plugins: [plugin] });
    if (edits.count !== 1) throw new Error(`${edits.count} places of ${file} have ${from}: plant the fault in one`);
    const made = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as {
      PeerSoftware: typeof PeerSoftware;
    };
    return made.PeerSoftware;
  }
  remove(): void {
    rmSync(this.#place, { recursive: true });
  }
}
