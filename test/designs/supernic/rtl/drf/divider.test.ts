/** The divider, one division a cycle: every quotient, what is left over, and nothing of before a reset. */
import { describe, expect, test } from "vitest";
import { dividerLatency, DrfDivider } from "../../../../../designs/supernic/rtl/drf/index.ts";
import { type Bench, type Dut, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { scramble } from "../../support/any-value.ts";

const sizes = { aboveBits: 30, belowBits: 14, quotientBits: 16, tagBits: 4 } as const,
  dut = DrfDivider(sizes);
type Ports = typeof dut.ports;
type B = Bench<Ports>;
const latency = dividerLatency(sizes.quotientBits);

async function divides(b: B): Promise<void> {
  const { random: r, io } = b;
  let under: ({ readonly tag: number; readonly quotient: number; readonly inexact: number } | undefined)[] = [];
  const clears = (): void => void (under = Array.from({ length: latency }, () => undefined));
  clears();
  for (let n = 0; n < 3000; n++) {
    scramble(r, io.ask);
    io.ask.valid.value = 0;
    let asked: (typeof under)[number];
    if (r.chance(0.8)) {
      const below = r.pick([1, 2, r.between(1, 20), r.between(1, 2 ** 14 - 1), 2 ** 14 - 1]),
        most = Math.min(2 ** 16 - 1, Math.floor((2 ** 30 - 1) / below)),
        quotient = r.pick([0, 1, r.below(20), r.below(most + 1), most]),
        wanted = Math.min(quotient, most),
        left = Math.min(r.pick([0, r.below(below), below - 1]), 2 ** 30 - 1 - wanted * below),
        tag = r.below(16);
      poke(io.ask, { valid: 1, tag, above: wanted * below + left, below });
      asked = { tag, quotient: wanted, inexact: left === 0 ? 0 : 1 };
    }
    await b.cycles(1);
    const answer = under.shift();
    if (io.answer.valid.value !== (answer === undefined ? 0 : 1)) throw new Error("an answer at the wrong time");
    if (answer !== undefined)
      expect([io.answer.tag.num, io.answer.quotient.num, io.answer.inexact.num]).toEqual([
        ...[answer.tag, answer.quotient, answer.inexact],
      ]);
    under.push(asked);
    if (r.chance(0.01)) {
      // What is asked in a reset is nobody's.
      io.ask.valid.value = 1;
      b.sim.reset(1);
      clears();
    }
  }
}

describe("DrfDivider", () => {
  bench("every quotient, one a cycle", dut, { seed: 1 }, divides);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, limitCycles: 20_000, seed: 4 }, divides);
    test("and nothing without one", () => look("no fault", dut));
    test("what was under way goes on in a reset", async () => {
      await findsFault(look("reset", plant(dut, "valid_0 <= 1'b0;", "valid_0 <= ask_valid;")));
    });
  });
});
