/**
 * The first C compiler that is there.
 * @throws Error when there is none: a run without native tools then leaves the test out
 */
import { findTool } from "../../sim/index.ts";

export function cCompiler(): string {
  const found = ["cc", "clang", "gcc"].find(c => findTool(c) !== undefined);
  if (found === undefined) throw new Error("no C compiler is on the PATH: cc, clang or gcc");
  return found;
}
