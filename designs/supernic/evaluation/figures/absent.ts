import type { Definition } from "../../../shared/evaluation/index.ts";

/** Figures that nothing here can tell, each with the reason. */
export const absent: readonly Definition[] = [
  {
    number: "5.19",
    title: "Virtual private cloud",
    paper: [
      [
        "5.7.3",
        "Firewall, NAT and AES on two sNICs have more throughput than in Open vSwitch, with DPDK or without. Open vSwitch at both ends is what bounds all of them.",
      ],
    ],
    notes: [
      "What bounds every bar is Open vSwitch, software on a processor that is not modelled and whose rate the paper's text does not state. The three tasks run on the device (docs/supernic/tasks.md, docs/supernic/cipher.md).",
    ],
  },
];
