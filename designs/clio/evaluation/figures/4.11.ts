import type { Definition } from "../../../shared/evaluation/index.ts";
import { latencyBySize } from "../measure/latency-by-size.ts";

/** Write latency by size. */
export const figure411: Definition = {
  ...latencyBySize("write"),
  number: "4.11",
  title: "Write latency by size",
  paper: [
    ["4.7.1", "Clover is slowest, with 2 RTTs or more for a write."],
    ["4.7.1", "RDMA's NIC may answer before all the data are in DRAM, as the authors suspect; Clio could do so too."],
  ],
  notes: [
    "At the node: from the last beat in to the first beat out.",
    "The other systems are not modelled. A write is answered when the memory has it (AXI B). From 1,445 B on CLib splits a write into several packets.",
  ],
};
