import { describe, expect, test } from "vitest";
import { turns, type TurnsParameters } from "../../../../designs/shared/stream/turns.ts";
import { bit, input, module, output, uint } from "../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameterSets: readonly TurnsParameters[] = [
  { partitions: 2, cycles: 16 },
  { partitions: 8, cycles: 4 },
];
const costBits = 4;
/** One cost that each partition would book, and what is booked by whom. */
const Turns = module(
  "TurnsHarness",
  (p: TurnsParameters) => ({
    holds: input(bit),
    cost: input(uint(costBits)),
    takes: input(uint(p.partitions)),
    mine: output(uint(p.partitions)),
    fits: output(uint(p.partitions)),
  }),
  (io, p) => {
    const t = turns(p, io.holds);
    io.mine.set(t.mine);
    const fits = Array.from({ length: p.partitions }, (_, i) => {
      const b = t.book(i, io.cost);
      b.taken(b.fits.and(io.takes.bit(i)).and(io.holds.not()));
      return b.fits;
    });
    fits.forEach((f, i) => io.fits.setBits(i, f));
  },
);

/** The model: time, and per partition the end of what it has booked in this turn. Turns come round in order. */
async function run(b: Bench<ReturnType<typeof Turns>["ports"]>, p: TurnsParameters, cycles: number): Promise<void> {
  let time = 0,
    most = 0;
  let booked = Array.from({ length: p.partitions }, () => 0);
  for (let i = 0; i < cycles; i++) {
    if (i % 500 === 499) {
      b.io.takes.value = 0;
      b.sim.reset(1);
      time = 0;
      booked = booked.map(() => 0);
    }
    const holds = b.random.chance(0.2),
      cost = b.random.between(1, Math.min(p.cycles, 2 ** costBits - 1)),
      takes = b.random.between(0, 2 ** p.partitions - 1),
      at = time % p.cycles,
      whose = Math.floor(time / p.cycles) % p.partitions;
    b.io.holds.value = +holds;
    b.io.cost.value = cost;
    b.io.takes.value = takes;
    b.sim.settle();
    const end = booked.map(x => Math.max(x, at) + cost);
    expect(b.io.mine.num, `whose turn in cycle ${i}`).toBe(1 << whose);
    expect(b.io.fits.num, `what fits in cycle ${i}`).toBe((end[whose] as number) <= p.cycles ? 1 << whose : 0);
    await b.risingEdge();
    const done = !holds && (end[whose] as number) <= p.cycles && (takes >> whose) & 1;
    if (done) booked[whose] = end[whose] as number;
    most = Math.max(most, booked[whose] as number);
    if (!holds) {
      time++;
      if (time % p.cycles === 0) booked = booked.map(() => 0);
    }
  }
  expect(most, "a turn that is used to its end").toBe(p.cycles);
}
describe.each(parameterSets)("turns of $cycles cycles for $partitions", p => {
  test("come round whether used or not, and nothing booked passes their end", () =>
    runBench("turns", Turns(p), {}, b => run(b, p, 3000)));
  test("a planted fault is found: what is booked is forgotten", () =>
    findsFault(
      runBench(
        "turns planted",
        plant(Turns(p), /turn_booked_(\d) <= turn_end_\d[^;]*;/, "turn_booked_$1 <= 0;"),
        { wave: false },
        b => run(b, p, 3000),
      ),
      /what fits/,
    ));
});
