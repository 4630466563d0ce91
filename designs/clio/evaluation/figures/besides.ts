import type { Beside } from "../../../shared/evaluation/index.ts";

/**
 * What the paper's chapter shows or measures outside of figures 4.4 to 4.21, each with where it is here, or why
 * it is not.
 */
export const besides: readonly Beside[] = [
  {
    what: "Figures 4.1 to 4.3: architecture, sample code, board",
    section: "4.3",
    quote: "This section gives an overview of Clio's interface and architecture (Figure 4.1).",
    here: "Drawings, and a program of a few lines: nothing is measured. The node is drawn in docs/clio/node.svg, its interface is in docs/clio/clib.md.",
  },
  {
    what: "Table 4.1: FPGA utilization",
    section: "4.7.3",
    standing: "predicted",
    quote:
      "Within Clio, the virtual memory (VirtMem) and the network stack (NetStack) consume a small fraction of the total resources, with the rest being vendor IPs (PHY, MAC, DDR4, and interconnect).",
    here: "By synthesis, not by simulation: mnemo synth clio counts the LUTs, registers and memories of each module and sets them beside the paper's table (docs/area.md). Vendors' IP is not part of it.",
  },
  {
    what: "Cost and power of a memory node",
    section: "4.7.3",
    standing: "not modelled",
    quote: "When using 1 TB DRAM, a server-based MN costs 1.1-1.5× and consumes 1.9-2.7× power compared to CBoard.",
    here: "Market prices and measured power: a simulation has neither.",
  },
  {
    what: "Clio-KV on physical addresses",
    section: "4.6",
    standing: "not modelled",
    quote:
      "This physical-memory-based implementation takes more time to develop and only yields 4%–12% latency improvement and 1%–5% throughput improvement over Clio-KV.",
    here: "Offloads have the virtual-memory interface only; there is none on physical addresses to compare with.",
  },
  {
    what: "Other systems: RDMA, Clover, HERD, LegoOS",
    section: "4.7.1",
    standing: "not modelled",
    quote: "LegoOS can only reach a peak throughput of 77 Gbps, while Clio can reach 110 Gbps.",
    here: "None of them is modelled in any figure. What one-sided accesses cost stands beside the offloads as READs on the same node (4.17, 4.20).",
  },
];
