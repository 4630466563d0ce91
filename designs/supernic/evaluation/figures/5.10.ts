import type { Axis, Definition, Series } from "../../../shared/evaluation/index.ts";
import { loadsOf, type PoolRun, runPool, topologies, type Topology } from "../epochs/index.ts";
import { epochNotes, openEx } from "./parts/epochs.ts";

/** One device or two, beside a background that grows. */
export const figure510: Definition = {
  number: "5.10",
  title: "One sNIC and pools of two, by background load",
  paper: [
    [
      "5.7.1",
      "A single sNIC gets worse with the background's load, and costs more as it runs longer. With a second one the foreground is not slower. The ring pays for traffic that one sNIC passes on to the other; a pool at the switch does not.",
    ],
  ],
  given: [openEx],
  notes: [
    ...epochNotes,
    "The foreground is four endpoints with the memcached pool's loads, of low correlation. The background is four endpoints of one constant rate. A device has three regions, for one chain of 16 Gbit/s in each.",
    "In the ring an endpoint of the background goes to the other device when the first one is overloaded for a MONITOR_PERIOD and has no region left, the next one a period later. The switch sends all of the background to the second device from the start.",
    "How devices tell each other their loads is not modelled, and the redirected frames' 22 bytes are not.",
  ],
  measure: async ({ seed, quick }) => {
    const loads = loadsOf(seed, "low", quick ? 3 : 8),
      background = quick ? [0, 64] : [0, 8, 16, 24, 32, 40, 48, 56, 64],
      runs = new Map<Topology, PoolRun[]>();
    for (const t of topologies) {
      runs.set(t, []);
      for (const gbps of background) runs.get(t)?.push(await runPool(loads, t, gbps));
    }
    const line = (name: string, t: Topology, of: (r: PoolRun) => number): Series => ({
      name,
      standing: "calibrated",
      points: background.map((x, i) => ({ x, y: of(runs.get(t)?.[i] as PoolRun) })),
    });
    const x: Axis = { label: "background", unit: "Gbit/s", scale: "linear", ticks: [0, 16, 32, 48, 64] };
    return {
      plots: [
        {
          title: "Foreground",
          kind: "lines",
          x,
          y: { label: "slowdown", unit: "times", scale: "linear" },
          series: topologies.map(t => line(`${t}, slowdown`, t, r => r.slowdown)),
        },
        {
          title: "Both",
          kind: "lines",
          x,
          y: { label: "OpEx", unit: "10³ region-epochs", scale: "linear" },
          series: [
            ...topologies.map(t => line(`${t}, OpEx`, t, r => r.cost / 1000)),
            line("ring, passed on", "ring", r => r.passed / 1000),
          ],
        },
      ],
      claims: [
        ["single: gets worse with the background", { kind: "rising", series: "single, slowdown", slack: 0.01 }],
        [
          "single: nowhere faster than the ring",
          { kind: "above", series: "single, slowdown", base: "ring, slowdown", least: -0.02, most: 10 },
        ],
        ["ring: the foreground hardly suffers", { kind: "flat", series: "ring, slowdown", within: 0.1 }],
        ["switch: the foreground does not suffer", { kind: "flat", series: "switch, slowdown", within: 0.001 }],
        [
          "single: with all of the background it is slower than anything alone",
          { kind: "within", series: "single, slowdown", from: 64, to: 64, least: 1.04, most: 10 },
        ],
        ["single: OpEx rises with the load", { kind: "rising", series: "single, OpEx", slack: 0 }],
        ["ring: what is passed on rises with the load", { kind: "rising", series: "ring, passed on", slack: 0 }],
        [
          "ring: what is passed on is paid for",
          { kind: "within", series: "ring, passed on", from: 64, to: 64, least: 0.1, most: 1000 },
        ],
      ],
    };
  },
};
