#!/usr/bin/env node
// The command `mnemo`: TypeScript is run as it stands (tsx); see cli/main.ts.
if (Number(process.versions.node.split(".")[0]) < 20) {
  console.error("Node " + process.versions.node + " is too old: install Node 20 or later and run this again.");
  process.exit(2);
}
let register;
try { ({ register } = await import("tsx/esm/api")); } catch {
  console.error("The npm packages are not installed: run `npm ci` in the project's folder (or `npm start`, which does) and run this again.");
  process.exit(2);
}
register();
// A reader that has seen enough (`mnemo ... | head`) is no error.
process.stdout.on("error", (/** @type {NodeJS.ErrnoException} */ e) => {
  if (e.code === "EPIPE") process.exit();
  throw e;
});
const { main } = await import("./main.ts");
process.exitCode = await main(process.argv.slice(2), process);
