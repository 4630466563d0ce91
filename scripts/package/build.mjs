// `npm pack` runs this first (prepack): dist/ anew, with what the compiled code needs beside its JavaScript. The
// package is the language, the harness and the command; each design is a package of its own (designs.mjs).
import { spawnSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";
import { copyAssets } from "./assets.mjs";

const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const compiled = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], {
  stdio: ["ignore", 2, 2],
});
if (compiled.status !== 0) {
  console.error("The package cannot be built: the compiler's messages are above.");
  process.exit(1);
}
copyAssets(root, dist);
// The repository's command has all designs; the installed one has those that are installed.
for (const ending of [".js", ".js.map", ".d.ts"])
  renameSync(join(dist, `cli/installed-designs${ending}`), join(dist, `cli/designs${ending}`));
