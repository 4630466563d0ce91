/** The rates of the unit, and of software, in the meter of the merge: in force in time, and exact to a frame. */
import { describe, expect } from "vitest";
import { clockPeriod } from "../../../../../designs/supernic/config/index.ts";
import { drfFixed, type DrfProblem } from "../../../../../designs/supernic/drf/index.ts";
import { tableWrite } from "../../../../../designs/supernic/wire/index.ts";
import { type Bench, poke, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { entryOf } from "../../support/tables.ts";
import { dut as mergeDut, type Ports as MergePorts, MergeRig } from "../merge/support/merge-rig.ts";
import { DrfRig, dut } from "./support/drf-rig.ts";

/** A rate, so many cycles behind the end of the epoch. */
interface Due {
  readonly after: number;
  readonly user: number;
  readonly bytes: number;
}
/** The software's time, as the design page models it. */
const softwareTime = 3_000;
/** An epoch of 20 us in 64 parts, as far as whole cycles allow. */
const part = Math.floor(20_000 / clockPeriod / 64),
  epoch = 64 * part;

/** A lane of 64 units a byte, and a task that two users share. */
const problem = (demands: readonly number[], weights: readonly number[]): DrfProblem => ({
  floor: 64,
  capacities: [100_000 * 64, 40_000 * 128, 0, 0, 0, 0],
  users: demands.map((demand, i) => ({
    weight: weights[i] ?? 1,
    demand,
    vector: [64 * 256, i < 2 ? 128 * 256 : 0, 0, 0, 0, 0],
  })),
});
const epochs = [
  problem([200_000, 200_000, 200_000, 200_000], [1, 2, 1, 1]),
  problem([4_000, 200_000, 200_000, 0], [1, 1, 3, 1]),
  problem([200_000, 9_000, 30_000, 200_000], [1, 1, 1, 1]),
] as const;

/** Both ways: when the unit's rates come, and what software writes when its time is over. */
async function byUnit(): Promise<Due[][]> {
  const due: Due[][] = [];
  await runBench("rates for the meter", dut("small"), { wave: false, hangCycles: 3_000 }, async b => {
    const rig = new DrfRig(b, "small");
    for (const p of epochs) {
      const run = await rig.solve(p);
      due.push(
        run.rates.map((bytes, user) => ({ after: (run.cycles[user] ?? NaN) - (run.lastBeat ?? NaN), user, bytes })),
      );
    }
  });
  return due;
}
const bySoftware = (): Due[][] =>
  epochs.map(p =>
    drfFixed(p).rates.map((bytes, user) => ({ after: softwareTime / clockPeriod - 4 + user, user, bytes })),
  );

/** Everybody sends as much as it can; the bytes of each in the epoch that begins when its rate is in force. */
async function throttle(b: Bench<MergePorts>, due: readonly (readonly Due[])[]): Promise<void> {
  const rig = new MergeRig(b, "small");
  rig.stay = 10;
  const users = rig.users.map((u, i) => ({ ...u, class: i, limited: 1, bytes: 5_000 }));
  await rig.setUsers(users);
  const parts = rig.epochs(part);
  const fed = b.spawn(async () => {
    for (;;) {
      for (let u = 0; u < 4; u++)
        for (let i = 0; i < rig.p.ports; i++)
          while (rig.inlets.waitingAt(i, u) < 4) rig.put(i, u, b.random.between(60, rig.p.frameBytes));
      await b.cycles(1);
    }
  });
  await b.cycles(epoch);
  for (const rates of due) {
    const end = b.cycle;
    for (const { after, user, bytes } of rates) {
      while (b.cycle < end + after) await b.cycles(1);
      const { value } = tableWrite("user", user, { ...users[user], bytes });
      poke(b.io.users as never, { en: 1, index: user, value: entryOf("user", value) } as never);
      await b.cycles(1);
      b.io.users.en.value = 0;
    }
    const written = (b.cycle - end) * clockPeriod;
    expect(written, "nanoseconds until all rates are written").toBeLessThanOrEqual(softwareTime);
    // A part is under way; all that begin from here on are of the new rates, when the meter has been round.
    await b.cycles(part + 2 * rig.p.users);
    const from = [...rig.bytes];
    await b.cycles(epoch);
    for (const { user, bytes } of rates) {
      const taken = (rig.bytes[user] ?? 0) - (from[user] ?? 0);
      expect(Math.abs(taken - bytes), `user ${user}: ${taken} of ${bytes} bytes`).toBeLessThanOrEqual(
        rig.p.frameBytes + bytes / 64 + 1,
      );
    }
  }
  fed.cancel();
  await rig.setUsers(users.map(u => ({ ...u, limited: 0 })));
  parts.cancel();
  await b.cycles(1);
  b.io.epoch.value = 0;
  await rig.end();
}

describe("Merge with the rates of Drf", () => {
  bench(
    "of the unit: in force within 3 us, exact to a frame",
    mergeDut("small"),
    { seed: 2, hangCycles: 2_000 },
    async b => {
      await throttle(b, await byUnit());
    },
  );
  bench("of the software: the same", mergeDut("small"), { seed: 3, hangCycles: 2_000 }, async b => {
    await throttle(b, bySoftware());
  });
});
