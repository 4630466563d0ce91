/** SyncWords by itself, against a model, in every cycle. */
import { describe, expect, test } from "vitest";
import { SyncWords, type SyncWordsParameters } from "../../../../../designs/clio/rtl/sync/sync-words.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const sets: readonly SyncWordsParameters[] = [
  { lanes: 1, numberBits: 3 },
  { lanes: 4, numberBits: 3 },
  { lanes: 16, numberBits: 20 },
];
type Ports = ReturnType<typeof SyncWords>["ports"];

/** Words that are claimed and given back at random, all lanes full at times; what is not claimed takes no lane. */
async function run(b: Bench<Ports>, { lanes, numberBits }: SyncWordsParameters, cycles: number): Promise<void> {
  const { io, random } = b,
    taken = new Map<number, number>(),
    seen = { full: 0, clash: 0 };
  for (let n = 0; n < cycles; n++) {
    // Long phases in which more come than go, and the other way round.
    const busy = Math.floor(n / 100) % 2 === 0,
      held = [...taken.values()],
      word = held.length > 0 && random.chance(0.3) ? random.pick(held) : random.between(0, 2 ** numberBits - 1),
      left = Array.from({ length: lanes }, (_, i) => i).find(i => !taken.has(i)),
      clash = held.includes(word),
      free = left !== undefined && !clash,
      released = taken.size > 0 && random.chance(busy ? 0.1 : 0.5) ? random.pick([...taken.keys()]) : undefined,
      claims = free && random.chance(busy ? 0.7 : 0.3);
    seen.full += Number(left === undefined);
    seen.clash += Number(clash);
    io.word.value = word;
    io.claim.value = Number(claims);
    io.release.valid.value = Number(released !== undefined);
    // A lane that is not given back is named as well.
    io.release.lane.value = released ?? random.between(0, Math.max(1, lanes) - 1);
    await b.risingEdge();
    expect(io.free.value, `free in cycle ${n}`).toBe(Number(free));
    if (free) expect(io.lane.num, `the lane in cycle ${n}`).toBe(left);
    if (released !== undefined) taken.delete(released);
    if (claims) taken.set(left, word);
  }
  expect(Math.min(seen.full, seen.clash)).toBeGreaterThan(20);
}

describe.each(sets)("SyncWords, $lanes lanes", p => {
  const check = (dut: Dut<Ports>): Promise<void> => runBench("words", dut, { wave: false }, b => run(b, p, 2000));
  test("a word is in one lane at most, and each lane comes back", () => check(SyncWords(p)));
  testOfResets(SyncWords(p), { beside: { lane: "free" } }, b => run(b, p, 2000));
  test.runIf(p.lanes > 1)("a planted fault is found: a lane is taken that nobody claims", () =>
    findsFault(check(plant(SyncWords(p), /\bclaim & /, ""))),
  );
});
