/** The decision at its largest, place by place: in which cycle a candidate starts, and when its task's state counts. */
import { describe, expect, test } from "vitest";
import { Decision } from "../../../../../designs/supernic/rtl/index.ts";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

const p = { regions: 8, slots: 8, users: 2, credits: 3 } as const,
  dut = () => Decision(p);
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;

/** Cycles from `ready` to the look-up of the choice, and to its start. */
const looked = 3,
  starts = 4;

/** One candidate at each place after the other: its region, its slot and the one of its kinds that is there. */
async function places(b: B): Promise<void> {
  const { io, random: r } = b,
    all = p.regions * p.slots;
  for (let i = 0; i < all; i++) {
    io.limits[i]!.value = p.credits;
    io.ready[i]!.value = io.more[i]!.value = io.waits[i]!.value = 0;
  }
  for (const give of io.give) give.value = 0;
  io.refund.valid.value = 0;
  await b.cycles(2);
  for (let at = 0; at < all; at++) {
    const region = Math.floor(at / p.slots),
      slot = at % p.slots,
      user = r.below(p.users),
      kind = r.below(2),
      there = [0, 1].map(k => (k === kind ? 2 ** slot : 0));
    io.found.forEach((f, k) => {
      f.run.value = there[k]!;
      f.next.value = 0;
      f.over.value = 0;
    });
    // A task that is busy in the cycle of the look-up keeps it back, and in no other one.
    for (const isBusy of [false, true])
      for (let n = 0; n <= starts + 3; n++) {
        io.ready[at]!.value = n === 0 ? 2 ** user : 0;
        // Of its region all others are busy when its own is not.
        const own = (n === looked) === isBusy ? 2 ** slot : 2 ** p.slots - 1 - 2 ** slot;
        io.busy.forEach((busy, i) => (busy.value = i === region ? own : r.below(2 ** p.slots)));
        // What it took comes back.
        io.give[region]!.value = n === starts + 2 && !isBusy ? 2 ** slot : 0;
        await b.cycles(1);
        const started = n === starts && !isBusy,
          { start, choice } = io;
        expect(
          [choice.valid.num, start.valid.num, start.slots.num, io.held[at]!.num],
          `choice, start, slots and held ${n} cycles after slot ${slot} of region ${region}`,
        ).toEqual([
          ...[n === looked ? 1 : 0, started ? 1 : 0, started ? 2 ** slot : 0],
          ...[!isBusy && n > starts && n < starts + 3 ? 1 : 0],
        ]);
        if (choice.valid.num === 1)
          expect([choice.region.num, choice.slot.num, choice.user.num]).toEqual([region, slot, user]);
        if (started)
          expect([start.region.num, start.user.num, start.slow.num, start.short.num]).toEqual([region, user, kind, 0]);
      }
  }
}

describe("Decision", () => {
  bench("a candidate of any place starts after four cycles, unless its task is busy", dut(), { seed: 1 }, places);

  describe("a planted fault is found", () => {
    const look = (name: string, design: Dut<Ports>): Promise<unknown> =>
      runBench(name, design, { wave: false, seed: 2, limitCycles: 5_000 }, places);
    test("and nothing without one", () => look("no fault", dut()));
    test.each<readonly [string, string | RegExp, string]>([
      ["the task beside it is busy", /\.busy_5(\s+)\(busy_5\)/, ".busy_5$1({busy_5[6:0], busy_5[7]})"],
      ["a place is another's", /\.ready_63(\s+)\(ready_63\)/, ".ready_63$1(ready_62)"],
    ])("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
