// Runs the program at argv[2] as often as argv[3] says, one after the other, each time from its start.
import { pathToFileURL } from "node:url";

for (let i = 0; i < Number(process.argv[3]); i++) await import(`${pathToFileURL(process.argv[2] ?? "").href}?${i}`);
