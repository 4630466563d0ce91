export { claimOutputs, type Input, readInput } from "./capture-files.ts";
export { exitCode, type ExitCode } from "./exit-code.ts";
export { paces, type RunOptions } from "./run-options.ts";
export { table } from "./table.ts";
export { type Streams, Terminal } from "./terminal.ts";
export { CheckFailed, UsageError } from "./usage-error.ts";
