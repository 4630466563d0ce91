import type { Definition } from "../../../shared/evaluation/index.ts";
import { firstOffloadPid } from "../../config/index.ts";
import { dram } from "../measure/given.ts";
import { measureScaling } from "../measure/scaling.ts";

/** All PIDs but 0 and those of the node's own processes. */
const most = firstOffloadPid - 1;

/** Process (connection) scalability: processes with a page each. */
export const figure44: Definition = {
  number: "4.4",
  title: "Process (connection) scalability",
  paper: [
    ["4.7.1", "No connection is kept for a process, so the number of processes does not change the latency."],
    ["4.7.1", "The goal is thousands of clients at one time."],
  ],
  given: [dram],
  sizes: [
    {
      what: "processes",
      paper: "thousands of clients at one time",
      here: `1 to ${most.toLocaleString("en")} (quick: to 1,024)`,
    },
  ],
  notes: ["Reads and writes of 16 B, one at a time; every read's data are checked. RDMA's curves are not modelled."],
  measure: o =>
    measureScaling(
      {
        counts: o.quick ? [1, 64, 1024] : [1, 4, 16, 64, 256, 1024, 4096, 16_384, most],
        // From the highest PID down, each with its second page.
        page: i => ({ pid: most - i, vpn: 1n }),
        x: { label: "number of processes", scale: "log2" },
        at: n => n,
        title: "Latency by the number of processes",
      },
      o,
    ),
};
