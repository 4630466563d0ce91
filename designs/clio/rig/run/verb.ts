import { Option } from "commander";
import {
  choice,
  type DesignVerb,
  fileName,
  once,
  paces,
  type RunOptions,
  seed,
  setting,
} from "../../../shared/command-line/index.ts";
import { runClio } from "./run-clio.ts";

/** `mnemo run clio`: plays a capture through the node and writes what comes back. */
export const runVerb: DesignVerb = {
  options: () => [
    once("--in <file>", "requests: a pcap file", fileName()).makeOptionMandatory(),
    once("--out <file>", "replies: the pcap file to write", fileName()).makeOptionMandatory(),
    setting(),
    once("--setup <file>", "JSON that prepares processes, mappings, memory contents and free pages", fileName(".json")),
    once("--pace <pace>", `when frames are injected: ${paces.join(", ")}`, choice(paces)).default("capture"),
    once(
      "--from <ip>",
      "play only the frames from this IPv4 address (a capture of both directions holds replies, too)",
      fileName(),
    ),
    once("--wave <file>", "write a waveform of the whole run: .vcd, or .fst by Verilator", fileName(".vcd", ".fst")),
    once("--stats <file>", "write counters, cycles and latency percentiles as JSON", fileName(".json")),
    new Option("--profile", "print which modules and instances cost the simulator's time"),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: (options: RunOptions, terminal) => runClio(options, terminal),
};
