/** The software of peers with a fault in its source. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { PeerSoftware } from "../../../../../../designs/supernic/software/index.ts";
import { root } from "../../../../../../scripts/setup/paths.mjs";

const folder = "designs/supernic/software/peers";

/** @throws Error when the text is not there exactly once: a fault that was not planted proves nothing */
export async function mutant(file: string, from: string, to: string): Promise<typeof PeerSoftware> {
  const place = mkdtempSync(join(tmpdir(), "mnemo-peers-")),
    outfile = join(place, "mutant.mjs"),
    edits = { count: 0 };
  const plugin: Plugin = {
    name: "fault",
    setup(b) {
      b.onLoad({ filter: /\/software\/peers\/[a-z-]+\.ts$/ }, ({ path }) => {
        if (relative(join(root, folder), path) !== file) return undefined;
        const text = readFileSync(path, "utf8");
        edits.count = text.split(from).length - 1;
        return { contents: text.replace(from, () => to), loader: "ts" };
      });
    },
  };
  try {
    await build({
      entryPoints: [join(root, folder, "index.ts")],
      ...{ bundle: true, platform: "node", format: "esm", outfile, logLevel: "silent", plugins: [plugin] },
    });
    if (edits.count !== 1) throw new Error(`${edits.count} places of ${file} have ${from}: plant the fault in one`);
    const made = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { PeerSoftware: typeof PeerSoftware };
    return made.PeerSoftware;
  } finally {
    rmSync(place, { recursive: true });
  }
}
