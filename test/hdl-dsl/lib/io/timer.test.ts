import { describe, expect, test } from "vitest";
import { bench } from "../../../bench.ts";
import { CompareTimer } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const WIDTH = 6,
  PRESCALE = 3,
  CHANNELS = 3;
const dut = CompareTimer({ width: WIDTH, prescaleBits: PRESCALE, channels: CHANNELS });
type Ports = (typeof dut)["ports"];

interface In {
  readonly start: number;
  readonly stop: number;
  readonly oneShot: number;
  readonly prescale: number;
  readonly limit: number;
  readonly compare: readonly number[];
}
interface Out {
  readonly count: number;
  readonly running: number;
  readonly wrapped: number;
  readonly matched: number;
  readonly level: number;
}
/** The timer as its comment tells it. */
class Model {
  #count = 0;
  #waited = 0;
  #running = false;
  #level = 0;
  cycle(i: In): Out {
    const step = this.#running && this.#waited >= i.prescale,
      ends = step && this.#count >= i.limit;
    const set = (f: (v: number) => boolean): number => i.compare.reduce((n, v, c) => n + (f(v) ? 2 ** c : 0), 0);
    const out: Out = {
      count: this.#count,
      running: Number(this.#running),
      wrapped: Number(ends),
      matched: set(v => step && v === this.#count),
      level: this.#level,
    };
    this.#level = set(v => this.#running && this.#count < v);
    if (this.#running) this.#waited++;
    if (step) {
      this.#count = (this.#count + 1) % 2 ** WIDTH;
      this.#waited = 0;
    }
    if (ends) this.#count = 0;
    if (ends && i.oneShot === 1) this.#running = false;
    if (i.start === 1) {
      this.#count = 0;
      this.#waited = 0;
      this.#running = true;
    }
    if (i.stop === 1) this.#running = false;
    return out;
  }
}

const drive = (b: Bench<Ports>, i: In): void => {
  b.io.start.value = i.start;
  b.io.stop.value = i.stop;
  b.io.oneShot.value = i.oneShot;
  b.io.prescale.value = i.prescale;
  b.io.limit.value = i.limit;
  i.compare.forEach((v, c) => (b.io.compare[c]!.value = v));
};
const read = (b: Bench<Ports>): Out => ({
  count: b.io.count.num,
  running: b.io.running.value,
  wrapped: b.io.wrapped.value,
  matched: b.io.matched.num,
  level: b.io.level.num,
});

/** Starts, stops and new settings at random moments, also several of them in one cycle. */
async function random(b: Bench<Ports>, cycles = 6000): Promise<void> {
  let model = new Model(),
    i: In = { start: 0, stop: 0, oneShot: 0, prescale: 0, limit: 9, compare: [0, 4, 9] };
  for (let n = 0; n < cycles; n++) {
    const r = b.random;
    if (n % 1111 === 1110) {
      b.sim.reset(1);
      model = new Model();
    }
    const limit = r.chance(0.02) ? r.between(0, r.chance(0.8) ? 12 : 2 ** WIDTH - 1) : i.limit;
    i = {
      start: Number(r.chance(0.02)),
      stop: Number(r.chance(0.01)),
      oneShot: r.chance(0.03) ? r.between(0, 1) : i.oneShot,
      prescale: r.chance(0.03) ? r.between(0, r.chance(0.7) ? 1 : 7) : i.prescale,
      limit,
      compare: i.compare.map(v => (r.chance(0.03) ? r.between(0, limit + 1) % 2 ** WIDTH : v)),
    };
    drive(b, i);
    await b.risingEdge();
    expect({ n, ...read(b) }).toEqual({ n, ...model.cycle(i) });
  }
}

/** Reset at each count of a round, while the levels of all channels are 1 or have just been. */
async function cutOff(b: Bench<Ports>): Promise<void> {
  const i: In = { start: 0, stop: 0, oneShot: 0, prescale: 0, limit: 9, compare: [1, 5, 9] };
  for (let after = 1; after < 12; after++) {
    drive(b, { ...i, start: 1 });
    await b.risingEdge();
    drive(b, i);
    await b.cycles(after);
    b.sim.reset(1);
    for (let n = 0; n < 3; n++) {
      await b.risingEdge();
      expect({ after, n, ...read(b) }).toEqual({ after, n, count: 0, running: 0, wrapped: 0, matched: 0, level: 0 });
    }
  }
}

describe("CompareTimer", () => {
  bench("against its model: starts, stops, settings and resets at any moment", dut, {}, b => random(b));
  bench("a reset of one cycle while it runs: it stands at 0, and no level is 1", dut, {}, cutOff);
  test("planted fault: a reset leaves the levels", () =>
    findsFault(
      runBench("cut off", plant(dut, /if \(rst\) level_q <= 3'd0;\s*else/, ""), { wave: false }, cutOff),
      /to deeply equal/,
    ));
  bench("a second set of parameters: one channel, 32 and 16 bits", CompareTimer({ channels: 1 }), {}, async b => {
    b.io.limit.value = 0xffff_ffff;
    b.io.compare[0]!.value = 3;
    b.io.prescale.value = 2;
    b.io.oneShot.value = 0;
    b.io.stop.value = 0;
    b.io.start.value = 1;
    await b.risingEdge();
    b.io.start.value = 0;
    const matched: number[] = [];
    for (let n = 0; n < 40; n++) {
      await b.risingEdge();
      if (b.io.matched.value === 1) matched.push(n);
      expect(b.io.count.value).toBe(Math.floor(n / 3));
    }
    expect(matched).toEqual([11]);
  });
  bench("a round takes (limit + 1) * (prescale + 1) cycles", dut, {}, async b => {
    const i: In = { start: 0, stop: 0, oneShot: 0, prescale: 4, limit: 6, compare: [0, 3, 7] };
    drive(b, { ...i, start: 1 });
    await b.risingEdge();
    drive(b, i);
    const at: Record<"wrapped" | "first" | "last", number[]> = { wrapped: [], first: [], last: [] };
    let high = 0;
    for (let n = 0; n < 4 * 35; n++) {
      await b.risingEdge();
      const o = read(b);
      if (o.wrapped === 1) at.wrapped.push(n);
      if ((o.matched & 2) === 2) at.first.push(n);
      if ((o.matched & 4) === 4) at.last.push(n);
      if (n >= 35 && (o.level & 2) === 2) high++;
    }
    expect(at).toEqual({ wrapped: [34, 69, 104, 139], first: [19, 54, 89, 124], last: [] });
    expect(high).toBe(3 * 15);
  });
  test.each([
    ["a lowered limit is run past", "count_q >= limit", "count_q == limit"],
    ["a lowered prescaler is run past", "waited >= prescale", "waited == prescale"],
    ["a start beside the end stops", "ends & one_shot & ~start", "ends & one_shot"],
    ["start wins over stop", "if (stop | (", "if ((stop & ~start) | ("],
    ["the prescaler goes on at a start", "waited <= (step | start) ?", "waited <= step ?"],
    ["a match is told for the whole count", "step & (count_q == compare_1)", "(count_q == compare_1)"],
    ["a level while it stands", "running_q & (count_q < compare_2)", "(count_q < compare_2)"],
  ] as const)("planted fault: %s", (_what, from, to) =>
    findsFault(
      runBench("random", plant(dut, from, to), { wave: false }, b => random(b)),
      /./,
    ),
  );
});
