/** Fair shares of a device whose chains come and go: software's tables, weights by CTRL, scaling by intended load. */
import { describe, expect, it } from "vitest";
import { encode } from "../../../../designs/shared/wire/index.ts";
import { resourceNumbers } from "../../../../designs/supernic/rig/device/index.ts";
import { deviceSizes } from "../../../../designs/supernic/build/index.ts";
import { resourcePlaces, type TableWrite, tableWrite, weightBody } from "../../../../designs/supernic/wire/index.ts";
import {
  frameBytes,
  parameters,
  setup,
  type UserName,
  users,
  type UsersDevice,
  withUsers,
} from "./support/users-device.ts";

const slow = ["delay(8,40)"],
  { epoch } = setup,
  floor = parameters.mtuFrame,
  names = ["alice", "bob"] as const;
type ByUser<T> = Record<UserName, T>;
type Seen = ByUser<{ readonly taken: number; readonly rate: number }[]>;

const both = async (t: UsersDevice): Promise<ByUser<number>> => ({
  alice: await t.dag("alice", ...slow),
  bob: await t.dag("bob", ...slow),
});
/** Both ask for more than a task does. @returns of some epochs, what was let in of each, and its rate */
async function sharing(t: UsersDevice, uid: ByUser<number>, epochs: number): Promise<Seen> {
  const { driver, bench } = t.device,
    seen: Seen = { alice: [], bob: [] },
    from = bench.cycle;
  for (let i = 0; i < epochs; i++) {
    await t.run(from + (i + 1) * epoch - bench.cycle, { alice: 40, bob: 40 }, uid);
    for (const name of names) {
      const { taken, rate } = await driver.fair(users[name].number);
      seen[name].push({ taken, rate });
    }
  }
  return seen;
}
const sum = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0);
/** @returns a sentence for each thing that is not as the weights say: rates beyond the floor, bytes over all epochs */
function wrongShares(seen: Seen, weights: ByUser<number>): string[] {
  const list: string[] = [];
  for (const name of names) {
    const took = sum(seen[name].map(s => s.taken)),
      had = sum(seen[name].map(s => s.rate));
    if (Math.abs(took - had) > frameBytes + had / 64) list.push(`${name} brought ${took} of ${had} bytes`);
  }
  for (const [i, a] of seen.alice.entries()) {
    const b = seen.bob[i]?.rate ?? 0,
      wanted = weights.alice / weights.bob;
    if (b < 2 * floor) list.push(`bob's rate is ${b}: hardly more than his floor`);
    else if (Math.abs((a.rate - floor) / (b - floor) / wanted - 1) > 2 ** -9)
      list.push(`rates ${a.rate} and ${b} are not ${wanted} : 1`);
  }
  return list;
}
/** Epochs until a user has used up the share that his meter saves; the task leaves him little more than his rate. */
const settles = 12;
/** A place of the memory of vectors, of a user who never sends: what it held before software came. */
const stale = tableWrite("firstUse", resourcePlaces * 3 + resourceNumbers(deviceSizes(parameters)).reads, {
  use: 7_744_271,
});
/** A run in which alice asks for a weight of 3. @param keeps what of the software's writes comes to the device */
async function weighted(name: string, keeps: (e: TableWrite) => boolean = () => true): Promise<Seen> {
  let seen: Seen = { alice: [], bob: [] };
  const problems = await withUsers(
    name,
    async t => {
      const { driver } = t.device,
        { shares, manager } = t.managed,
        write = driver.write.bind(driver);
      await write([stale]);
      Object.assign(driver, { write: (entries: readonly TableWrite[]) => write(entries.filter(keeps)) });
      await shares.start(manager.chains);
      const uid = await both(t);
      await t.run(2 * epoch, { alice: 100, bob: 100 }, uid);
      t.ask("alice", "WEIGHT", encode(weightBody, { weight: 3 }));
      await t.run(settles * epoch, { alice: 40, bob: 40 }, uid);
      expect(shares.weightOf(users.alice.number)).toBe(3);
      seen = await sharing(t, uid, 4);
      // What waits leaves, also where the fault left next to nothing for it.
      Object.assign(driver, { write });
      await shares.start(manager.chains);
      await t.rest();
      // Full queues have dropped frames, as the senders mind no pause: the census and the counters account for them.
      return [];
    },
    { fair: true },
  );
  expect(problems).toEqual([]);
  return seen;
}

describe("WEIGHT", () => {
  it("counts from CTRL to the meter: of what two users get beyond their floors, one has three times as much", async () => {
    const seen = await weighted("weight");
    expect(wrongShares(seen, { alice: 3, bob: 1 })).toEqual([]);
    expect(wrongShares(seen, { alice: 2, bob: 1 })).not.toEqual([]);
  });
  it("a planted fault is found: the weight does not come to the device", async () => {
    const seen = await weighted("weight lost", e => e.table !== "weight" || e.value !== 3n);
    expect(wrongShares(seen, { alice: 3, bob: 1 })).not.toEqual([]);
  });
  it("a planted fault is found: a user who never sends keeps what the device's memory held of him", async () => {
    const seen = await weighted("stale", e => e.table !== "firstUse" || e.index !== stale.index);
    expect(wrongShares(seen, { alice: 3, bob: 1 })).not.toEqual([]);
  });
});

describe("scaling by intended load", () => {
  /** Epochs of a period. */
  const period = 3;
  it("sees overload in front of the meter, scales out into a free region, and back in", async () => {
    const problems = await withUsers(
      "intended",
      async t => {
        const { manager } = t.managed,
          uid = await both(t),
          chain = manager.chainFor(slow, found => found.length === 1),
          [first] = manager.chains;
        if (chain === undefined || first === undefined) throw new RangeError("there are chains");
        await t.run(2 * epoch, { alice: 100, bob: 100 }, uid);
        // Nobody uses the first chain: its region is free for a second instance.
        await manager.stop(first);
        await manager.erase(0);
        const loop = t.managed.scaling(period),
          epochs = async (n: number, every: number): Promise<void> => {
            for (let i = 0; i < n; i++) {
              await t.run(epoch, { alice: every, bob: every }, uid);
              await loop.epoch();
            }
          };
        await epochs(2 * period, 160);
        expect(loop.done.out).toBe(0);
        await epochs(3 * period, 60);
        expect(loop.done.out).toBe(1);
        expect(chain.regions).toHaveLength(2);
        await epochs(4 * period, 200);
        expect([loop.done.out, loop.done.in]).toEqual([1, 1]);
        expect(chain.regions).toHaveLength(1);
        await t.rest();
        return t.scoreboard.finish();
      },
      { fair: true },
    );
    expect(problems).toEqual([]);
  });
});
