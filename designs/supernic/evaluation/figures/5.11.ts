import type { Definition } from "../../../shared/evaluation/index.ts";
import { type Way, wayNs, ways } from "../epochs/index.ts";
import { coreCycles, hopNotes, poolHops } from "./parts/hops.ts";

/** Latency of both topologies of a pool. */
export const figure511: Definition = {
  number: "5.11",
  title: "Latency by topology",
  paper: [
    [
      "5.7.1",
      "In the ring, latency depends on where a frame is processed: at the next sNIC, at a neighbour, or at the farthest one. With a pool at the switch it is always the same.",
    ],
  ],
  given: poolHops,
  notes: [
    ...hopNotes,
    "From an endpoint to behind the ToR switch, for an idle frame of 64 bytes. A redirected frame comes back to where it came in, as our design has it; the paper does not say.",
  ],
  measure: async ({ seed }) => {
    const cycles = await coreCycles(seed),
      devices = [2, 3, 4, 6, 8];
    const series = (way: Way) => ({
      name: way,
      standing: "calibrated" as const,
      points: devices.map(x => ({ x, y: wayNs(way, x, cycles) / 1000 })),
    });
    return {
      plots: [
        {
          title: "One frame",
          kind: "lines",
          x: { label: "number of sNICs", scale: "linear", ticks: [2, 4, 6, 8] },
          y: { label: "latency", unit: "µs", scale: "linear" },
          series: ways.map(series),
        },
      ],
      claims: [
        ["nearest: more than single", { kind: "above", series: "ring, nearest", base: "single", least: 1, most: 100 }],
        [
          "farthest: no less than nearest",
          { kind: "above", series: "ring, farthest", base: "ring, nearest", least: 0, most: 100 },
        ],
        [
          "farthest of eight: more than twice the nearest's way",
          {
            kind: "within",
            series: "ring, farthest",
            from: 8,
            to: 8,
            least: 2 * (wayNs("ring, nearest", 8, cycles) / 1000),
            most: 100,
          },
        ],
        ["farthest: rises with the ring", { kind: "rising", series: "ring, farthest", slack: 0 }],
        ["switch: always the same", { kind: "flat", series: "switch", within: 0 }],
        ["switch: more than single", { kind: "above", series: "switch", base: "single", least: 0.5, most: 2 }],
        [
          "switch: less than any redirected frame",
          { kind: "above", series: "ring, nearest", base: "switch", least: 0.1, most: 100 },
        ],
      ],
      notes: [
        `The core takes ${cycles.processed} cycles for a frame that is processed, and ${cycles.switched} for one that is switched.`,
      ],
    };
  },
};
