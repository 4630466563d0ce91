import type { Beside } from "../../../shared/evaluation/index.ts";

/** Contents of the paper's chapter outside of figures 4.4 to 4.21, each with its place here, or why it is absent. */
export const besides: readonly Beside[] = [
  {
    what: "Figures 4.1 to 4.3: architecture, sample code, board",
    section: "4.3",
    quote: "Figure 4.1 and its section show the interface and the architecture.",
    here: "Drawings, and a program of a few lines: nothing is measured. The node is drawn in docs/clio/node.svg, its interface is in docs/clio/clib.md.",
  },
  {
    what: "Table 4.1: FPGA utilization",
    section: "4.7.3",
    standing: "predicted",
    quote:
      "VirtMem and NetStack are a small part of the area; vendors' IP is the rest: PHY, MAC, DDR4 and interconnect.",
    here: "By synthesis, not by simulation: mnemo synth clio counts the LUTs, registers and memories of each module and sets them beside the paper's table (docs/area.md). Vendors' IP is not part of it.",
  },
  {
    what: "Cost and power of a memory node",
    section: "4.7.3",
    standing: "not modelled",
    quote:
      "With 1 TB of DRAM, a server as MN costs 1.1 to 1.5 times as much as a CBoard, at 1.9 to 2.7 times the power.",
    here: "Market prices and measured power: a simulation has neither.",
  },
  {
    what: "Clio-KV on physical addresses",
    section: "4.6",
    standing: "not modelled",
    quote:
      "On physical addresses the offload took longer to write. It gains 4 % to 12 % in latency and 1 % to 5 % in throughput.",
    here: "Offloads have the virtual-memory interface only; there is none on physical addresses to compare with.",
  },
  {
    what: "Other systems: RDMA, Clover, HERD, LegoOS",
    section: "4.7.1",
    standing: "not modelled",
    quote: "LegoOS peaks at 77 Gbit/s, and Clio reaches 110 Gbit/s.",
    here: "None of them is modelled in any figure. The cost of one-sided accesses stands beside the offloads as READs on the same node (4.17, 4.20).",
  },
];
