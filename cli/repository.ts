import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../scripts/setup/paths.mjs";
import { UsageError } from "../designs/shared/command-line/index.ts";

/**
 * @returns the repository's folder @throws UsageError in an installed package, which has none of what is measured
 * or generated there
 */
export function repository(verb: string): string {
  if (!existsSync(join(root, "tsconfig.json")))
    throw new UsageError(`${verb} works in a clone of Mnemosyne's repository; this is the installed package`);
  return root;
}
