import { basename, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const above = resolve(fileURLToPath(new URL("../..", import.meta.url)));

/** The project's folder: the repository, or the installed package, where this file stands under dist. */
export const root = basename(above) === "dist" ? resolve(above, "..") : above;
