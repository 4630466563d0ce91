import { describe, expect, test } from "vitest";
import { type Bench, type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { dut, PickRig, type Ports, type Size, sizes } from "./support/pick-rig.ts";

type B = Bench<Ports>;

/** Few and many candidates, with and without lacks; then with turns that go on at later slots. */
async function life(b: B, size: Size, cycles = 400): Promise<PickRig> {
  const rig = new PickRig(b, size);
  for (const later of [0, 0.5]) {
    rig.laterMoves = later;
    for (const busy of [0.9, 0.2])
      for (const lacking of [0, 0.3, 0.8]) await rig.traffic(cycles / 6, { busy, lacking });
    await rig.end();
  }
  return rig;
}
async function resets(b: B, size: Size): Promise<void> {
  const rig = new PickRig(b, size);
  for (let round = 0; round < 25; round++) {
    await rig.traffic(b.random.between(1, 30), { busy: 0.8, lacking: 0.2 });
    rig.reset();
  }
  await rig.end();
}
/** Keeps some users at some slots from running out, and gives the starts of each in so many cycles. */
async function starts(rig: PickRig, who: readonly (readonly [number, number])[], cycles: number): Promise<number[]> {
  for (let n = -20; n < cycles; n++) {
    if (n === 0) for (const s of rig.started) s.fill(0);
    for (const [at, user] of who) rig.waiting[at]![user] = 5;
    await rig.cycle();
  }
  return who.map(([at, user]) => rig.started[at]![user]!);
}

describe("PickTurn", () => {
  for (const size of Object.keys(sizes) as Size[]) {
    bench(
      `${size}: each choice and each turn in every cycle, under lacks and later slots`,
      dut(size),
      { seed: 3 },
      async b => {
        const { met } = await life(b, size, size === "largest" ? 200 : 400);
        if (size === "small") expect(Math.min(met.lacks, met.gone, met.starts, met.later)).toBeGreaterThan(10);
      },
    );
    if (size !== "largest") bench(`${size}: a reset beside traffic`, dut(size), { seed: 4 }, b => resets(b, size));
  }

  bench("3 cycles to a choice, 4 until it is due; one user alone starts every cycle", dut("full"), {}, async b => {
    const rig = new PickRig(b, "full"),
      seen: [number, number][] = [];
    await rig.cycle();
    rig.waiting[6]![9] = 100;
    for (let n = 0; n < 50; n++) {
      await rig.cycle();
      seen.push([b.io.choice.valid.num, b.io.due.valid.num]);
    }
    expect(seen.slice(0, 5)).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
      [1, 0],
      [1, 1],
    ]);
    expect(rig.started[6]![9]).toBe(50 - 4);
    await rig.end();
  });
  bench("one candidate takes one decision, and two of two users four at most", dut("full"), {}, async b => {
    const rig = new PickRig(b, "full");
    for (let n = 0; n < 5; n++) {
      rig.waiting[3]![n] = 1;
      await rig.end();
    }
    expect(rig.met).toMatchObject({ starts: 5, gone: 0 });
    rig.waiting[3]![0] = rig.waiting[3]![4] = 1;
    await rig.end();
    expect(rig.met.starts).toBe(7);
    expect(rig.met.gone).toBeLessThanOrEqual(4);
  });

  describe("shares, of those who always have more", () => {
    const same = (list: readonly number[]): void => expect(Math.max(...list) - Math.min(...list)).toBeLessThan(2);
    for (const users of [2, 3, 5, 16])
      bench(`${users} users of a slot start equally often`, dut("full"), {}, async b => {
        const list = await starts(
          new PickRig(b, "full"),
          Array.from({ length: users }, (_, i) => [5, (i * 3) % 16]),
          240,
        );
        same(list);
        expect(list.reduce((a, c) => a + c)).toBe(240);
      });
    for (const slots of [2, 3, 7, 16])
      bench(
        `${slots} slots of any regions start equally often, however many users they have`,
        dut("full"),
        {},
        async b => {
          const at = Array.from({ length: slots }, (_, i) => (i * 5) % 16),
            who = at.flatMap((place, i) =>
              Array.from({ length: i === 0 ? 4 : 1 }, (_, u): [number, number] => [place, u]),
            );
          const list = await starts(new PickRig(b, "full"), who, 480);
          same([list.slice(0, 4).reduce((a, c) => a + c), ...list.slice(4)]);
        },
      );
    bench("two users of a slot that has a few credits now and then start equally often", dut("full"), {}, async b => {
      // What made 2 to 1 of equal users: a few credits at once, an odd number of them.
      for (const credits of [1, 2, 3, 4, 5, 7]) {
        const rig = new PickRig(b, "full"),
          of = (u: number): number => rig.started[0]![u]!;
        for (let n = 0; n < 40 * 15; n++) {
          const left = credits * (1 + Math.floor(n / 15)) - of(2) - of(9);
          for (const u of [2, 9]) {
            rig.waiting[0]![u] = 5;
            rig.lacks[0]![u] = left === 0;
          }
          await rig.cycle();
        }
        same([of(2), of(9)]);
        expect(of(2) + of(9)).toBe(40 * credits);
        rig.reset();
      }
    });
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<unknown>)[] = [b => life(b, "small"), b => resets(b, "small")];
      for (const [i, run] of runs.entries()) await runBench(`${name} ${i}`, design, { wave: false, seed: 5 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["the lowest slot first", /slot_later = [^;]*;/, "slot_later = 4'd0;"],
      ["the lowest user first", /user_later = [^;]*;/, "user_later = 3'd0;"],
      ["the choice just ahead is not looked at", "again ? chosen_user", "1'b0 ? chosen_user"],
      ["the choice just ahead counts at every slot", "again ? chosen_user", "chosen_valid ? chosen_user"],
      ["a choice just ahead counts that was taken back", /is_chosen = [^;]*;/, "is_chosen = |picked_at;"],
      ["a choice two ahead is not looked at", "chosen_at[1] ? chosen_user : due_at", "1'b0 ? chosen_user : due_at"],
      ["a choice that is due is not looked at", "due_at[2] ? due_now_user", "1'b0 ? due_now_user"],
      [
        "a choice behind one that lacks something stays: next to it",
        "due_valid = due_now_valid & due_stays",
        "due_valid = due_now_valid",
      ],
      ["the same: looked up", "stays = ~(|(chosen_at & lacks_at))", "stays = 1'b1"],
      ["the same: chosen", "picked_at & (lacks_at | lacked_at)", "picked_at & lacked_at"],
      ["the same: picked", "picked_at & (lacks_at | lacked_at)", "picked_at & lacks_at"],
      ["a lack takes back other slots' choices", "lacks_at = was_due_at & {4{lacks}}", "lacks_at = {4{lacks}}"],
      [
        "a choice that was taken back is due",
        "due_now_valid <= chosen_valid & chosen_stays",
        "due_now_valid <= chosen_valid",
      ],
      ["one candidate is chosen twice", /under_way = [^;]*;/, "under_way = 4'd0;"],
      ["one candidate is chosen while its start is not seen yet", " | was_due_at;", ";"],
      ["one candidate is chosen beside its start", " | due_at | was_due_at;", " | was_due_at;"],
      ["a second user is not seen", /two_2_0 <=\s[^;]*;/, "two_2_0 <= |(ready_2[1:0] & more_2[1:0]);"],
      ["two users are one, when they are in different halves", "(any_2_0 & any_2_1)", "1'b0"],
      ["a second candidate of a user is not seen", /two_1_0 <=\s[^;]*;/, "two_1_0 <= &ready_1[1:0];"],
      ["a reset leaves a choice", "chosen_valid <= 1'b0;", ""],
      ["the slots' turn is not reset", /if \(rst\) slots_behind <= 4'd0;/, "if (1'b0) slots_behind <= 4'd0;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
  });
});
