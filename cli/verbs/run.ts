import { Argument } from "commander";
import { choice, fileName, once, seed, setting } from "../options.ts";
import type { Verb } from "../verb.ts";
import { paces, type RunOptions } from "../../designs/shared/command-line/index.ts";

/** `mnemo run clio`: plays a capture through the node and writes what comes back. */
export const runVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("run")
    .description("play a capture file through the cycle-accurate node and write its replies as a capture file")
    .addArgument(new Argument("<design>", "the design to run").choices(["clio"]))
    .addOption(once("--in <file>", "requests: a pcap file", fileName()).makeOptionMandatory())
    .addOption(once("--out <file>", "replies: the pcap file to write", fileName()).makeOptionMandatory())
    .addOption(setting())
    .addOption(
      once(
        "--setup <file>",
        "JSON that prepares processes, mappings, memory contents and free pages",
        fileName(".json"),
      ),
    )
    .addOption(once("--pace <pace>", `when frames are injected: ${paces.join(", ")}`, choice(paces)).default("capture"))
    .addOption(
      once(
        "--from <ip>",
        "play only the frames from this IPv4 address (a capture of both directions holds replies, too)",
        fileName(),
      ),
    )
    .addOption(once("--wave <file>", "write a waveform of the whole run", fileName(".fst")))
    .addOption(once("--stats <file>", "write counters, cycles and latency percentiles as JSON", fileName(".json")))
    .addOption(once("--seed <number>", "seed of the models' random choices", seed).default(1))
    .action(async (_design: string, options: RunOptions) => {
      const { runClio } = await import("../../designs/clio/rig/index.ts");
      exit(await runClio(options, terminal));
    });
