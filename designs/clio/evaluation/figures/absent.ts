import type { Definition } from "../../../shared/evaluation/index.ts";

/** Figures that nothing here can tell, each with the reason. */
export const absent: readonly Definition[] = [
  {
    number: "4.21",
    title: "Energy",
    paper: [
      [
        "4.7.3",
        "Energy of the YCSB workloads: cycles of the CPU or FPGA, times the watts of a CPU core, the ARM processor, and the FPGA.",
      ],
    ],
    notes: [
      "A simulation has cycles and no Watt. The power of this hardware has not been measured on a board, and the processors at both ends are not modelled.",
    ],
  },
];
