import { Option } from "commander";
import { choice, type DesignVerb, fileName, once, paces, seed, setting } from "../../../shared/command-line/index.ts";
import { type InputFile, parseInput } from "./inputs.ts";
import { runSuperNic, type SuperNicRunOptions } from "./run-supernic.ts";

/** `mnemo run supernic`: plays captures through the device and writes what leaves. */
export const runVerb: DesignVerb = {
  options: () => [
    new Option("--in <file>", "frames: a pcap or pcapng file; 2=file names a port; may be repeated")
      .argParser((text: string, before: readonly InputFile[] | undefined) => [...(before ?? []), parseInput(text)])
      .makeOptionMandatory(),
    once(
      "--out <file>",
      "what leaves: .pcap, or .pcapng with the ports as interfaces",
      fileName(".pcap", ".pcapng"),
    ).makeOptionMandatory(),
    setting(),
    once(
      "--setup <file>",
      "JSON: ports, stations, users, regions, tasks, DAGs, rules",
      fileName(".json"),
    ).makeOptionMandatory(),
    once("--pace <pace>", `when frames are injected: ${paces.join(", ")}`, choice(paces)).default("capture"),
    once("--wave <file>", "write a waveform of the whole run: .vcd, or .fst by Verilator", fileName(".vcd", ".fst")),
    once("--stats <file>", "write counters, cycles and latency percentiles as JSON", fileName(".json")),
    new Option("--profile", "print which modules and instances cost the simulator's time"),
    once("--seed <number>", "seed of the models' random choices", seed).default(1),
  ],
  act: (options: SuperNicRunOptions, terminal) => runSuperNic(options, terminal),
};
