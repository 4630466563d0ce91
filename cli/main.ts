import { CommanderError } from "commander";
import { describeError } from "./errors.ts";
import { exitCode, type Streams, Terminal } from "../designs/shared/command-line/index.ts";
import { program } from "./program.ts";

/**
 * The command line: parses, runs the verb, and turns whatever is thrown into one message.
 * @param args what follows `mnemo`
 * @param streams where output and messages go, and the environment (`process`, or a test's own)
 * @returns the exit code: 0 done, 1 the design failed, 2 bad usage or input
 */
export async function main(args: readonly string[], streams: Streams): Promise<number> {
  const terminal = new Terminal(streams);
  let code: number = exitCode.done;
  try {
    const command = await program(args, terminal, c => {
      code = c;
    });
    // Without a verb nothing can be done: the list of verbs is the answer, and it is bad usage.
    if (args.length === 0) {
      terminal.error(command.helpInformation().trimEnd());
      return exitCode.usage;
    }
    await command.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return exitCode.done;
    const failure = await describeError(error);
    terminal.endProgress();
    terminal.error(
      streams.env["MNEMO_DEBUG"] === "1" && error instanceof Error ? (error.stack ?? failure.message) : failure.message,
    );
    return failure.code;
  } finally {
    terminal.endProgress();
  }
}
