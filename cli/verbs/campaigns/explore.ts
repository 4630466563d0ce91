import { InvalidArgumentError, Option } from "commander";
import { choice, once, seed, setting } from "../../../designs/shared/command-line/index.ts";
import { engineOptions } from "../../campaign/options.ts";
import { designArgument } from "../../design-named.ts";
import type { ExploreOptions } from "../../explore/run-explore.ts";
import type { Verb } from "../../verb.ts";

function names(text: string): readonly string[] {
  const all = text.split(",");
  if (all.includes("")) throw new InvalidArgumentError("It must be names with commas between them.");
  return all;
}

/** `mnemo explore`: area, levels, latency and throughput of a design at each point of a product of settings. */
export const exploreVerb: Verb = (program, { terminal, exit }) => {
  const command = program
    .command("explore")
    .description(
      "measure a design at each point of `--set key=value,value,...`: area and LUT levels by Yosys, latency and throughput in simulation; a page with the points that nothing beats",
    )
    .addArgument(designArgument("<design>", "what to measure"))
    .addOption(setting())
    .addOption(once("--only <modules>", "area of just these modules: Tlb,Translate", names))
    .addOption(new Option("--whole", "area of the whole design in one: minutes a point"))
    .addOption(
      once(
        "--measure <what>",
        "all, area (no simulation) or cycles (no synthesis)",
        choice(["all", "area", "cycles"]),
      ).default("all"),
    )
    .addOption(once("--seed <number>", "seed of the workloads", seed).default(1))
    .addOption(once("--out <folder>", "the campaign's folder; else out/campaigns/<name>-<identity>", String))
    .addOption(once("--limit <seconds>", "of a point", Number).default(3600));
  for (const o of engineOptions()) command.addOption(o);
  return command.action(async (design: string, options: ExploreOptions) => {
    const { runExplore } = await import("../../explore/run-explore.ts");
    exit(await runExplore(design, options, terminal));
  });
};
