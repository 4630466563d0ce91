import type { Definition } from "../../../shared/evaluation/index.ts";
import { latencyBySize } from "../measure/latency-by-size.ts";

/** Read latency by size. */
export const figure410: Definition = {
  ...latencyBySize("read"),
  number: "4.10",
  title: "Read latency by size",
  paper: [
    ["4.7.1", "The latency is about that of HERD, and not far from that of plain RDMA."],
    ["4.7.1", "For small requests, LegoOS takes almost twice as long."],
  ],
  notes: [
    "At the node: from the last beat in to the first beat out; the longer the data, the later their last beat.",
    "The other systems are not modelled. From 1,445 B on CLib splits a read into several packets.",
  ],
};
