import { Option } from "commander";
import { fileName, once, seed, wholeNumber } from "../../designs/shared/command-line/index.ts";
import type { MutateOptions } from "../mutate/run-mutate.ts";
import { isSource, moduleOption, onlyForFile } from "../own/source-file.ts";
import type { Verb } from "../verb.ts";

/** `mnemo mutate`: faults planted systematically into a module, and which of them its benches miss. */
export const mutateVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("mutate")
    .description("plant faults into a module, run the tests that simulate it, and print the faults that no test finds")
    .argument(
      "<module>",
      "<design>/<Module>; library/<Module> for one of the language's, shared/<Module> for one that designs share; <design> or shared for a sample of each module; or a TypeScript file that has a module",
    )
    .addOption(moduleOption())
    .addOption(once("--limit <number>", "how many mutants at most, a sample of all", wholeNumber(1, 1_000_000)))
    .addOption(once("--seed <number>", "which sample", seed).default(1))
    .addOption(once("--only-operator <names>", "just faults of these kinds: bound,late", text => text.split(",")))
    .addOption(new Option("--list", "list the faults, plant none"))
    .addOption(
      once("--tests <paths>", "test files or folders, instead of those next to the module's", text => text.split(",")),
    )
    .addOption(
      once("--patience <seconds>", "leave out tests that take more of the processor", wholeNumber(1, 3600)).default(60),
    )
    .addOption(once("--floor <percent>", "fail only when fewer are found", wholeNumber(1, 100)))
    .addOption(new Option("--lines", "print a table of all lines"))
    .addOption(once("--json <file>", "write everything as JSON, too", fileName(".json")))
    .addOption(once("--figures <file>", "write counts as JSON, for a campaign", fileName(".json")).hideHelp())
    .addOption(new Option("--together", "run the tests for all modules beside it at once").hideHelp())
    .action(async (name: string, options: MutateOptions) => {
      onlyForFile(name, options.module);
      if (!name.includes("/") && !isSource(name)) {
        const { runAll } = await import("../mutate/run-all.ts");
        exit(await runAll(name, options, terminal));
        return;
      }
      const { runMutate } = await import("../mutate/run-mutate.ts");
      exit(await runMutate(name, options, terminal));
    });
