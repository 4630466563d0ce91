import { describe, expect, test } from "vitest";
import { SlotWords } from "../../../../designs/shared/frame/index.ts";
import { type Bench, poke, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameterSets = [
  { slots: 4, width: 80 },
  { slots: 64, width: 9 },
];
type Shape = (typeof parameterSets)[number];
type Ports = ReturnType<typeof SlotWords>["ports"];

/** Random words for random slots in every cycle, with a reset now and then; a word shows from the next cycle on. */
async function run(b: Bench<Ports>, { slots, width }: Shape, cycles: number): Promise<void> {
  const words = new Map<number, bigint>();
  for (let i = 0; i < cycles; i++) {
    const en = b.random.chance(0.6),
      slot = b.random.between(0, slots - 1),
      value = b.random.bits(width),
      asked = b.random.chance(0.4) ? slot : b.random.between(0, slots - 1);
    poke(b.io.write, { en: +en, slot, value });
    b.io.slot.value = asked;
    b.sim.settle();
    if (words.has(asked)) expect(b.io.value.big, `word of slot ${asked} in cycle ${i}`).toBe(words.get(asked));
    await b.risingEdge();
    if (en) words.set(slot, value);
    if (i % 300 === 299) {
      poke(b.io.write, { en: 0, slot: 0, value: 0 });
      b.sim.reset(1);
    }
  }
  expect(words.size, "slots with a word").toBe(slots);
}
describe.each(parameterSets)("SlotWords, $slots slots of $width bits", p => {
  test("every word as it was written, a write and a read in each cycle, reset beside them", () =>
    runBench("words", SlotWords(p), {}, b => run(b, p, 1000)));
  test("a planted fault is found: a word goes to slot 0", () =>
    findsFault(
      runBench("words planted", plant(SlotWords(p), /words\[write_slot\] <=/, "words[0] <="), { wave: false }, b =>
        run(b, p, 1000),
      ),
      /word of slot/,
    ));
});
