/** Latency of a sequence of tasks, by how it is spread over regions and the scheduler's rounds. */
import { frameFor, latencyOf, type MeasuredDag, type MeasuredSetup, withMeasured } from "./measured-device.ts";

/** A task of 6 cycles that takes a packet every cycle. */
const task = "delay(6,1)",
  tasks = (n: number): readonly string[] => Array.from({ length: n }, () => task),
  least = 64,
  ports = 2;
/** Lengths of a sequence; real ones are below seven mostly (paper §5.7.2). */
export const lengths: readonly number[] = [2, 3, 4, 5, 6, 7];
const most = 7,
  halfOf = (n: number): number => Math.ceil(n / 2);

/** Cycles of an idle 64-byte frame, last beat in to first beat out, by ways and lengths. */
export type ByLength<W extends string> = Readonly<Record<W, readonly number[]>>;
export interface Ways<W extends string> {
  readonly setup: Pick<MeasuredSetup, "set" | "regions">;
  /** Stages of `n` tasks, by the way that they go. */
  readonly stages: Readonly<Record<W, (n: number) => MeasuredDag["stages"]>>;
}
/** A build for figure 5.14: as many slots as the longest chain has tasks. */
export const chaining: Ways<"whole" | "half" | "each"> = {
  setup: {
    set: { ports, regions: 3, slots: most },
    regions: [
      { chain: "whole", tasks: tasks(most) },
      { chain: "half", tasks: tasks(halfOf(most)) },
      { chain: "alone", tasks: tasks(1) },
    ],
  },
  stages: {
    whole: n => [[{ chain: "whole", tasks: n }]],
    half: n => [[{ chain: "whole", tasks: halfOf(n) }], [{ chain: "half", tasks: n - halfOf(n) }]],
    // Of an idle device it is the same to come to one region again and to come to another one.
    each: n => Array.from({ length: n }, () => [{ chain: "alone" }]),
  },
};
const branch = (i: number): string => `branch${i}`,
  groups = 2;
/** A build for figure 5.15: as many regions and branches as there can be; two of them hold a group. */
export const branching: Ways<"parallel" | "groups" | "each"> = {
  setup: {
    set: { ports, regions: 8, branches: 8, slots: halfOf(most) },
    regions: Array.from({ length: 8 }, (_, i) => ({ chain: branch(i), tasks: tasks(i < groups ? halfOf(most) : 1) })),
  },
  stages: {
    // Regions of one task come first: those of a group pass slots that are skipped.
    parallel: n => [Array.from({ length: n }, (_, i) => ({ chain: branch(most - i), tasks: 1 }))],
    groups: n => [
      [
        { chain: branch(0), tasks: halfOf(n) },
        { chain: branch(1), tasks: n - halfOf(n) },
      ],
    ],
    each: n => Array.from({ length: n }, () => [{ chain: branch(most) }]),
  },
};

export function measureWays<W extends string>(
  seed: number,
  { setup, stages }: Ways<W>,
  of: readonly number[],
): Promise<ByLength<W>> {
  const ways = Object.keys(stages) as W[],
    // In the order in which the frames are sent below.
    dags = ways.flatMap(way => of.map(n => ({ name: `${way}${n}`, stages: stages[way](n) })));
  return withMeasured("sequences", { ...setup, dags }, { seed }, async device => {
    const out = {} as Record<W, number[]>;
    for (const [w, way] of ways.entries()) {
      out[way] = [];
      for (const i of of.keys())
        out[way].push(await latencyOf(device, frameFor(w * of.length + i, { size: least, from: 0, ports })));
    }
    return out;
  });
}
