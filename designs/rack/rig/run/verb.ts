import { availableParallelism } from "node:os";
import { type DesignVerb, fileName, once, seed, wholeNumber } from "../../../shared/command-line/index.ts";
import { type RackRunOptions, runRack } from "./run-rack.ts";

/** `mnemo run rack`: sNICs, memory nodes and endpoints of a setup file. */
export const runVerb: DesignVerb = {
  options: () => [
    once(
      "--setup <file>",
      "JSON: sNICs, memory nodes, switches, endpoints with their programs, links",
      fileName(".json"),
    ).makeOptionMandatory(),
    once("--links <folder>", "write a capture of every link into this folder", fileName()),
    once("--stats <file>", "write counters and operations as JSON", fileName(".json")),
    once("--seed <number>", "seed of the links' faults and of the programs", seed).default(1),
    once(
      "--threads <number>",
      "threads that share the sNICs and nodes; the run is the same with any number",
      wholeNumber(1, 64),
    ).default(Math.min(availableParallelism(), 64), "as many as there are cores"),
  ],
  act: (options: RackRunOptions, terminal) => runRack(options, terminal),
};
