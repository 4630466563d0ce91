import type { Definition } from "../../../shared/evaluation/index.ts";

/** Figures that nothing here can tell, each with the reason. */
export const absent: readonly Definition[] = [
  {
    number: "4.21",
    title: "Energy",
    paper: [
      [
        "4.7.3",
        "We measure the total energy used for running YCSB workloads by collecting the total CPU (or FPGA) cycles and the Watt of a CPU core, ARM processor, and FPGA (measured).",
      ],
    ],
    notes: [
      "A simulation has cycles and no Watt; the power of this hardware has not been measured on a board, and the processors at both ends are not modelled.",
    ],
  },
];
