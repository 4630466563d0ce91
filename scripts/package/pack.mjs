// `npm run packages [folder]`: the tarballs of the package and of each design's, in out/packages.
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "../setup/paths.mjs";
import { designPackage, packagedDesigns } from "./designs.mjs";

const into = resolve(process.argv[2] ?? join(root, "out/packages"));
mkdirSync(into, { recursive: true });

/** @param {string} folder */
function pack(folder) {
  const args = ["pack", "--silent", "--pack-destination", into];
  const { status } = spawnSync("npm", args, { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
pack(root);
for (const design of packagedDesigns(root)) pack(await designPackage(root, join(into, "folders"), design));
