// A thread with some members of a rack. TypeScript is run as it stands, as by mnemo.mjs.
import { existsSync } from "node:fs";
import { register } from "tsx/esm/api";

register();
await import(existsSync(new URL("./half.ts", import.meta.url)) ? "./half.ts" : "./half.js");
