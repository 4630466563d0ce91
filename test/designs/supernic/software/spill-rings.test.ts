/** Software's part of the rings: DAGs are stopped, started and removed while hardware goes on at the worst moment. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../../hdl-dsl/index.ts";
import { type LiveChain, SpillRings, WaitingDags } from "../../../../designs/supernic/software/index.ts";
import type { Dag } from "../../../../designs/supernic/software/index.ts";

/** Rings and gates as the hardware has them; it goes a step further with each access. */
class Hardware {
  readonly rings = Array.from({ length: 2 }, () => ({
    ...{ held: false, dag: 0, drains: false, discards: false },
    inside: 0,
  }));
  readonly closed = new Set<number>();
  /** What software must not do: then frames overtake others. */
  readonly problems: string[] = [];
  /** DAGs of which all has arrived that was taken before their gate was closed. */
  readonly #settled = new Set<number>();
  /** Accesses that fail, from the next one on. */
  failing = 0;
  readonly #random: Random;
  constructor(random: Random) {
    this.#random = random;
  }
  /** A ring is at its end, or is not yet. */
  step(chance = 0.3): void {
    for (const r of this.rings) {
      if (!r.held || !this.#random.chance(chance)) continue;
      if (r.discards) r.held = false;
      else if (r.drains) {
        r.held = false;
        this.closed.delete(r.dag);
      }
    }
  }
  readonly driver = {
    rings: () => this.#do(() => this.rings.length),
    ring: (i: number) => this.#do(() => ({ ...this.#ring(i) })),
    ask: (i: number, ask: "fill" | "drain" | "discard", dag: number) =>
      this.#do(() => {
        const r = this.#ring(i);
        if (!r.held && ask === "fill") Object.assign(r, { held: true, dag, drains: false, discards: false });
        else if (r.held && r.dag === dag) {
          if (ask === "drain" && !this.#settled.has(dag)) this.problems.push(`the ring of DAG ${dag} drains too early`);
          r.drains = ask === "drain";
          r.discards ||= ask === "discard";
        }
      }),
  };
  readonly gate = {
    write: ({ index, value }: { readonly index: number; readonly value: bigint }) =>
      this.#do(() => {
        if (value === 1n) {
          this.closed.add(index);
          this.#settled.delete(index);
          return;
        }
        this.closed.delete(index);
        if (this.rings.some(r => r.held && r.dag === index)) this.problems.push(`DAG ${index} is open before its ring`);
      }),
    waiting: () => this.#do(() => undefined),
    dagInside: (dag: number) =>
      this.#do(() => {
        const settled = this.#random.chance(0.5);
        if (settled) this.#settled.add(dag);
        return { inside: 0, settled };
      }),
  };
  #ring(i: number) {
    const r = this.rings[i];
    if (r === undefined) throw new RangeError(`there is no ring ${i}`);
    return r;
  }
  #do<T>(does: () => T): Promise<T> {
    if (this.failing > 0) {
      this.failing--;
      return Promise.reject(new Error("the bus is off"));
    }
    this.step();
    const done = does();
    this.step();
    return Promise.resolve(done);
  }
}
const numbers = [3, 7, 9];
/** What of a DAG the gate asks for. */
const dags = numbers.map(number => ({
  number,
  peer: undefined,
  stages: [[{ chain: { number } }]],
})) as unknown as Dag[];
const chain = (number: number): LiveChain => ({ number }) as unknown as LiveChain;

async function random(seed: number): Promise<Record<"without" | "given" | "later", number>> {
  const r = new Random(seed),
    hardware = new Hardware(r),
    has = new Set<number>(numbers),
    pass = (): Promise<void> => {
      hardware.step();
      return Promise.resolve();
    },
    rings = new SpillRings(hardware.driver, pass),
    waiting = new WaitingDags(hardware.gate, {
      dags: () => dags,
      hasRegion: n => has.has(n),
      time: () => 0,
      wait: pass,
      rings,
    });
  let given = 0,
    without = 0,
    later = 0;
  for (let i = 0; i < 60; i++) {
    const n = numbers[r.below(numbers.length)] ?? 3,
      what = r.below(4);
    if (what === 0) {
      has.delete(n);
      await waiting.close(chain(n), false);
      expect(hardware.closed.has(n), `the gate of DAG ${n}, which was stopped`).toBe(true);
      given += hardware.rings.some(x => x.held && x.dag === n && !x.drains) ? 1 : 0;
    } else if (what === 1) {
      has.add(n);
      // It may have been about to be stopped.
      await Promise.all([r.chance(0.3) ? waiting.close(chain(n), false) : undefined, waiting.open(chain(n))]);
    } else if (what === 2) {
      // Beside it a DAG may go on, which must not get a ring any more.
      const before = new Set(waiting.ringless),
        // Of those without a ring, who may get one just now.
        own = [...before][0] ?? n;
      if (r.chance(0.3)) has.add(own);
      for (let k = 0; k < 8; k++) hardware.step();
      const opens = (): Promise<void> | undefined => (has.has(own) ? waiting.open(chain(own)) : undefined);
      await (r.chance(0.5) ? Promise.all([waiting.look(), opens()]) : Promise.all([opens(), waiting.look()]));
      for (const dag of before) later += hardware.rings.some(x => x.held && x.dag === dag) ? 1 : 0;
    } else {
      const dag = dags.find(d => d.number === n);
      if (dag !== undefined) await waiting.removed(dag);
      expect(hardware.closed.has(n), `the gate of DAG ${n}, which was removed`).toBe(false);
      expect(hardware.rings.some(x => x.held && x.dag === n)).toBe(false);
      has.add(n);
    }
    without += waiting.ringless.size;
    // A ring that fills is of a DAG that waits; no two rings have one DAG.
    for (const x of hardware.rings)
      if (x.held && !x.drains) expect(waiting.closed.has(x.dag), `DAG ${x.dag}, whose ring fills, waits`).toBe(true);
    const held = hardware.rings.filter(x => x.held).map(x => x.dag);
    expect(new Set(held).size).toBe(held.length);
  }
  expect(hardware.problems).toEqual([]);
  for (let i = 0; i < 200; i++) hardware.step();
  // Who found no ring free has one by now, or there is none.
  await waiting.look();
  expect(waiting.ringless.size).toBe(Math.max(0, waiting.closed.size - hardware.rings.length));
  for (const n of numbers) {
    expect(hardware.closed.has(n), `the gate of DAG ${n} in the end`).toBe(waiting.closed.has(n));
    if (!waiting.closed.has(n)) expect(hardware.rings.some(x => x.held && x.dag === n)).toBe(false);
  }
  return { without, given, later };
}
/** Rings of two DAGs, as software sees them. */
async function two() {
  const hardware = new Hardware(new Random(1)),
    pass = (): Promise<void> => Promise.resolve(),
    rings = new SpillRings(hardware.driver, pass);
  await rings.give(3);
  await rings.give(7);
  return { rings, frames: (n: number, inside: number) => Object.assign(hardware.rings[n] ?? {}, { inside }) };
}
describe("rings and gates", () => {
  it("tell the DAGs whose frames wait, each in its turn, and none whose ring is empty or gives them out", async () => {
    const { rings, frames } = await two();
    expect(await rings.waiting()).toBeUndefined();
    frames(0, 2);
    frames(1, 1);
    expect([await rings.waiting(), await rings.waiting(), await rings.waiting()]).toEqual([3, 7, 3]);
    await rings.drain(7);
    expect([await rings.waiting(), await rings.waiting()]).toEqual([3, 3]);
    frames(0, 0);
    expect(await rings.waiting()).toBeUndefined();
  });
  it("an access that fails is told, and the next one is done", async () => {
    const hardware = new Hardware(new Random(1)),
      pass = (): Promise<void> => Promise.resolve(),
      o = { dags: () => dags, hasRegion: () => false, time: () => 0, wait: pass },
      waiting = new WaitingDags(hardware.gate, { ...o, rings: new SpillRings(hardware.driver, pass) });
    hardware.failing = 1;
    await expect(waiting.close(chain(3), false)).rejects.toThrow("the bus is off");
    await waiting.close(chain(3), false);
    expect([hardware.closed.has(3), hardware.rings.filter(r => r.held).map(r => r.dag)]).toEqual([true, [3]]);
    hardware.failing = 1;
    await expect(waiting.open(chain(3))).rejects.toThrow("the bus is off");
    await waiting.open(chain(3));
    for (let i = 0; i < 100; i++) hardware.step();
    expect([hardware.closed.size, hardware.rings.some(r => r.held)]).toEqual([0, false]);
    expect(hardware.problems).toEqual([]);
  });
  it("whatever hardware does meanwhile, a DAG that waits is closed, one that goes on gets open, and rings go to who waits", async () => {
    const sums = { without: 0, given: 0, later: 0 };
    for (let seed = 1; seed <= 100; seed++) {
      const { without, given, later } = await random(seed);
      sums.without += without;
      sums.given += given;
      sums.later += later;
    }
    expect(sums.given).toBeGreaterThan(300);
    expect(sums.without).toBeGreaterThan(20);
    expect(sums.later).toBeGreaterThan(10);
  });
});
