import { describe, expect, test } from "vitest";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, type Ports, type Size, World } from "./support/decision-world.ts";

/** Random packets of everybody, slow tasks, few credits: all start, and all credits come back. */
async function life(b: B, size: Size, packets: number): Promise<World> {
  const { random } = b,
    world = new World(b, size, size === "small" ? 2 : 8),
    { regions, slots, users } = world.p;
  world.drops = 0.05;
  world.interval.forEach(list => list.forEach((_, s) => (list[s] = random.chance(0.2) ? 6 : 1)));
  let id = 0;
  for (let n = 0; id < packets || world.left > 0; n++) {
    expect(n, "cycles until all have started").toBeLessThan(40 * packets);
    while (id < packets && world.left < 200 && random.chance(0.6)) {
      const run = Array.from({ length: slots }, (_, s) => s).filter(() => random.chance(0.5));
      world.add(random.below(regions), random.below(users), random.below(2), {
        id: id++,
        run: run.length > 0 ? run : [random.below(slots)],
      });
    }
    await world.cycle();
  }
  for (let n = 0; n < 300; n++) await world.cycle();
  expect(world.held.flat().every(n => n === 0)).toBe(true);
  return world;
}
/** Packets a cycle of users that always have more, with the runs given. */
async function rates(b: B, runs: readonly (readonly number[])[], o: { limit: number; interval?: number }) {
  const world = new World(b, "full", o.limit),
    cycles = 2_000;
  world.interval[1]![0] = o.interval ?? 1;
  for (let n = -300; n < cycles; n++) {
    if (n === 0) for (const q of world.queues.flat(2)) q.started = 0;
    runs.forEach((run, u) => {
      for (const q = world.queues[1]![u * 5]![0]!; q.list.length < 4;) world.add(1, u * 5, 0, { id: 0, run });
    });
    await world.cycle();
  }
  return runs.map((_, u) => world.queues[1]![u * 5]![0]!.started / cycles);
}

describe("Decision", () => {
  bench(
    "small: all start with the head of their queue, and every credit is back",
    dut("small"),
    { seed: 3 },
    async b => {
      expect((await life(b, "small", 1_500)).short).toBeGreaterThan(10);
    },
  );
  bench("full: the same", dut("full"), { seed: 4 }, async b => {
    await life(b, "full", 1_500);
  });
  bench("a user alone starts every cycle through a chain of four", dut("full"), {}, async b => {
    expect((await rates(b, [[0, 1, 2, 3]], { limit: 24 }))[0]).toBe(1);
  });
  bench("three users with the same chain have a third each", dut("full"), {}, async b => {
    const list = await rates(
      b,
      [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
      { limit: 24 },
    );
    expect(list.reduce((x, y) => x + y)).toBeCloseTo(1, 2);
    for (const r of list) expect(r).toBeCloseTo(1 / 3, 2);
  });
  bench(
    "two users of a slow task share it, beside one that only needs the task behind it",
    dut("full"),
    {},
    async b => {
      const [first = 0, second = 0, third = 0] = await rates(b, [[0, 1], [0, 1], [1]], { limit: 14, interval: 10 });
      expect(first).toBeCloseTo(0.05, 2);
      expect(second).toBeCloseTo(0.05, 2);
      expect(third).toBeGreaterThan(0.6);
    },
  );

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 5 }, b => life(b, "small", 400));
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a credit is given twice in a row", /took <= starting[^;]*;/, "took <= 3'd0;"],
      ["a candidate starts twice", /same_user = [^;]*;/, "same_user = 1'b0;"],
      [
        "credits of packets that were dropped do not come back",
        /refunds_of_0 = refund_valid & /,
        "refunds_of_0 = 1'b0 & ",
      ],
      ["the second credit is there one too early", "left_1_0[1:0] > 2'd1", "left_1_0[1:0] > 2'd0"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
