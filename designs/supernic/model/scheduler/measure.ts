import { type Branch, type Fault, must, type Packet, type Setup, type Task, timing, type Timing } from "./setup.ts";
import { type Outcome, type Traffic, watch } from "./watch.ts";

const beatBits = 512,
  cycleNs = 4;
/** The slots of a chain, all of them. */
const all = (tasks: readonly Task[]): number[] => tasks.map((_, i) => i);

/** A user's DAG of stages, each with its chains side by side; every chain has a region. */
export function alone(stages: readonly (readonly (readonly Task[])[])[], credits: number, t: Timing): Setup {
  const chains = stages.flat();
  let next = 0;
  const dag = stages.map(s => s.map((tasks): Branch => ({ chain: next++, run: all(tasks) })));
  return {
    users: 1,
    contexts: 256,
    chains,
    regions: chains.map((_, i) => i),
    credits: chains.map(c => c.map(() => credits)),
    dags: [{ user: 0, slow: false, stages: dag }],
    timing: t,
    patience: 32,
  };
}
const packet = (id: number): Packet => ({ id, dag: 0, flow: 0, beats: 1 });
/** So many packets of one flow, all at once. */
export const traffic = (count: number): Traffic => ({
  packets: Array.from({ length: count }, (_, id) => ({ at: 0, packet: packet(id) })),
  stalls: [],
  uses: [],
});
/** Packets a cycle of one user and one flow that always has more, without the start and the end. */
export function rate(setup: Setup, count = 1_000): number {
  const { out, wrong } = watch(setup, traffic(count));
  if (wrong !== undefined) throw new Error(wrong);
  return rateOf(out);
}
/** Packets a cycle in the middle half of what has left. */
export function rateOf(out: Outcome["out"]): number {
  const from = Math.floor(out.length / 4),
    to = Math.floor((out.length * 3) / 4);
  return (to - from) / (must(out, to).at - must(out, from).at);
}
/** Cycles of a packet alone. */
function latency(setup: Setup): number {
  const { out, wrong } = watch(setup, traffic(1));
  if (wrong !== undefined) throw new Error(wrong);
  const only = must(out, 0);
  return only.at - only.entered;
}
export const chain = (n: number, latencyOf: number): Task[] =>
  Array.from({ length: n }, () => ({ latency: latencyOf, interval: 1 }));

/** Gbps of 64-byte packets through one task by its credits (figure 5.9). */
export const byCredits = (credits: number): number =>
  (rate(alone([[chain(1, 1)]], credits, timing)) * beatBits) / cycleNs;
/** Cycles of n tasks: as one chain, as two chains one after the other, each on its own (figure 5.14). */
export function chaining(n: number, t: number, times = timing): { whole: number; half: number; each: number } {
  const time = (...stages: readonly (readonly Task[])[]): number =>
    latency(
      alone(
        stages.map(s => [s]),
        8,
        times,
      ),
    );
  const front = Math.ceil(n / 2);
  return {
    whole: time(chain(n, t)),
    half: time(chain(front, t), chain(n - front, t)),
    each: time(...Array.from({ length: n }, () => chain(1, t))),
  };
}
/** Tasks each on its own, from one to the next past the scheduler. @param push cycles of that way */
export const pushing = (n: number, t: number, push: number, times = timing, credits = 8): Setup => ({
  ...alone(
    Array.from({ length: n }, () => [chain(1, t)]),
    credits,
    times,
  ),
  push,
});
export const pushed = (n: number, t: number, push: number, times = timing): number =>
  latency(pushing(n, t, push, times));
/** Cycles of n tasks at once, each a branch, and as two branches (figure 5.15). */
export function parallel(n: number, t: number): { branches: number; groups: number } {
  const time = (branches: readonly (readonly Task[])[]): number => latency(alone([branches], 8, timing));
  return {
    branches: time(Array.from({ length: n }, () => chain(1, t))),
    groups: time([chain(Math.ceil(n / 2), t), chain(Math.floor(n / 2), t)]),
  };
}
/** Packets a cycle through four tasks of one cycle: one user, one flow, by the stages of a decision. */
export const chainRate = (credits: number, change: Partial<Timing> = {}, interval = 1): number =>
  rate(alone([[chain(4, 1).map((t, i) => (i === 3 ? { ...t, interval } : t))]], credits, { ...timing, ...change }));

/**
 * Packets a cycle of three users that always have more: two need a task of interval 10 and the one behind it, the third
 * only the one behind. A rule without turns starves one of the two.
 */
export function shares(decide: number, fault?: Fault): readonly number[] {
  const { setup, traffic: packets } = contended({ ...timing, decide, prefetch: 4 }, fault),
    { out, wrong } = watch(setup, packets);
  if (wrong !== undefined) throw new Error(wrong);
  return sharesOf(out);
}
/** Packets a cycle of each of the three, while all of them have some. */
export function sharesOf(out: Outcome["out"]): readonly number[] {
  const [from, to] = [500, 2_500],
    seen = out.filter(o => from <= o.at && o.at < to);
  return [0, 1, 2].map(dag => seen.filter(o => o.packet.dag === dag).length / (to - from));
}
/** The three users of `shares`, and their packets. */
export function contended(t: Timing, fault?: Fault): { readonly setup: Setup; readonly traffic: Traffic } {
  const tasks = [
    { latency: 1, interval: 10 },
    { latency: 1, interval: 1 },
  ];
  const runs = [[0, 1], [0, 1], [1]];
  const setup: Setup = {
    ...alone([[tasks]], 14, t),
    ...(fault ? { fault } : {}),
    users: runs.length,
    dags: runs.map((run, user) => ({ user, slow: false, stages: [[{ chain: 0, run }]] })),
  };
  const counts = [200, 200, 2_700],
    packets = counts.flatMap((n, dag) => Array.from({ length: n }, (_, i) => ({ ...packet(i), dag, flow: dag })));
  return { setup, traffic: { packets: packets.map(p => ({ at: 0, packet: p })), stalls: [], uses: [] } };
}
