import { Argument, Option } from "commander";
import type { BoardOptions } from "../board/run-board.ts";
import { fileName, once, seed } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

/** `mnemo board`: the node on boards. */
export const boardVerb: Verb = (program, { terminal }) =>
  program
    .command("board")
    .description(
      "write a board's top level, constraints and scripts (without a name: list the boards), or place and route the open one to a bitstream",
    )
    .addArgument(new Argument("[name]", "the board"))
    .addOption(once("--out <folder>", "write its files there, the node's Verilog among them", fileName()))
    .addOption(
      new Option(
        "--route",
        "synthesize, place, route and pack with open tools (hx8k); prints the frequency after routing",
      ),
    )
    .addOption(once("--seed <number>", "of the placer", seed).default(1))
    .action(async (name: string | undefined, options: BoardOptions) => {
      const { runBoard } = await import("../board/run-board.ts");
      const { writeAll } = await import("../generate/files.ts");
      await runBoard(name, options, terminal, writeAll);
    });
