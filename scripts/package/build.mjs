// `npm pack` runs this first (prepack): dist/ anew, with what the compiled harness needs beside its JavaScript.
import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { root } from "../setup/paths.mjs";

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
// C++ that is compiled on the user's machine.
cpSync(join(root, "sim/backend/native"), join(dist, "sim/backend/native"), { recursive: true });
