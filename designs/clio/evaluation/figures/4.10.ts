import type { Definition } from "../../../shared/evaluation/index.ts";
import { latencyBySize } from "../measure/latency-by-size.ts";

/** Read latency by size. */
export const figure410: Definition = {
  ...latencyBySize("read"),
  number: "4.10",
  title: "Read latency by size",
  paper: [
    ["4.7.1", "Clio's performance is similar to HERD and close to native RDMA."],
    ["4.7.1", "LegoOS's latency is almost two times higher than Clio's when request size is small."],
  ],
  notes: [
    "At the node: from the last beat in to the first beat out; the longer the data, the later their last beat.",
    "The other systems are not modelled. From 1,445 B on CLib splits a read into several packets.",
  ],
};
