import { installSentence } from "../../scripts/setup/install-tools.mjs";
import { findTool, tools } from "../../scripts/setup/tools.mjs";
import { UsageError } from "../../designs/shared/command-line/index.ts";

/**
 * @throws UsageError saying what to install when a tool that proofs need is not there: Yosys with its companions, and
 *   one SMT solver at least.
 */
export function missingProvers(): void {
  const solvers = [tools.z3, tools.cvc5];
  const missing = [tools.yosys, ...(solvers.some(t => findTool(t) !== undefined) ? [] : [tools.z3])].filter(
    t => findTool(t) === undefined,
  );
  if (missing.length > 0) throw new UsageError(installSentence(missing));
}
