import { describe, expect, test } from "vitest";
import { type FenceParameters, FenceUnit } from "../../../../../designs/clio/rtl/dispatch/fence.ts";
import {
  type Bench,
  bernoulli,
  bursts,
  type Dut,
  never,
  type Pause,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

type Ports = ReturnType<typeof FenceUnit>["ports"];
const dut = (slots: number, fences: number) => FenceUnit({ slots, fences });

interface Waiting {
  readonly slot: number;
  readonly taken: number;
  readonly before: Set<number>;
  readonly refused: boolean;
  over: number;
}
interface Answer {
  readonly slot: number;
  readonly refused: boolean;
  readonly cycle: number;
  readonly taken: number;
  readonly over: number;
}

/**
 * Surroundings of the fence unit: slots as the pool gives them out (a released one is used again 2 cycles later at the
 * earliest). Requests enter and leave, with fences in between. A scoreboard keeps for each fence the requests before
 * it. Requests are distinguished by number, not by slot.
 */
class FenceRig {
  readonly answers: Answer[] = [];
  readonly waiting: Waiting[] = [];
  readonly #b: Bench<Ports>;
  readonly #p: FenceParameters;
  readonly #fences: StreamSource<Ports["fence"]["shape"]>;
  readonly #replies: StreamSink<Ports["reply"]["shape"]>;
  readonly #free: number[];
  /** Slots given back, and the cycle from which they can be used again. */
  readonly #cooling: { readonly slot: number; readonly from: number }[] = [];
  /** Requests inside by slot, with their numbers. */
  readonly inside = new Map<number, number>();
  #busy = 0n;
  #next = 0;
  /** The request that enters in this cycle: behind a fence of this cycle. */
  #now: number | undefined;
  #entering: number | undefined;
  readonly #leaving = new Set<number>();
  readonly #arriving: number[] = [];

  constructor(b: Bench<Ports>, p: FenceParameters, pause: () => Pause = () => never) {
    this.#b = b;
    this.#p = p;
    this.#free = Array.from({ length: p.slots }, (_, i) => i);
    this.#fences = new StreamSource(b.sim, b.io.fence);
    this.#replies = new StreamSink(b.sim, b.io.reply, { pause: pause() });
    b.onEdge({ sample: c => this.#sample(c), drive: () => this.#drive() });
  }

  usable(slot: number): boolean {
    return this.#free.includes(slot);
  }
  /** A request takes a slot and goes to memory in the next cycle; @returns its slot. */
  enter(slot = this.#free[this.#b.random.between(0, this.#free.length - 1)]): number | undefined {
    if (slot === undefined || this.#entering !== undefined) return undefined;
    this.#take(slot);
    this.#entering = slot;
    return slot;
  }
  /** A fence takes a slot and comes in the next cycle. */
  fence(): number | undefined {
    const slot = this.#free[this.#b.random.between(0, this.#free.length - 1)];
    if (slot === undefined || this.#arriving.length > 0) return undefined;
    this.#take(slot);
    this.#fences.send({ slot });
    this.#arriving.push(slot);
    return slot;
  }
  /** A request or an answered fence leaves: its slot is free from the next cycle on. */
  leave(slot: number): void {
    this.#leaving.add(slot);
  }
  hold(stopped: Pause): void {
    this.#replies.pause = stopped;
  }
  forget(): void {
    this.#free.length = 0;
    this.#free.push(...Array.from({ length: this.#p.slots }, (_, i) => i));
    this.#busy = 0n;
    this.#cooling.length = this.waiting.length = this.answers.length = 0;
    this.inside.clear();
  }

  #take(slot: number): void {
    this.#free.splice(this.#free.indexOf(slot), 1);
    this.#busy |= 1n << BigInt(slot);
  }
  #drive(): void {
    const cycle = this.#b.cycle;
    for (const slot of this.#leaving) {
      this.#busy &= ~(1n << BigInt(slot));
      this.inside.delete(slot);
      this.#cooling.push({ slot, from: cycle + 2 });
    }
    this.#leaving.clear();
    for (let i = this.#cooling.length - 1; i >= 0; i--) {
      const c = this.#cooling[i] as { slot: number; from: number };
      if (cycle >= c.from) {
        this.#free.push(c.slot);
        this.#cooling.splice(i, 1);
      }
    }
    const io = this.#b.io;
    io.busy.value = this.#busy;
    io.entered.valid.value = this.#entering === undefined ? 0 : 1;
    io.entered.slot.value = this.#entering ?? 0;
    this.#now = this.#entering === undefined ? undefined : this.#next++;
    if (this.#entering !== undefined) this.inside.set(this.#entering, this.#now as number);
    this.#entering = undefined;
  }
  #sample(cycle: number): void {
    const alive = new Set(this.inside.values());
    for (const w of this.waiting) if (w.over === Infinity && ![...w.before].some(n => alive.has(n))) w.over = cycle;
    for (let seen = this.#replies.take(); seen; seen = this.#replies.take()) {
      const slot = Number(seen.value.slot),
        refused = seen.value.refused === 1,
        at = this.waiting.findIndex(w => w.slot === slot);
      const w = this.waiting[at];
      if (!w) throw new Error(`an answer for slot ${slot} at cycle ${cycle}, which has no fence waiting`);
      expect(refused, `the fence of slot ${slot}, taken at cycle ${w.taken}, is refused`).toBe(w.refused);
      const left = [...this.inside].filter(([, n]) => w.before.has(n)).map(([s]) => s);
      if (!refused && left.length > 0)
        expect.fail(
          `the fence of slot ${slot} is answered at cycle ${cycle} with slots ${left.join(", ")} of before it inside`,
        );
      this.waiting.splice(at, 1);
      this.answers.push({ slot, refused, cycle, taken: w.taken, over: w.over });
      this.#leaving.add(slot);
    }
    const waiting = this.waiting.filter(w => !w.refused).length;
    expect(this.#b.io.waiting.value, `fences that wait at cycle ${cycle}`).toBeGreaterThanOrEqual(waiting);
    if (this.#b.io.fence.valid.value) {
      expect(this.#b.io.fence.ready.value, "a fence is always taken").toBe(1);
      const slot = this.#arriving.shift() as number;
      this.waiting.push({
        slot,
        taken: cycle,
        before: new Set([...alive].filter(n => n !== this.#now)),
        refused: this.#b.io.waiting.value === this.#p.fences,
        over: Infinity,
      });
      const w = this.waiting.at(-1) as Waiting;
      if (w.before.size === 0) w.over = cycle;
    }
  }
}

/** Requests and fences at random, each request staying for a random time; in the end nothing waits. */
async function traffic(
  b: Bench<Ports>,
  p: FenceParameters,
  o: { readonly cycles?: number; readonly stay?: number; readonly fences?: number; readonly pause?: () => Pause } = {},
): Promise<FenceRig> {
  const rig = new FenceRig(b, p, o.pause),
    random = b.random,
    stay = o.stay ?? 30,
    due = new Map<number, number>();
  for (let n = 0; n < (o.cycles ?? 4000); n++) {
    for (const [slot, at] of due)
      if (b.cycle >= at) {
        rig.leave(slot);
        due.delete(slot);
      }
    if (random.chance(o.fences ?? 0.15)) rig.fence();
    const slot = random.chance(0.7) ? rig.enter() : undefined;
    if (slot !== undefined)
      due.set(slot, b.cycle + 1 + random.pick([1, 2, 3, random.between(1, stay), random.between(1, 4 * stay)]));
    await b.risingEdge();
  }
  for (const slot of due.keys()) rig.leave(slot);
  await b.until(() => rig.waiting.length === 0);
  return rig;
}

describe("FenceUnit", () => {
  for (const [slots, fences] of [
    [64, 4],
    [8, 1],
    [16, 8],
  ] as const) {
    const p = { slots, fences };
    bench(
      `${slots} slots, ${fences} fences: requests and fences at random, replies held back at random`,
      dut(slots, fences),
      { seed: slots },
      async b => {
        let seed = b.random.word();
        const rig = await traffic(b, p, {
          pause: () => (++seed % 2 ? bernoulli(0.4, seed) : bursts({ go: 20, pause: 20 }, seed)),
        });
        expect([rig.answers.some(a => a.refused), rig.answers.filter(a => !a.refused).length > 20]).toEqual([
          true,
          true,
        ]);
      },
    );
    bench(
      `${slots} slots, ${fences} fences: answered 2 cycles after the last request of before it has left, refused after 1`,
      dut(slots, fences),
      { seed: slots + 1 },
      async b => {
        const rig = await traffic(b, p, { fences: 0.1 });
        let apart = 0;
        const done = rig.answers.filter(a => !a.refused);
        for (const [n, a] of done.entries()) {
          // Fences that end together leave one after another.
          const least = Math.max(a.over, a.taken) + 2,
            oneByOne = Math.max(least, (done[n - 1]?.cycle ?? -1) + 1);
          const held = rig.answers.some(r => r.refused && r.cycle >= least && r.cycle < a.cycle);
          expect(a.cycle, `fence taken at ${a.taken}, nothing left at ${a.over}`).toBeGreaterThanOrEqual(least);
          if (!held) {
            expect(a.cycle, `fence taken at ${a.taken}, nothing left at ${a.over}`).toBe(oneByOne);
            apart++;
          }
        }
        expect(apart).toBeGreaterThan(done.length / 2);
        const refused = rig.answers.filter(a => a.refused).map(a => a.cycle - a.taken);
        if (refused.length > 0) expect(Math.min(...refused)).toBe(1);
      },
    );
  }

  const laterOnes = async (b: Bench<Ports>): Promise<void> => {
    const rig = new FenceRig(b, { slots: 8, fences: 4 });
    const first = rig.enter();
    await b.cycles(2);
    rig.fence();
    await b.risingEdge();
    const later: number[] = [];
    for (let n = 0; n < 4; n++) {
      later.push(rig.enter() as number);
      await b.risingEdge();
    }
    rig.leave(first as number);
    await b.cycles(5);
    expect(rig.answers.length, "answered although later requests stay").toBe(1);
    // The next one waits for those.
    rig.fence();
    await b.cycles(20);
    expect(rig.answers.length).toBe(1);
    for (const slot of later) rig.leave(slot);
    await b.cycles(5);
    expect(rig.answers.length).toBe(2);
  };
  bench("a fence does not wait for later requests, the next one does", dut(8, 4), {}, laterOnes);

  const together = async (b: Bench<Ports>): Promise<void> => {
    const rig = new FenceRig(b, { slots: 8, fences: 4 });
    await b.cycles(3);
    rig.fence();
    rig.enter(7);
    await b.cycles(8);
    expect(rig.answers.length, "answered although what came with it stays").toBe(1);
  };
  bench("what enters in the cycle of the fence is behind it", dut(8, 4), {}, together);

  const reused = async (b: Bench<Ports>): Promise<void> => {
    const rig = new FenceRig(b, { slots: 8, fences: 4 });
    const slot = rig.enter() as number;
    await b.cycles(2);
    const other = rig.enter() as number;
    await b.cycles(2);
    rig.fence();
    await b.cycles(2);
    rig.leave(slot);
    await b.until(() => rig.usable(slot));
    expect(rig.enter(slot)).toBe(slot);
    await b.cycles(3);
    rig.leave(other);
    await b.cycles(6);
    expect([rig.answers.length, rig.inside.has(slot)], "answered although the slot is another's by now").toEqual([
      1,
      true,
    ]);
  };
  bench("a slot that is given back and used again 2 cycles later holds up nothing", dut(8, 4), {}, reused);

  const onlyFences = async (b: Bench<Ports>): Promise<void> => {
    const rig = new FenceRig(b, { slots: 8, fences: 4 });
    for (let n = 0; n < 20; n++) {
      rig.fence();
      await b.cycles(1);
    }
    await b.cycles(10);
    expect([rig.waiting.length, rig.answers.some(a => a.refused)], "fences that still wait").toEqual([0, false]);
    rig.answers.forEach(a => expect(a.cycle - a.taken).toBe(2));
    expect(rig.answers.length).toBeGreaterThan(10);
  };
  bench("fences without requests wait neither for themselves nor for one another", dut(8, 4), {}, onlyFences);

  bench(
    "full: the fifth is refused at once, the four are answered in order, and nobody is lost while replies are held",
    dut(16, 4),
    {},
    async b => {
      let stopped = true;
      const rig = new FenceRig(b, { slots: 16, fences: 4 }),
        request = rig.enter() as number,
        sent: number[] = [];
      rig.hold(() => stopped);
      await b.cycles(1);
      for (let n = 0; n < 15; n++) {
        sent.push(rig.fence() as number);
        await b.cycles(1);
      }
      await b.cycles(10);
      expect(rig.answers.length).toBe(0);
      stopped = false;
      await b.cycles(20);
      expect(rig.answers.map(a => a.slot)).toEqual(sent.slice(4));
      rig.leave(request);
      await b.cycles(10);
      expect(rig.answers.map(a => a.slot)).toEqual([...sent.slice(4), ...sent.slice(0, 4)]);
      expect(rig.answers.map(a => a.refused)).toEqual(sent.map((_, n) => n < 11));
    },
  );

  bench("reset in the middle: nothing is inside and nobody waits", dut(8, 4), {}, async b => {
    const rig = new FenceRig(b, { slots: 8, fences: 4 });
    rig.enter();
    await b.cycles(2);
    rig.fence();
    await b.cycles(3);
    rig.forget();
    b.sim.reset(3);
    expect([b.io.reply.valid.value, b.io.waiting.value]).toEqual([0, 0]);
    await b.cycles(2);
    rig.fence();
    await b.cycles(6);
    expect(rig.answers.map(a => a.refused)).toEqual([false]);
  });

  testOfResets(dut(8, 4), {}, b => traffic(b, { slots: 8, fences: 4 }, { cycles: 600 }));

  describe("a planted fault is found", () => {
    const p = { slots: 8, fences: 4 };
    const run = (name: string, design: Dut<Ports>, body: (b: Bench<Ports>) => Promise<unknown>): Promise<unknown> =>
      runBench(name, design, { wave: false, hangCycles: 2000, limitCycles: 20_000 }, async b => {
        await body(b);
      });
    const random = (b: Bench<Ports>): Promise<unknown> =>
      traffic(b, p, { cycles: 1500, fences: 0.3, pause: () => bernoulli(0.4, 7) });
    test("and nothing without one", async () => {
      for (const body of [random, laterOnes, reused, onlyFences]) await run("no fault", dut(8, 4), body);
    });
    const faults: readonly (readonly [
      string,
      string | RegExp,
      string,
      (b: Bench<Ports>) => Promise<unknown>,
      RegExp,
      Dut<Ports>?,
    ])[] = [
      [
        "later requests are waited for",
        /(awaited_\d) & busy/,
        "($1 | inside_) & busy",
        laterOnes,
        /although later requests stay/,
      ],
      [
        "what enters with the fence is waited for as if it were before",
        /(takes_\d) \? still_inside/,
        "$1 ? still_inside | (entered_valid ? inside__joined : 8'd0)",
        together,
        /with it stays/,
      ],
      [
        "a fence waits for its own slot",
        /(takes_\d) \? still_inside/,
        "$1 ? still_inside | (8'd1 << fence_payload_slot)",
        onlyFences,
        /fences that still wait/,
      ],
      [
        "what has left is looked at as inside",
        "still_inside = inside_ & busy",
        "still_inside = inside_",
        random,
        /has not ended|fences that wait/,
      ],
      [
        "a slot given back and used again is not seen",
        /~\(\|(awaited_\d)\)/,
        "~(|($1 & busy))",
        reused,
        /by now/,
        plant(dut(8, 4), /(awaited_\d) & busy/, "$1"),
      ],
      ["a fence does not wait", /~\(\|awaited_\d\)/, "1'b1", random, /is answered at cycle/],
      ["one more than there is room for", "full = count == 3'd4", "full = count == 3'd5", random, /is refused/],
      [
        "refusals are lost",
        "refusals_push_valid = fence_valid & full",
        "refusals_push_valid = fence_valid & full & ~refusals_pop_valid",
        random,
        /has not ended/,
      ],
    ];
    for (const [name, from, to, body, why, design] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(design ?? dut(8, 4), from, to), body), why);
      });
    }
  });
});
