import { describe, expect, test } from "vitest";
import { bit, firstSet, input, module, output, uint } from "../../../../hdl-dsl/index.ts";
import {
  type Bench,
  bernoulli,
  DesignStopped,
  type Dut,
  type Io,
  never,
  type Pause,
  runBench,
  simulate,
  StreamSink,
} from "../../../../sim/index.ts";
import { SlotPool } from "../../../../designs/shared/frame/slot-pool.ts";
import { bench } from "../../../bench.ts";

import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

/** Inputs for slots that are given back, by number of slots. */
const parameterSets = { 8: 3, 64: 1, 256: 5 } as const;
type Slots = keyof typeof parameterSets;
const dut = (slots: Slots) => SlotPool({ slots, releases: parameterSets[slots] });
type Ports = ReturnType<typeof dut>["ports"];
type ReleasePort = Io<Ports>["release"][number];

/** Takes slots and gives them back at random, several in a cycle; holds the pool against the set of those in use. */
class Surroundings {
  readonly slots: number;
  readonly inUse = new Set<number>();
  readonly taken: { readonly slot: number; readonly cycle: number }[] = [];
  readonly sink: StreamSink<Ports["offer"]["shape"]>;
  readonly #b: Bench<Ports>;
  readonly #giveBack: () => number;
  #returning: number[] = [];

  constructor(b: Bench<Ports>, slots: number, pause: Pause, giveBack: () => number) {
    this.#b = b;
    this.slots = slots;
    this.#giveBack = giveBack;
    this.sink = new StreamSink(b.sim, b.io.offer, { pause });
    b.onEdge({ sample: c => this.#sample(c), drive: () => this.#drive() });
  }
  #sample(cycle: number): void {
    // What was in use before this edge is busy at it, but for those given back at it, which are busy to its end.
    const busy = [...this.inUse, ...this.#returning].reduce((v, s) => v | (1n << BigInt(s)), 0n);
    const shown = this.#b.io.busy.big;
    if (shown !== busy) throw new Error(`cycle ${cycle}: busy is ${shown.toString(16)}, expected ${busy.toString(16)}`);
    this.#returning = [];
    for (let s = this.sink.take(); s; s = this.sink.take()) {
      const slot = Number(s.value);
      if (this.inUse.has(slot)) throw new Error(`cycle ${cycle}: slot ${slot} is offered and in use`);
      this.inUse.add(slot);
      this.taken.push({ slot, cycle });
    }
  }
  #drive(): void {
    this.#returning = this.#b.random.chance()
      ? [...this.inUse].slice(0, this.#giveBack())
      : [...this.inUse].slice(-this.#giveBack() || this.inUse.size);
    for (const s of this.#returning) this.inUse.delete(s);
    for (let i = 0; i < this.#b.io.release.length; i++) {
      const port = this.#b.io.release[i] as ReleasePort,
        slot = this.#returning[i];
      port.valid.value = slot === undefined ? 0 : 1;
      port.slot.value = slot ?? 0;
    }
  }
}

async function randomUse(b: Bench<Ports>, slots: number): Promise<void> {
  let most = 0;
  const s = new Surroundings(b, slots, bernoulli(0.3, b.random.word()), () => b.random.between(0, most));
  for (let i = 0; i < 30; i++) {
    most = b.random.between(0, b.io.release.length);
    await b.cycles(b.random.between(10, 2 * slots));
  }
  expect(new Set(s.taken.map(t => t.slot)).size).toBe(slots);
}

/** The tree by itself. */
const First = module(
  "First",
  (p: { width: number }) => ({ v: input(uint(p.width)), any: output(bit), index: output(uint(Math.log2(p.width))) }),
  io => {
    const f = firstSet(io.v);
    io.any.set(f.any);
    io.index.set(f.index);
  },
);

describe("SlotPool", () => {
  test("the number of the first set bit", async () => {
    for (const width of [8, 64]) {
      using sim = await simulate(First({ width }));
      for (let i = 0; i < 500; i++) {
        const few = (): bigint => sim.random.bits(width) & sim.random.bits(width) & sim.random.bits(width);
        const v = i <= width ? (1n << BigInt(i)) & ((1n << BigInt(width)) - 1n) : few();
        sim.io.v.value = v;
        sim.settle();
        const text = v.toString(2),
          at = text.length - 1 - text.lastIndexOf("1");
        expect([sim.io.any.num, sim.io.index.num]).toEqual([v === 0n ? 0 : 1, v === 0n ? 0 : at]);
      }
    }
  });
  for (const slots of [8, 64, 256] as const) {
    bench(`${slots} slots: random taking and giving back`, dut(slots), { seed: slots }, async b => {
      await randomUse(b, slots);
    });
    bench(
      `${slots} slots: one per cycle until none is left, and again 2 cycles after a release`,
      dut(slots),
      { seed: 1 },
      async b => {
        const s = new Surroundings(b, slots, never, () => 0);
        await b.cycles(slots + 10);
        expect(s.taken.map(t => t.slot)).toEqual(Array.from({ length: slots }, (_, i) => i));
        s.taken.forEach((t, i) => expect(t.cycle).toBe((s.taken[0]?.cycle as number) + i));
        expect([b.io.offer.valid.value, b.io.busy.big]).toEqual([0, (1n << BigInt(slots)) - 1n]);
      },
    );
  }
  testOfResets(dut(64), {}, b => randomUse(b, 64));
  bench("a released slot is offered 2 cycles later", dut(8), {}, async b => {
    b.io.offer.ready.value = 1;
    await b.until(() => b.io.busy.num === 255);
    const port = b.io.release[1] as ReleasePort;
    port.valid.value = 1;
    port.slot.value = 5;
    await b.risingEdge();
    const at = b.cycle;
    port.valid.value = 0;
    await b.until(() => b.io.offer.valid.value === 1);
    expect([b.cycle - at, b.io.offer.payload.num]).toEqual([2, 5]);
  });
  bench("a reset frees all", dut(8), {}, async b => {
    b.io.offer.ready.value = 1;
    await b.cycles(5);
    b.io.offer.ready.value = 0;
    b.sim.reset();
    await randomUse(b, 8);
  });
  test("a slot that is free cannot be released", async () => {
    await expect(
      runBench("free twice", dut(8), { wave: false }, async b => {
        const port = b.io.release[0] as ReleasePort;
        port.valid.value = 1;
        port.slot.value = 3;
        await b.cycles(3);
      }),
    ).rejects.toThrow(DesignStopped);
  });

  describe("a planted fault is found", () => {
    const run = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 0, limitCycles: 5000 }, b => randomUse(b, 8));
    test("and nothing without one", async () => {
      await run("no fault", dut(8));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the slot on offer is offered again", /held = [^;]*;/, "held = 8'd0;"],
      [
        "a release is lost when a slot is taken",
        /taken <= [^;]*;/,
        "taken <= |claimed ? taken | claimed : taken & ~back;",
      ],
      ["an offer changes while it waits", /offered_when = [^;]*;/, "offered_when = 1'b1;"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(dut(8), from, to)));
      });
    }
  });
});
