import { designArgument, designNamed } from "../design-named.ts";
import { once, seed } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";
import type { FiguresOptions } from "../figures/run-figures.ts";

/** `mnemo figures`: the figures of the paper's evaluation, in cycle-accurate simulation. */
export const figuresVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("figures")
    .description(
      "measure the figures of the paper in cycle-accurate simulation and write them as one HTML page and as JSON",
    )
    .addArgument(designArgument("<design>", "the design whose figures"))
    .addOption(once("--only <figures>", "only these, such as 4.6,4.7", String))
    .addOption(once("--out <folder>", "where the page and the data go", String).default("out/figures"))
    .addOption(once("--seed <number>", "seed of the workloads", seed).default(1))
    .option("--quick", "few points and samples: for continuous integration")
    .option(
      "--full",
      "entries and operations as many as the paper's, where a simulation reaches them: some minutes more",
    )
    .action(async (design: string, options: FiguresOptions) => {
      const { repository } = await import("../repository.ts");
      repository("mnemo figures");
      const { runFigures } = await import("../figures/run-figures.ts");
      exit(await runFigures(designNamed(design), options, terminal));
    });
