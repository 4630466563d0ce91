// A worker of a campaign: TypeScript is run as it stands, as by mnemo.mjs. It is started once and runs piece after
// piece, so that no piece pays for the start.
import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { register } from "tsx/esm/api";

// Whoever started it may be killed without a word. A piece may keep this thread busy for ever, so another one looks.
const watch = `
const parent = ${process.ppid};
setInterval(() => {
  if (process.ppid !== parent) process.kill(-process.pid, "SIGKILL");
}, 250);`;
new Worker(watch, { eval: true }).unref();
register();
await import(existsSync(new URL("./worker.ts", import.meta.url)) ? "./worker.ts" : "./worker.js");
