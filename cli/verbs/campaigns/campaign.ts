import { Option } from "commander";
import { once, wholeNumber } from "../../../designs/shared/command-line/index.ts";
import { engineOptions, shareText } from "../../campaign/options.ts";
import type { CampaignOptions } from "../../campaign/run-campaign.ts";
import type { Verb } from "../../verb.ts";

/** `mnemo campaign`: many independent pieces of work, here or on a scheduler, each done once. */
export const campaignVerb: Verb = (program, { terminal, exit }) => {
  const command = program
    .command("campaign")
    .description(
      "run many independent pieces of work (random programs, frames, operations, mutants, sweeps, figures, benches, any command) on all cores or a scheduler; what is done stays done",
    )
    .argument("[file]", "the campaign: .json, or .ts with a default export");
  for (const o of engineOptions()) command.addOption(o);
  return command
    .addOption(once("--out <folder>", "the campaign's folder; else out/campaigns/<name>-<identity>", String))
    .addOption(new Option("--list", "list the pieces, run none"))
    .addOption(once("--piece <number>", "run this piece alone, here, and keep nothing", wholeNumber(0, 999_999)))
    .addOption(once("--task <folder>", "a scheduler's task: a share of the campaign in this folder", String).hideHelp())
    .addOption(once("--share <k/n>", "with --task: which share of how many", shareText).hideHelp())
    .action(async (file: string | undefined, options: CampaignOptions) => {
      const { runCampaign } = await import("../../campaign/run-campaign.ts");
      exit(await runCampaign(file, options, terminal));
    });
};
