import { type DesignVerb, fileName, once, seed } from "../../../shared/command-line/index.ts";
import { type RackServeVerbOptions, runServeRack } from "./run-serve.ts";

/** `mnemo serve rack`: sNICs and memory nodes of a setup file for programs of this machine. */
export const serveVerb: DesignVerb = {
  options: () => [
    once(
      "--setup <file>",
      "JSON: sNICs, memory nodes, switches, links, and endpoints that are sockets, UDP ports of frames or TAP devices",
      fileName(".json"),
    ).makeOptionMandatory(),
    once("--capture <file>", "write every frame, with the endpoints as interfaces", fileName(".pcapng")),
    once("--seed <number>", "seed of the links' faults", seed).default(1),
  ],
  act: (options: RackServeVerbOptions, terminal) => runServeRack(options, terminal),
};
