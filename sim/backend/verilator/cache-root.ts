import { join } from "node:path";
import { projectFolder } from "../../project.ts";

/** Cache folder: `MNEMO_CACHE` of the environment, else `.cache/sim` of the project. */
export function cacheRoot(): string {
  return process.env["MNEMO_CACHE"] ?? join(projectFolder(), ".cache/sim");
}
