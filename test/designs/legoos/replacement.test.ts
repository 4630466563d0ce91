/** Who leaves a full set, beside a model of the set: the benches of what is answered do not see it. */
import { expect, test } from "vitest";
import { type ExCacheRig, withExCache } from "../../../designs/legoos/rig/index.ts";
import { ExCache } from "../../../designs/legoos/rtl/index.ts";
import type { Design } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

type Cache = Design<ReturnType<typeof ExCache>["ports"]>;
const ways = 4,
  sets = 4;

/** Reads or writes line `n` of set 0; whether it missed. */
async function misses(rig: ExCacheRig, n: number, write = false): Promise<boolean> {
  const before = rig.counts["miss"] ?? 0;
  await rig.ask({ asid: 1, va: BigInt(n * sets * rig.p.lineBytes), write, strb: 1n, data: 1n });
  await rig.settled();
  return (rig.counts["miss"] ?? 0) > before;
}

/** First in, first out, with free ways first, which software's evictions make. Lines that leave are counted by kind. */
const fifo = (design?: Cache): Promise<void> =>
  withExCache("fifo", { parameters: small({ ways }), seed: 1, wave: false, ...(design && { design }) }, async rig => {
    const { random } = rig.bench,
      set: (number | undefined)[] = Array.from({ length: ways }, () => undefined),
      dirty = new Set<number>(),
      left = { cleanEviction: 0, dirtyEviction: 0 };
    let pointer = 0;
    /** A clean line that software has evicted is dropped without a word. */
    const leaves = (way: number, clean: number): void => {
      const line = set[way];
      if (line !== undefined && dirty.delete(line)) left.dirtyEviction++;
      else left.cleanEviction += clean;
      set[way] = undefined;
    };
    await rig.begin([1]);
    for (let i = 0; i < 200; i++) {
      if (random.chance(0.15)) {
        const way = random.below(ways);
        rig.evict(0, way);
        await rig.settled();
        leaves(way, 0);
      }
      const line = random.below(8),
        write = random.chance(0.3),
        there = set.includes(line);
      expect(await misses(rig, line, write), `access ${i}, line ${line}`).toBe(!there);
      if (!there) {
        const free = set.indexOf(undefined);
        if (free < 0) leaves(pointer, 1);
        set[free < 0 ? pointer : free] = line;
        if (free < 0) pointer = (pointer + 1) % ways;
      }
      if (write) dirty.add(line);
      const { cleanEviction = 0, dirtyEviction = 0 } = rig.counts;
      expect({ cleanEviction, dirtyEviction }, `access ${i}`).toEqual(left);
    }
  });
test("the oldest leaves; a free way comes first", () => fifo());
test.each([
  ["a free way counts as a clean line that leaves", /holds <= [^;]*;/, "holds <= 1'b1;"],
  ["the pointer stands", /turns <= [^;]*;/, "turns <= 1'b0;"],
  ["the pointer goes on when a way was free", /turns <= [^;]*;/, "turns <= fetches;"],
  [
    "a set that software has emptied a way of counts as full",
    "choice_free <= way_is_free;",
    "choice_free <= way_is_free & (second_set_valid == 4'd0);",
  ],
] as const)("a planted fault: %s", (_, from, to) => findsFault(fifo(plant(ExCache(small({ ways })), from, to))));

/**
 * By use: of four lines three are touched in the midst of two sweeps, and one more is wanted. Nearly always the one
 * that was not touched leaves; a sweep may come between, once in a while.
 */
const parameters = small({ ways, policy: "lru", sweepCycles: 256 });
const byUse = (design?: Cache): Promise<void> =>
  withExCache(
    "by use",
    { parameters, seed: 1, wave: false, limitCycles: 400_000, ...(design && { design }) },
    async rig => {
      const { bench } = rig,
        rounds = 40,
        set = [0, 1, 2, 3];
      let untouched = 0;
      await rig.begin([1]);
      for (const line of set) await misses(rig, line);
      for (let round = 0; round < rounds; round++) {
        // Every set is swept once.
        await bench.cycles(sets * parameters.sweepCycles + 10);
        const spared = bench.random.below(ways),
          next = 4 + round;
        for (const [way, line] of set.entries()) if (way !== spared) expect(await misses(rig, line)).toBe(false);
        expect(await misses(rig, next)).toBe(true);
        // Touched lines are still there, when it was the other that has left.
        let still = true;
        for (const [way, line] of set.entries()) if (way !== spared && (await misses(rig, line))) still = false;
        if (!still) {
          // A new beginning: the set as it is known again.
          for (let way = 0; way < ways; way++) rig.evict(0, way);
          await rig.settled();
          for (const [way, line] of set.entries()) expect(await misses(rig, line), `way ${way}`).toBe(true);
          continue;
        }
        untouched += 1;
        set[spared] = next;
      }
      // By chance a quarter.
      expect(untouched).toBeGreaterThan(0.7 * rounds);
    },
  );
test("by use: what no sweep has seen used leaves", () => byUse());
test.each([
  ["no access marks its line", /written_set_used =([^;]*)\| written_set_dirty_and/, "written_set_used =$1"],
  ["a sweep forgets nothing", "~sweeps ? 4'd15 : 4'd0", "4'd15"],
  ["marks are not looked at", "second_set_valid & ~second_set_used", "second_set_valid"],
] as const)("a planted fault: %s", (_, from, to) => findsFault(byUse(plant(ExCache(parameters), from, to))));
