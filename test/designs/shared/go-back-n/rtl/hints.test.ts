import { describe, expect, test } from "vitest";
import { hintTable } from "../../../../../designs/shared/go-back-n/rtl/hints.ts";
import { bit, input, module, output, uint } from "../../../../../hdl-dsl/index.ts";
import { type Bench, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const parameterSets = [
  { depth: 16, slotBits: 3 },
  { depth: 1024, slotBits: 9 },
];
type Shape = (typeof parameterSets)[number];
const Hints = module(
  "HintsHarness",
  ({ depth, slotBits }: Shape) => ({
    en: input(bit),
    at: input(uint(Math.log2(depth))),
    slot: input(uint(slotBits)),
    asked: input(uint(Math.log2(depth))),
    found: output(uint(slotBits)),
  }),
  (io, { depth, slotBits }) => {
    const t = hintTable(depth, slotBits);
    t.write(io.en, io.at, io.slot);
    io.found.set(t.read(io.asked));
  },
);
/** Random hints, written and read in every cycle but never one word at once; a hint comes one cycle later. */
async function run(b: Bench<ReturnType<typeof Hints>["ports"]>, p: Shape, cycles: number): Promise<void> {
  const model = new Map<number, number>();
  let seen = 0;
  for (let i = 0; i < cycles; i++) {
    const at = b.random.between(0, p.depth - 1),
      slot = b.random.between(0, 2 ** p.slotBits - 1),
      known = [...model.keys()].filter(a => a >> 3 !== at >> 3),
      asked = known.length > 0 && b.random.chance(0.8) ? b.random.pick(known) : undefined;
    b.io.en.value = asked === undefined || b.random.chance(0.7) ? 1 : 0;
    b.io.at.value = at;
    b.io.slot.value = slot;
    b.io.asked.value = asked ?? (at + 8) % p.depth;
    await b.risingEdge();
    if (b.io.en.value === 1) model.set(at, slot);
    b.io.en.value = 0;
    b.sim.settle();
    if (asked !== undefined) {
      seen++;
      expect(b.io.found.num, `the hint at ${asked}`).toBe(model.get(asked));
    }
    if (i % 400 === 399) b.sim.reset(1);
  }
  expect(seen).toBeGreaterThan(100);
}
describe.each(parameterSets)("hints, $depth of $slotBits bits", p => {
  test("each is where it was written, a reset leaves them", () =>
    runBench("hints", Hints(p), {}, b => run(b, p, 1500)));
  test("a planted fault is found: a hint is read from the neighbour's lane", () =>
    findsFault(
      runBench(
        "hints planted",
        plant(Hints(p), /hint_lane <= ([^;]*);/, "hint_lane <= {$1} << 1;"),
        { wave: false },
        b => run(b, p, 1500),
      ),
      /the hint at/,
    ));
});
