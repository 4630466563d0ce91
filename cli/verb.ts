import type { Command } from "commander";
import type { ExitCode, Terminal } from "../designs/shared/command-line/index.ts";

/** Context of a verb: the place for its output, and the way to state an exit code other than 0 without an error. */
export interface VerbContext {
  /** The words typed after `mnemo`: the options of a verb can depend on them. */
  readonly args: readonly string[];
  readonly terminal: Terminal;
  readonly exit: (code: ExitCode) => void;
}
/** A verb of the command line: adds itself to the program. */
export type Verb = (program: Command, context: VerbContext) => Command | Promise<Command>;
