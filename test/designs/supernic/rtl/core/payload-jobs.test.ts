/** Jobs for payloads: where each packet's payload is, to read and to write, by way. */
import { describe, expect, test } from "vitest";
import { PayloadJobs } from "../../../../../designs/supernic/rtl/core/index.ts";
import {
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { portOf } from "../../../../../hdl-dsl/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";
import { anyValue, scramble } from "../../support/any-value.ts";

const store = { cells: 1024, cellBeats: 4, beatBytes: 64, payloadBeats: 140 } as const,
  contexts = 256;
/** A way that only reads, and one that writes, too. */
const dut = PayloadJobs({ contexts, cells: store.cells, store, uses: ["read", "write"] });
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const ways = [0, 1] as const;
const always: Pause = () => true;
interface Job {
  readonly first: number;
  readonly beats: number;
}

const jobOf = ({ first, beats }: { readonly first: number | bigint; readonly beats: number | bigint }): Job => ({
  first: Number(first),
  beats: Number(beats),
});

class Rig {
  readonly b: B;
  readonly jobs;
  readonly reads;
  readonly back;
  readonly #places = new Map<number, Job>();
  readonly wanted: readonly Job[][] = [[], []];
  readonly seen: { readonly reads: readonly Job[][]; readonly writes: Job[] } = { reads: [[], []], writes: [] };

  constructor(b: B, pauses: () => Pause = () => never) {
    this.b = b;
    const { sim, io } = b;
    this.jobs = [
      new StreamSource(sim, portOf(io, "job", 0), { pause: pauses() }),
      new StreamSource(sim, portOf(io, "job", 1), { pause: pauses() }),
    ] as const;
    this.reads = [
      new StreamSink(sim, portOf(io, "read", 0), { pause: pauses() }),
      new StreamSink(sim, portOf(io, "read", 1), { pause: pauses() }),
    ] as const;
    this.back = new StreamSink(sim, portOf(io, "back", 1), { pause: pauses() });
    io.arrive.valid.value = 0;
    b.onEdge({
      sample: () => {
        this.reads.forEach((r, i) => this.seen.reads[i]?.push(...r.received.splice(0).map(s => jobOf(s.value))));
        this.seen.writes.push(...this.back.received.splice(0).map(s => jobOf(s.value)));
      },
    });
  }
  /** A packet arrives in this cycle; what stands there without one counts for nobody. */
  async arrives(ctx: number): Promise<void> {
    const { io, random: r } = this.b,
      packet = anyValue(r, io.arrive.packet),
      payloadBytes = r.pick([0, 1, 63, 64, 65, r.between(0, 64 * store.payloadBeats), 64 * store.payloadBeats]);
    scramble(r, io.arrive);
    io.arrive.valid.value = 1;
    io.arrive.packet.ctx.value = ctx;
    io.arrive.packet.firstCell.value = packet.firstCell;
    io.arrive.packet.payloadBytes.value = payloadBytes;
    this.#places.set(ctx, { first: Number(packet.firstCell), beats: Math.ceil(payloadBytes / 64) });
    await this.b.cycles(1);
    scramble(r, io.arrive);
    io.arrive.valid.value = 0;
  }
  ask(way: 0 | 1, ctx: number): { readonly cycle: number | undefined } {
    const job = this.#places.get(ctx);
    if (job === undefined) throw new Error(`context ${ctx} has not arrived`);
    this.wanted[way]?.push(job);
    return this.jobs[way].send({ ctx });
  }
  check(): void {
    expect(this.seen.reads).toEqual(this.wanted);
    expect(this.seen.writes).toEqual(this.wanted[1]);
  }
  async settled(): Promise<void> {
    await this.b.until(
      () => this.seen.writes.length === this.wanted[1]?.length && this.jobs.every(j => j.pending === 0),
    );
    await this.b.cycles(60);
    this.check();
  }
}

async function randomly(b: B): Promise<void> {
  const { random: r } = b,
    rig = new Rig(b, () => bernoulli(r.pick([0.2, 0.6]), r.word()));
  for (let ctx = 0; ctx < contexts; ctx++) await rig.arrives(ctx);
  for (let i = 0; i < 300; i++) {
    for (const way of ways) if (r.chance(0.5)) rig.ask(way, r.below(contexts));
    // A context that comes back has another payload: whoever has asked before has been told.
    if (rig.jobs.every(j => j.pending === 0) && r.chance(0.3)) {
      const ctx = r.below(contexts);
      await rig.arrives(ctx);
      for (const way of ways) rig.ask(way, ctx);
    }
    await b.cycles(1);
  }
  await rig.settled();
}
/** One in each cycle, a cycle behind; the cycle behind its arrival is soon enough. */
async function fullRate(b: B): Promise<void> {
  const rig = new Rig(b);
  for (let i = 0; i < 20; i++) {
    await rig.arrives(i);
    for (const way of ways) rig.ask(way, i);
  }
  await b.cycles(1 + 1 + 1);
  rig.check();
}
/** Writes that do not begin hold up their own way when there are 32 of them, and the other one never. */
async function writesWait(b: B): Promise<void> {
  const rig = new Rig(b);
  await rig.arrives(3);
  rig.back.pause = always;
  const waiting = 32;
  for (let i = 0; i < 60; i++) for (const way of ways) rig.ask(way, 3);
  await b.cycles(100);
  expect(rig.seen.reads[0]).toHaveLength(60);
  // The next one has asked to read, and waits.
  expect(rig.seen.reads[1]?.length).toBeGreaterThanOrEqual(waiting);
  expect(rig.seen.reads[1]?.length).toBeLessThanOrEqual(waiting + 1);
  rig.back.pause = never;
  await rig.settled();
  // And reads that nobody takes hold up no write, until they are one behind the other.
  rig.reads[1].pause = always;
  for (const way of ways) rig.ask(way, 3);
  await b.until(() => rig.seen.writes.length === 61);
  // All that waits is gone with a reset.
  rig.back.pause = always;
  for (let i = 0; i < 5; i++) rig.ask(1, 3);
  await b.cycles(10);
  rig.jobs[1].forget();
  b.sim.reset(1);
  rig.reads[1].pause = rig.back.pause = never;
  rig.wanted.forEach(w => w.splice(0));
  rig.seen.reads.forEach(w => w.splice(0));
  rig.seen.writes.splice(0);
  await rig.arrives(9);
  rig.ask(1, 9);
  await rig.settled();
}

const runs = { randomly, fullRate, writesWait };
describe("PayloadJobs", () => {
  testOfResets(dut, {}, randomly);
  bench("every job says where its payload is, once each way", dut, { seed: 1, hangCycles: 1000 }, randomly);
  bench("one in every cycle, a cycle behind", dut, { seed: 2 }, fullRate);
  bench("a way waits for its writes, the other one does not", dut, { seed: 3, hangCycles: 1000 }, writesWait);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 1000, limitCycles: 20_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a beat too few for some bytes", /15'd63/, "15'd62"],
      ["a beat too many for whole ones", /15'd63/, "15'd64"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
