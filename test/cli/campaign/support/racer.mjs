// Takes a folder's lock with others at the same moment: racer.mjs <folder> <lock|looks> <how many>. Holds it for ever.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { register } from "tsx/esm/api";

register();
const { lockFolder } = await import("../../../../cli/campaign/lock.ts");
const [folder = "", how = "", takers = "1"] = process.argv.slice(2);
const file = (/** @type {string} */ name) => join(folder, `${name}-${process.pid}.json`);
const there = (/** @type {string} */ name) =>
  readdirSync(folder).filter(f => f.startsWith(name)).length === Number(takers);
const wait = () => new Promise(done => setTimeout(done, 1));
writeFileSync(file("ready"), "");
while (!there("ready")) await wait();
if (how === "lock") {
  try {
    lockFolder(folder);
    writeFileSync(file("got"), "");
  } catch {
    writeFileSync(file("lost"), "");
  }
} else {
  // The fault: who finds nobody alive writes his own name over it, whoever else has looked meanwhile.
  const free = !existsSync(join(folder, "taken"));
  writeFileSync(file("looked"), "");
  while (!there("looked")) await wait();
  writeFileSync(join(folder, "taken"), "");
  writeFileSync(file(free ? "got" : "lost"), "");
}
setInterval(() => undefined, 1000);
