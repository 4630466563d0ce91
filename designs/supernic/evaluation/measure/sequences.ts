/** Latency of a sequence of tasks, by how it is spread over regions and the scheduler's rounds. */
import type { SimulatedSuperNic } from "../../rig/index.ts";
import { frameFor, latencyOf, type MeasuredDag, type MeasuredSetup, withMeasured } from "./measured-device.ts";
import { pushedOn } from "./pushing.ts";
import { roundsOf } from "./scheduler-round.ts";

/** A task of 6 cycles that takes a packet every cycle. */
const taskCycles = 6,
  task = `delay(${taskCycles},1)`,
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
const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i),
  chain = (length: number, instance = 0): { readonly chain: string; readonly tasks: readonly string[] } => ({
    chain: `${"abcdefgh"[instance] ?? ""}${length}`,
    tasks: tasks(length),
  }),
  /** Of an idle device it is the same to come to one region again and to come to another one. */
  each = (n: number): MeasuredDag["stages"] => range(n).map(() => [{ chain: chain(1).chain }]);

/** For figure 5.14: a chain of each length, so that no packet passes slots that it skips. */
export const chaining: Ways<"whole" | "half" | "each"> = {
  setup: { set: { ports, regions: 8, slots: 8 }, regions: range(most).map(i => chain(i + 1)) },
  stages: {
    whole: n => [[{ chain: chain(n).chain }]],
    half: n => [[{ chain: chain(halfOf(n)).chain }], [{ chain: chain(n - halfOf(n)).chain }]],
    each,
  },
};
/** For figure 5.15: a region for each task. */
export const branching: Ways<"parallel" | "each"> = {
  setup: { set: { ports, regions: 8, branches: 8, slots: 1 }, regions: range(8).map(i => chain(1, i)) },
  stages: { parallel: n => [range(n).map(i => ({ chain: chain(1, i).chain }))], each },
};
/** For figure 5.15: two chains side by side, of each length. */
export const grouping: Ways<"groups"> = {
  setup: {
    set: { ports, regions: 8, branches: 2, slots: halfOf(most) },
    regions: [...range(halfOf(most)).map(i => chain(i + 1)), ...range(halfOf(most) - 1).map(i => chain(i + 1, 1))],
  },
  stages: {
    groups: n => [[{ chain: chain(halfOf(n)).chain }, { chain: chain(n - halfOf(n), n % 2 === 0 ? 1 : 0).chain }]],
  },
};

/** In the order in which the frames are sent below. */
const dagsOf = <W extends string>(stages: Ways<W>["stages"], of: readonly number[]): readonly MeasuredDag[] =>
  (Object.keys(stages) as W[]).flatMap(way => of.map(n => ({ name: `${way}${n}`, stages: stages[way](n) })));
const frameOf = (dag: number): Uint8Array => frameFor(dag, { size: least, from: 0, ports });
async function waysOf<W extends string>(device: SimulatedSuperNic, stages: Ways<W>["stages"], of: readonly number[]) {
  const out = {} as Record<W, number[]>;
  for (const [w, way] of (Object.keys(stages) as W[]).entries()) {
    out[way] = [];
    for (const i of of.keys()) out[way].push(await latencyOf(device, frameOf(w * of.length + i)));
  }
  return out;
}
export const measureWays = <W extends string>(
  seed: number,
  { setup, stages }: Ways<W>,
  of: readonly number[],
): Promise<ByLength<W>> =>
  withMeasured("sequences", { ...setup, dags: dagsOf(stages, of) }, { seed }, device => waysOf(device, stages, of));

/** The ways of figure 5.14, and the one that the scheduler's model adds. */
export const measureChaining = (
  seed: number,
  of: readonly number[],
): Promise<ByLength<"whole" | "half" | "each" | "push">> => {
  const { setup, stages } = chaining,
    dags = dagsOf(stages, of),
    twoRounds = dags.findIndex(d => d.stages.length === 2);
  return withMeasured("sequences", { ...setup, dags }, { seed }, async device => {
    const ways = await waysOf(device, stages, of),
      { back } = await roundsOf(device, frameOf(twoRounds));
    return { ...ways, push: pushedOn(of, ways, taskCycles, back) };
  });
};
