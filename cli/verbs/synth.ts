import { Option } from "commander";
import { targetNames } from "../synth/target.ts";
import type { SynthOptions } from "../synth/run-synth.ts";
import { choice, fileName, once, setting, wholeNumber } from "../../designs/shared/command-line/index.ts";
import { defaultDesign } from "../design-named.ts";
import { designOrFile, moduleOption } from "../own/source-file.ts";
import type { Verb } from "../verb.ts";

/** `mnemo synth`: area and depth after synthesis by Yosys. */
export const synthVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("synth")
    .description(
      "synthesize with Yosys, each block out of context and the whole: LUTs, registers, memories and LUT levels, with the deepest paths by TypeScript line",
    )
    .addArgument(designOrFile("[design]", "what to synthesize", ["library"]).default(defaultDesign.name))
    .addOption(
      once("--target <family>", `device family: ${targetNames.join(", ")}`, choice(targetNames)).default("xcup"),
    )
    .addOption(moduleOption())
    .addOption(setting())
    .addOption(
      once(
        "--only <modules>",
        "just these modules of the design, at any depth, by name without parameters: NetRx,Tlb",
        text => text.split(","),
      ),
    )
    .addOption(new Option("--no-whole", "the blocks only: the whole takes minutes"))
    .addOption(
      once("--paths <number>", "how many of each module's deepest paths to print", wholeNumber(0, 30)).default(1),
    )
    .addOption(new Option("--table", "print the paper's table beside the same rows here"))
    .addOption(once("--json <file>", "write everything as JSON, too", fileName(".json")))
    .addOption(
      new Option("--check", "fail when something is more than 5 % worse than in constraints/baseline").conflicts([
        "writeBaseline",
      ]),
    )
    .addOption(
      new Option(
        "--changed",
        "with --check: modules whose Verilog is the baseline's stand as they are there, but for one in eight, chosen by their text",
      ),
    )
    .addOption(new Option("--write-baseline", "make this the baseline"))
    .action(async (design: string, options: SynthOptions) => {
      const { runSynth } = await import("../synth/run-synth.ts");
      exit(await runSynth(design, options, terminal));
    });
