#!/usr/bin/env node
// The command `mnemo`; see cli/main.ts. TypeScript is run as it stands (tsx): the repository's own, and from a
// package the user's.
import { existsSync } from "node:fs";

if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error("Node " + process.versions.node + " is too old: install Node 20 or later and run this again.");
  process.exit(2);
}
let register;
try {
  ({ register } = await import("tsx/esm/api"));
} catch {
  console.error(
    "The npm packages are not installed: run `npm ci` in the project's folder (or `npm start`, which does) and run this again.",
  );
  process.exit(2);
}
register();
// A reader that has seen enough (`mnemo ... | head`) is no error.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ e) => {
  if (e.code === "EPIPE") process.exit();
  throw e;
});
// A package has no TypeScript of the command line, but its JavaScript.
const entry = existsSync(new URL("./main.ts", import.meta.url)) ? "./main.ts" : "../dist/cli/main.js";
/** @type {unknown} */
const loaded = await import(entry);
const { main } = /** @type {typeof import("./main.ts")} */ (loaded);
process.exitCode = await main(process.argv.slice(2), process);
