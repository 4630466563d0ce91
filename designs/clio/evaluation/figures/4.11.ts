import type { Definition } from "../../../shared/evaluation/index.ts";
import { latencyBySize } from "../measure/latency-by-size.ts";

/** Write latency by size. */
export const figure411: Definition = {
  ...latencyBySize("write"),
  number: "4.11",
  title: "Write latency by size",
  paper: [
    ["4.7.1", "Clover's write is the worst because it uses at least 2 RTTs for writes"],
    ["4.7.1", "replying a write before it is fully written to DRAM, which Clio could also potentially adopt"],
  ],
  notes: [
    "At the node: from the last beat in to the first beat out.",
    "The other systems are not modelled. A write is answered when the memory has it (AXI B). From 1,445 B on CLib splits a write into several packets.",
  ],
};
