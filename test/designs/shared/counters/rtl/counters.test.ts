/** Counts of random events: none is lost, each shows in time, and a reset begins anew. */
import { describe, expect, test } from "vitest";
import { counterBits, Counters } from "../../../../../designs/shared/counters/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

type Ports = ReturnType<typeof Counters>["ports"];

/** Bits by which each counter may rise. */
const parameterSets = [[1], [1, 1], [1, 14, 1], [2, 1, 9, 1, 1, 14, 3, 1, 1]];
const dut = (bits: readonly number[]): Dut<Ports> => Counters({ bits });

class Model {
  /** Counts after each cycle, the newest last: as many as the promised delay. */
  readonly #after: bigint[][];
  constructor(bits: readonly number[]) {
    const promised = bits.length + 4;
    this.#after = Array.from({ length: promised + 1 }, () => bits.map(() => 0n));
  }
  count(amounts: readonly number[]): void {
    const newest = this.#after.at(-1) ?? [];
    this.#after.push(newest.map((n, i) => n + BigInt(amounts[i] ?? 0)));
    this.#after.shift();
  }
  now = (i: number): bigint => this.#after.at(-1)?.[i] ?? 0n;
  /** What must show by now. */
  due = (i: number): bigint => this.#after[0]?.[i] ?? 0n;
}

/** Events in bursts, at the most that a counter takes, and none. A count read is never ahead, and never late. */
async function countAtRandom(b: Bench<Ports>, bits: readonly number[]): Promise<void> {
  const places = Math.max(2, 2 ** Math.ceil(Math.log2(bits.length))),
    drive = (amounts: readonly number[]): void => {
      bits.forEach((_, i) => {
        const port = b.io.increments[i];
        if (port !== undefined) port.value = amounts[i] ?? 0;
      });
    };
  for (let life = 0; life < 3; life++) {
    const model = new Model(bits);
    for (let cycle = 0; cycle < 1_500; cycle++) {
      const busy = [1, 0.3, 0][Math.floor(cycle / 100) % 3] ?? 0,
        amounts = bits.map(w =>
          b.random.chance(busy) ? (b.random.chance(0.5) ? 2 ** w - 1 : b.random.between(0, 2 ** w - 1)) : 0,
        ),
        asked = b.random.between(0, places - 1);
      drive(amounts);
      b.io.index.value = asked;
      await b.risingEdge();
      model.count(amounts);
      b.sim.settle();
      // Places of no counter hold nothing that is promised.
      if (asked >= bits.length) continue;
      const shown = BigInt(b.io.value.value);
      expect(shown >= model.due(asked), `count ${asked} shows ${shown}, and ${model.due(asked)} are due`).toBe(true);
      expect(shown <= model.now(asked), `count ${asked} shows ${shown} of ${model.now(asked)}`).toBe(true);
    }
    drive([]);
    await b.cycles(bits.length + 4);
    for (const i of bits.keys()) {
      b.io.index.value = i;
      await b.cycles(2);
      expect(BigInt(b.io.value.value), `count ${i} when all is quiet`).toBe(model.now(i));
    }
    b.sim.reset(1);
  }
}
const run = (bits: readonly number[], design: Dut<Ports> = dut(bits)): Promise<unknown> =>
  runBench(`counters of ${bits.join(", ")} bits`, design, { wave: false, seed: 1 }, b => countAtRandom(b, bits));

describe("Counters", () => {
  test.each(parameterSets.map(bits => [bits]))("rises of %j bits", async bits => {
    await run(bits);
  });
  test("counts are wide enough for a line's bytes", () => {
    // Bytes at 100 Gbit/s: the count wraps after hours.
    expect(2 ** counterBits / 12.5e9).toBeGreaterThan(6 * 3600);
  });
  test.each([
    ["what comes in its counter's turn is lost", "(turn == 2'd1) ? {2'd0, increments_1}", "(turn == 2'd1) ? 16'd0"],
    ["a counter is passed by", "is_last = turn == 2'd2", "is_last = turn == 2'd1"],
    ["a register is too narrow", "pending_1 + {2'd0, increments_1}", "{2'd0, pending_1[13:0] + increments_1}"],
    ["an event in its counter's turn is lost", "if (increments_0[0])", "if (increments_0[0] & (turn != 2'd0))"],
    ["what was seen is seen again", "seen[turn] <= number", "seen[turn] <= 3'd0"],
    ["what was seen before a reset counts", /seen_before = clearing \? [^:]*: /, "seen_before = "],
    ["behind the last state is one too many", /(events_since = .*) - .*;/, "$1;"],
    ["counts go on behind a reset", "base <= clearing ? 48'd0 : counts[turn]", "base <= counts[turn]"],
    ["a count is written to its neighbour", "counts[place] <=", "counts[place ^ 2'd1] <="],
  ] as const)("a planted fault is found: %s", async (_what, from, to) => {
    const bits = [1, 14, 1];
    await findsFault(run(bits, plant(dut(bits), from, to)));
  });
});
