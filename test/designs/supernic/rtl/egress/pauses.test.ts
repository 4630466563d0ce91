/** Classes that are paused for too long: each port and class by itself, from both sides of its time. */
import { describe, expect, test } from "vitest";
import { pausePart, pauseParts, Pauses } from "../../../../../designs/supernic/rtl/egress/pauses.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const classes = 4;
const sizes = { short: { ports: 4, pauseCycles: 16 }, some: { ports: 4, pauseCycles: 48 } } as const;
const dutOf = (size: keyof typeof sizes) => Pauses(sizes[size]);
type B = Bench<ReturnType<typeof dutOf>["ports"]>;

/** Pauses of every class begin when they like, and last less than their time, about it, or much more. */
const randomPauses =
  (size: keyof typeof sizes, cycles: number) =>
  async (b: B): Promise<void> => {
    const { random: r, io } = b,
      part = pausePart(sizes[size]),
      most = pauseParts * part,
      // Of each class: cycles for which it has been paused, and those that are left until it changes.
      lists = Array.from({ length: sizes[size].ports }, () =>
        Array.from({ length: classes }, () => ({ on: false, age: 0, left: r.between(1, 30) })),
      );
    const next = (on: boolean): number =>
      on
        ? r.pick([r.between(1, most), r.between(most - 2, most + part + 2), r.between(most, 3 * most)])
        : r.between(1, 9);
    let risen = 0,
      early = 0;
    for (let n = 0; n < cycles; n++) {
      lists.forEach((row, q) => {
        for (const l of row) if (l.left-- === 0) Object.assign(l, { on: !l.on, left: next(!l.on) });
        io.paused[q]!.value = row.reduce((sum, l, k) => sum + (l.on ? 1 << k : 0), 0);
      });
      if (r.chance(0.002)) {
        b.sim.reset(1);
        for (const l of lists.flat()) l.age = 0;
      }
      await b.cycles(1);
      lists.forEach((row, q) =>
        row.forEach((l, k) => {
          const expired = (io.expired[q]!.num >> k) & 1;
          const wanted = l.age <= most ? 0 : l.age >= most + part ? 1 : undefined;
          if (wanted !== undefined && expired !== wanted)
            throw new Error(`port ${q}, class ${k} has expired ${expired} after ${l.age} cycles`);
          if (wanted === 1) risen++;
          if (wanted === 0) early++;
          l.age = l.on ? l.age + 1 : 0;
        }),
      );
    }
    expect(Math.min(risen, early)).toBeGreaterThan(cycles);
  };

describe("Pauses", () => {
  bench("parts of a cycle", dutOf("short"), { seed: 1 }, randomPauses("short", 2500));
  bench("parts of some cycles", dutOf("some"), { seed: 2 }, randomPauses("some", 4000));

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<ReturnType<typeof dutOf>["ports"]>): Promise<unknown> =>
      runBench(name, design, { wave: false, limitCycles: 20_000, seed: 3 }, randomPauses("some", 4000));
    test("and nothing without one", () => look("no fault", dutOf("some")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a part too many", "parts_2_1 > 5'd16", "parts_2_1 > 5'd17"],
      ["a part too few", "parts_3_3 > 5'd16", "parts_3_3 > 5'd15"],
      ["the pause of another class", "paused_1[2]", "paused_1[1]"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dutOf("some"), from, to)));
    });
  });
});
