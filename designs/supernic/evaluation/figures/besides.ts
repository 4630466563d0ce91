import type { Beside } from "../../../shared/evaluation/index.ts";

/** Contents of the paper's chapter outside of the figures above, each with its place here, or why it is absent. */
export const besides: readonly Beside[] = [
  {
    what: "Figure 5.1, 5.5, 5.6: architecture, board, regions",
    section: "5.3, 5.4",
    quote: "Pools of sNICs in a layer of their own or at the switch; the board's parts; scheduler and regions.",
    here: "Drawings: nothing is measured. The device is in docs/supernic/device.md, its scheduler in docs/supernic/scheduler.md.",
  },
  {
    what: "Figures 5.2 to 5.4: traces of Facebook and Alibaba, and of disaggregated memory",
    section: "5.2.1",
    standing: "not modelled",
    quote:
      "A rack that is provisioned for the peak of its sum needs a magnitude less; few servers spike together; five endpoints' memory traffic consolidates 1.1 to 2.4 times.",
    here: "The traces are not part of the paper's text. Loads here are drawn from published distributions (docs/supernic/workloads.md).",
  },
  {
    what: "Figure 5.7: an example of chains",
    section: "5.4.4",
    standing: "predicted",
    quote: "Two users share four tasks in two chains, and get a second instance of one of them.",
    here: "The example is what figure 5.20 runs.",
  },
  {
    what: "Latency of the whole data path",
    section: "5.7.1",
    standing: "not modelled",
    quote: "1.3 µs, most of it in PHY and MAC.",
    here: "PHY and MAC are vendors' IP, which is not modelled; the core's cycles are in figure core.",
  },
  {
    what: "Other systems: PANIC on its own platform, Clover, HERD, HERD-BF, Open vSwitch",
    section: "5.7",
    standing: "not modelled",
    quote: "Bars beside sNIC's.",
    here: "Only PANIC's way of scheduling is, on the device and its scheduler's model (5.14, 5.15). Of Open vSwitch only a rate is put in (5.19).",
  },
];
