import type { Definition } from "../../../shared/evaluation/index.ts";
import { dram } from "../measure/given.ts";
import { measureScaling } from "../measure/scaling.ts";

/** PTE scalability: pages of one process, up to 4 TB of addresses. */
export const figure45: Definition = {
  number: "4.5",
  title: "PTE scalability: mapped memory up to 4 TB",
  paper: [
    ["4.7.1", "No access fails with up to 4 TB of mapped memory, the most that was tried."],
    [
      "4.7.1",
      "The latency has two flat levels: TLB hits up to 2^4 entries, and TLB misses beyond, each with one DRAM access.",
    ],
  ],
  given: [dram],
  sizes: [
    { what: "mapped memory", paper: "up to 4 TB", here: "4 MB to 4 TB (quick: to 4 GB)" },
    {
      what: "physical memory behind it",
      paper: "2 GB, shared by all the entries",
      here: "4 TB as the table's size; entries share frames",
    },
  ],
  notes: [
    "Pages of 4 MB: 2^20 entries are 4 TB. This TLB has 64 entries, so that the step of the random pages is at 2^6 and not at 2^4. RDMA's curves, and memory regions, are not modelled.",
  ],
  measure: o =>
    measureScaling(
      {
        counts: o.quick ? [1, 16, 64, 256, 1024] : [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576],
        page: i => ({ pid: 1, vpn: BigInt(i) }),
        x: { label: "number of page table entries, of 4 MB each", scale: "log2" },
        at: n => n,
        title: "Latency by the number of page table entries",
      },
      o,
    ),
};
