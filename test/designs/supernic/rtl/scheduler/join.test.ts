import { describe, expect, test } from "vitest";
import { Join, type JoinParameters } from "../../../../../designs/supernic/rtl/index.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

export const parameterSets = {
  two: { contexts: 2, branches: 2 },
  small: { contexts: 4, branches: 3 },
  full: { contexts: 256, branches: 4 },
  largest: { contexts: 256, branches: 8 },
} as const satisfies Readonly<Record<string, JoinParameters>>;
type SetName = keyof typeof parameterSets;
const dut = (set: SetName) => Join(parameterSets[set]);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Packets with branches that are out; each must be done once, when all are back, and told right. */
class Rig {
  readonly b: B;
  readonly p: JoinParameters;
  readonly back;
  readonly done;
  /** By context: branches still out, or on their way back in the bench; whether one dropped. */
  readonly stages = new Map<number, { out: number; under: number; dropped: boolean }>();
  joined = 0;
  readonly doneCycles: number[] = [];

  constructor(b: B, set: SetName, o: { readonly from?: Pause; readonly to?: Pause } = {}) {
    this.b = b;
    this.p = parameterSets[set];
    this.back = new StreamSource(b.sim, b.io.back, o.from === undefined ? {} : { pause: o.from });
    this.done = new StreamSink(b.sim, b.io.done, o.to === undefined ? {} : { pause: o.to });
    b.io.begin.valid.value = 0;
    b.onEdge({ sample: () => this.#check() });
  }
  #check(): void {
    for (let d = this.done.take(); d !== undefined; d = this.done.take()) {
      const ctx = Number(d.value.ctx),
        s = this.stages.get(ctx);
      if (s === undefined) throw new Error(`cycle ${d.cycle}: context ${ctx} is done, and has no stage`);
      if (s.out > 0) throw new Error(`cycle ${d.cycle}: context ${ctx} is done with ${s.out} branches out`);
      if ((d.value.dropped !== 0) !== s.dropped) throw new Error(`context ${ctx}: dropped is ${d.value.dropped}`);
      this.stages.delete(ctx);
      this.joined++;
      this.doneCycles.push(d.cycle);
    }
  }
  async begin(ctx: number, branches: number): Promise<void> {
    const { begin } = this.b.io;
    begin.valid.value = 1;
    begin.ctx.value = ctx;
    begin.branches.value = branches;
    this.stages.set(ctx, { out: branches, under: 0, dropped: false });
    await this.b.cycles(1);
    // Without a stage there is anything on its wires.
    begin.valid.value = 0;
    begin.ctx.value = this.b.random.below(this.p.contexts);
    begin.branches.value = this.b.random.between(0, this.p.branches);
  }
  send(ctx: number, dropped: boolean) {
    const s = this.stages.get(ctx);
    if (s === undefined || s.out === 0) throw new Error("the bench sends a branch that is not out");
    s.out--;
    s.dropped ||= dropped;
    return this.back.send({ ctx, dropped: dropped ? 1 : 0 });
  }
  /** Random stages and branches, a cycle each. */
  async traffic(cycles: number): Promise<void> {
    const { random } = this.b,
      { contexts, branches } = this.p;
    for (let n = 0; n < cycles; n++) {
      const out = [...this.stages].filter(([, s]) => s.out > 0);
      // Few contexts at a time, so that branches of one come one after the other.
      const ctx = random.below(Math.min(contexts, 6));
      const at = out[random.below(Math.max(1, out.length))];
      if (at !== undefined && this.back.pending < 4 && random.chance(0.8)) this.send(at[0], random.chance(0.2));
      if (!this.stages.has(ctx) && random.chance(0.6)) await this.begin(ctx, random.between(1, branches));
      else await this.b.cycles(1);
    }
  }
  reset(): void {
    this.b.sim.reset(1);
    this.back.forget();
    this.done.received.length = 0;
    this.stages.clear();
    this.b.io.begin.valid.value = 0;
  }
  async end(): Promise<void> {
    for (const [ctx, s] of [...this.stages]) while (s.out > 0) this.send(ctx, false);
    await this.b.until(() => this.stages.size === 0);
    await this.b.cycles(10);
    expect([this.back.pending, this.stages.size]).toEqual([0, 0]);
  }
}

async function life(b: B, set: SetName, cycles = 1500): Promise<Rig> {
  const rig = new Rig(b, set, { from: bernoulli(0.2, 5), to: bursts({ go: 9, pause: 6 }, 6) });
  await rig.traffic(cycles);
  await rig.end();
  return rig;
}
async function resets(b: B, set: SetName): Promise<void> {
  const rig = new Rig(b, set, { from: bernoulli(0.2, 7), to: bernoulli(0.5, 8) });
  for (let round = 0; round < 30; round++) {
    await rig.traffic(b.random.between(5, 60));
    rig.reset();
  }
  await rig.end();
}

describe("Join", () => {
  for (const set of Object.keys(parameterSets) as SetName[]) {
    bench(
      `${set}: each stage is done once, when all are back, under random back-pressure`,
      dut(set),
      { seed: 3 },
      async b => {
        expect((await life(b, set)).joined).toBeGreaterThan(100);
      },
    );
    if (parameterSets[set].contexts < 10)
      bench(`${set}: a reset beside traffic leaves nothing pending`, dut(set), { seed: 4 }, b => resets(b, set));
  }
  bench("a branch every cycle, of one packet or of many; done a cycle behind its last", dut("full"), {}, async b => {
    const rig = new Rig(b, "full");
    await b.cycles(260);
    for (let ctx = 0; ctx < 40; ctx++) await rig.begin(ctx, 4);
    const sent = Array.from({ length: 160 }, (_, n) => rig.send(n >> 2, false));
    await rig.back.drained();
    await b.cycles(3);
    const cycles = sent.map(s => s.cycle ?? NaN);
    expect(cycles.map(c => c - (cycles[0] ?? NaN))).toEqual(sent.map((_, n) => n));
    expect(rig.doneCycles).toEqual(cycles.filter((_, n) => n % 4 === 3).map(c => c + 1));
    await rig.end();
  });
  bench("branches that are not the last never wait for who takes what is done", dut("full"), { seed: 2 }, async b => {
    const rig = new Rig(b, "full");
    await b.cycles(260);
    for (let ctx = 0; ctx < 20; ctx++) await rig.begin(ctx, 3);
    // One is done, and so its place in `done` has held a last branch; then nobody takes anything.
    for (let n = 0; n < 3; n++) rig.send(0, false);
    await b.until(() => rig.joined === 1);
    rig.done.pause = () => true;
    for (let ctx = 1; ctx < 20; ctx++) for (let n = 0; n < 2; n++) rig.send(ctx, false);
    await b.cycles(60);
    expect(rig.back.pending).toBe(0);
    rig.done.pause = () => false;
    await rig.end();
  });
  test("a branch that nobody sent out is told", async () => {
    const broken = runBench("misuse", dut("small"), { wave: false, seed: 2 }, async b => {
      const rig = new Rig(b, "small");
      await b.cycles(10);
      await rig.begin(1, 1);
      rig.send(1, false);
      await rig.end();
      await rig.begin(1, 0);
      rig.back.send({ ctx: 1, dropped: 0 });
      await b.cycles(5);
    });
    await expect(broken).rejects.toThrow("a branch that comes back had begun");
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "small"), b => resets(b, "small")];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 300, limitCycles: 30_000, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a drop of an earlier branch is forgotten", "earlier_dropped | who_dropped", "who_dropped"],
      ["a drop of the last branch is forgotten", "earlier_dropped | who_dropped", "earlier_dropped"],
      ["the next stage begins with the count of the last", /is_clean = clearing \| is_last/, "is_clean = clearing"],
      ["done is offered over another one", "| done_ready", "| 1'b1"],
      ["one behind another of its packet sees the old count", "earlier_hit ? earlier_fwd", "1'b0 ? earlier_fwd"],
      ["a branch comes while the table is cleared", "moves & ~clearing", "moves"],
      ["a reset leaves a branch on its way", /if \(rst\) comes <= 1'b0;\s*else /, ""],
      ["a reset does not clear", "clearing <= 1'b1", "clearing <= 1'b0"],
      ["the last entry is not cleared", "if (&cleared) clearing", "if (cleared == 2'd2) clearing"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
