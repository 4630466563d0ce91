import { exitCode, type ExitCode, type Terminal } from "../../command-line/index.ts";

/**
 * Prints what is not in order at the end of a service.
 * @param problems undefined: what was under way was left, and nothing can be said
 * @param left where what was left is, if that is known
 * @returns 0, or 1 where something is not
 */
export function printProblems(
  problems: readonly string[] | undefined,
  terminal: Terminal,
  left: readonly string[] = [],
): ExitCode {
  if (problems === undefined || left.length > 0) {
    const where = left.length === 0 ? "" : `: ${left.join(", ")}`;
    terminal.print(`frames were still under way 1 s after the end was asked for, and were left${where}`);
  }
  for (const problem of problems ?? []) terminal.print(`not in order: ${problem}`);
  return (problems ?? []).length === 0 ? exitCode.done : exitCode.failed;
}
