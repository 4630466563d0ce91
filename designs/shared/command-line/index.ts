/** What a design and the command line agree on: the hooks, terminal, options, tables, errors, exit codes. */

export { CheckFailed, UsageError } from "../errors/index.ts";
export {
  type BenchFigure,
  type Block,
  type BoardHook,
  type Design,
  type DesignHooks,
  design,
  type DesignVerb,
  type ExploredCycles,
  type ExploreHook,
  type FigureHook,
  type FileTools,
  type FurtherBuild,
  type GeneratedFile,
  type PortsBoardBuild,
  type SynthHook,
  type VendorBoardBuild,
} from "./design.ts";
export { exitCode, type ExitCode } from "./exit-code.ts";
export { choice, fileName, once, seed, setting, wholeNumber } from "./options.ts";
export { paces, type RunOptions } from "./run-options.ts";
export { type LoadGoal, simulatorTable, type SpeedGoal } from "./simulators.ts";
export { table } from "./table.ts";
export { type Streams, Terminal } from "./terminal.ts";
