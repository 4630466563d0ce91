import { measureThroughput } from "../bench/throughput.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { dram } from "../measure/given.ts";

/** Goodput of the node itself by request size. */
export const figure49: Definition = {
  number: "4.9",
  title: "On-board goodput by request size",
  paper: [
    ["4.7.1", "Large reads and large writes both exceed 110 Gbit/s."],
    ["4.7.1", "Small reads are slower than small writes: a third party's DMA IP without a pipeline limits them."],
  ],
  given: [dram],
  notes: [
    "Frames back to back at the node's 512-bit ports at 250 MHz, in the steady state, as mnemo bench measures them. There is no DMA engine here: reads and writes differ by their headers only.",
  ],
  measure: async ({ seed, quick }) => {
    const rows = await measureThroughput(seed, maxData =>
        quick ? [64, 1024] : [4, 16, 64, 128, 256, 512, 1024, maxData],
      ),
      kinds = ["read", "write"] as const;
    return {
      plots: [
        {
          title: "Goodput by request size",
          kind: "lines",
          x: { label: "data of a request", unit: "bytes", scale: "log2" },
          y: { label: "goodput", unit: "Gbit/s of data", scale: "linear" },
          references: [{ at: 110, says: "the paper: more than 110 Gbit/s" }],
          series: kinds.map(k => ({
            name: k,
            standing: "predicted",
            points: rows.filter(r => r.kind === k).map(r => ({ x: r.dataBytes, y: r.gbps })),
          })),
        },
      ],
      claims: kinds.flatMap(
        k =>
          [
            [
              `${k}: more than 110 Gbit/s from 1 KB on`,
              { kind: "within", series: k, from: 1024, to: 9000, least: 110, most: 128 },
            ],
            [`${k}: more the larger the request`, { kind: "rising", series: k, slack: 0 }],
          ] as const,
      ),
    };
  },
};
