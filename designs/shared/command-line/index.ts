/** What a design and the command line agree on: terminal, tables, errors, exit codes. */

export { exitCode, type ExitCode } from "./exit-code.ts";
export { paces, type RunOptions } from "./run-options.ts";
export { table } from "./table.ts";
export { type Streams, Terminal } from "./terminal.ts";
export { CheckFailed, UsageError } from "./usage-error.ts";
