/** Locks that a dead client does not keep: one holder at a time, and the next one soon after the last one's end. */
import { describe, expect, test } from "vitest";
import { takeLease } from "../../../../designs/clio/client/lease.ts";
import { OperationError } from "../../../../designs/clio/client/index.ts";
import { Random, SimulatedTime } from "../../../../sim/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { onNetwork, tenPercent } from "./rig.ts";

const leaseNs = 100_000;
/** Few losses: with two retries a request at 10 % is now and then given up. */
const link = { ...tenPercent, loss: 0.02, corrupt: 0.02 };

interface World {
  readonly time: SimulatedTime;
  word: bigint;
  readonly sleep: (ns: number) => Promise<void>;
}
function world(): World {
  const time = new SimulatedTime();
  return {
    time,
    word: 0n,
    sleep: ns =>
      new Promise<void>(resolve => {
        time.after(ns, resolve);
      }),
  };
}
/** How a client's exchanges reach the word. */
interface Way {
  /** Longest time there, and back, ns. */
  readonly delayNs?: number;
  /** Share of exchanges of which nothing is heard; half of them are done. */
  readonly lost?: number;
  /** From this time on nothing goes out. */
  diesAt?: number;
}
/** A client with a clock that runs by `rate`. */
function services(w: World, random: Random, way: Way = {}, rate = 1) {
  const { delayNs = 2000 } = way;
  return {
    clock: {
      now: () => w.time.now() * rate,
      after: (ns: number, action: () => void) => w.time.after(ns / rate, action),
    },
    random: () => random.fraction(),
    exchange: async (compare: bigint, swap: bigint): Promise<bigint> => {
      if (w.time.now() >= (way.diesAt ?? Infinity)) {
        await w.sleep(3 * delayNs);
        throw new OperationError("cas", "TIMEOUT", "unknown", "");
      }
      const fails = random.chance(way.lost ?? 0),
        isDone = !fails || random.chance();
      await w.sleep(random.between(1, delayNs));
      const found = w.word;
      if (isDone && found === compare) w.word = swap;
      await w.sleep(random.between(1, delayNs));
      if (fails) throw new OperationError("cas", "TIMEOUT", "unknown", "");
      return found;
    },
  };
}

interface Hold {
  readonly by: number;
  readonly from: number;
  until: number;
}
interface Crowd {
  readonly clients: number;
  readonly lost?: number;
  /** Clients that die while they hold the lock. */
  readonly dead?: number;
  readonly take?: typeof takeLease;
  readonly seed: number;
}
/** Clients that take, hold and release the lock over and over. @returns who believed to hold it, and when */
async function crowd(o: Crowd): Promise<Hold[]> {
  const w = world(),
    holds: Hold[] = [],
    take = o.take ?? takeLease;
  const client = async (by: number): Promise<void> => {
    const random = new Random(1000 * o.seed + by),
      way: Way = { lost: o.lost ?? 0 },
      // Clocks differ by 2 in 100.
      rate = 0.99 + 0.02 * random.fraction();
    for (let n = 0; n < 6;) {
      await w.sleep(random.between(1, leaseNs));
      const lease = await take(services(w, random, way, rate), { leaseNs }).catch((e: unknown) => {
        if (!(e instanceof OperationError)) throw e;
      });
      if (lease === undefined) continue;
      n++;
      const hold: Hold = { by, from: w.time.now(), until: w.time.now() },
        ends = w.time.now() + random.between(1, 4 * leaseNs);
      holds.push(hold);
      if (by < (o.dead ?? 0) && n === 2) way.diesAt = w.time.now() + random.between(1, leaseNs);
      while (w.time.now() < ends && lease.held) {
        hold.until = w.time.now();
        await w.sleep(1000);
      }
      if (way.diesAt !== undefined) {
        // It goes on believing for as long as its last renewal says so.
        while (lease.held) {
          await w.sleep(1000);
          hold.until = w.time.now();
        }
        return;
      }
      await lease.release().catch(() => undefined);
    }
  };
  await w.time.run(Promise.all(Array.from({ length: o.clients }, (_, i) => client(i))), { limitNs: 1e9 });
  return holds;
}
/** No two hold the lock at a time, and it goes on to the next within two leases. */
function judge(holds: readonly Hold[], leases = 3): void {
  const sorted = [...holds].sort((a, b) => a.from - b.from);
  for (const [i, h] of sorted.entries()) {
    const before = sorted[i - 1];
    if (before === undefined) continue;
    expect(before.until, `client ${h.by} has the lock at ${h.from} beside client ${before.by}`).toBeLessThanOrEqual(
      h.from,
    );
    expect(h.from - before.until, `time without a holder before client ${h.by}'s`).toBeLessThan(leases * leaseNs);
  }
}

describe("a lease", () => {
  test.each([1, 2, 3, 4, 5])("one holder at a time, network and clients sound, seed %i", async seed => {
    const holds = await crowd({ clients: 5, seed });
    expect(holds.length).toBe(30);
    judge(holds);
  });
  test.each([1, 2, 3, 4, 5])(
    "exchanges of which nothing is heard, and three clients that die with the lock, seed %i",
    async seed => {
      const holds = await crowd({ clients: 6, dead: 3, lost: 0.05, seed });
      expect(holds.length).toBe(3 * 6 + 3 * 2);
      judge(holds, 8);
    },
  );
  test("a dead client's lock is the next one's after one lease, and a living client's never", async () => {
    const w = world(),
      random = new Random(7),
      way: Way = {};
    await w.time.run(
      (async () => {
        const first = await takeLease(services(w, random, way), { leaseNs });
        // Alive for ten leases: nobody gets it.
        await expect(takeLease(services(w, random), { leaseNs, timeoutNs: 10 * leaseNs })).rejects.toThrow(
          /neither free/,
        );
        expect(first.held).toBe(true);
        way.diesAt = w.time.now();
        const died = w.time.now(),
          second = await takeLease(services(w, random), { leaseNs });
        expect([first.held, second.held]).toEqual([false, true]);
        expect(w.time.now() - died).toBeGreaterThan((leaseNs * 3) / 4);
        expect(w.time.now() - died).toBeLessThan(2 * leaseNs);
        // What the first does now reaches nobody.
        delete way.diesAt;
        expect(await first.release()).toBe(false);
        expect(await second.release()).toBe(true);
        expect([second.held, w.word]).toEqual([false, 0n]);
      })(),
      { limitNs: 1e8 },
    );
  });

  test.each<[string, (o: Parameters<typeof takeLease>) => Parameters<typeof takeLease>, RegExp]>([
    ["a word is given up after half of the time", ([s, o]) => [s, { ...o, leaseNs: o.leaseNs / 2 }], /beside client/],
    [
      "a lock is taken whatever stands there",
      ([s, o]) => [{ ...s, exchange: (c, w) => s.exchange(c, w).then(found => (c === 0n ? 0n : found)) }, o],
      /beside client/,
    ],
  ])("planted fault: %s", async (_, change, error) => {
    // Only some of the clients have it, or all agree on another length.
    const take: typeof takeLease = (s, o) => takeLease(...(s.random() < 0.5 ? change([s, o]) : ([s, o] as const)));
    await findsFault(
      (async () => {
        for (const seed of [1, 2, 3]) judge(await crowd({ clients: 6, dead: 2, lost: 0.05, seed, take }), 8);
      })(),
      error,
    );
  });

  test("through CLib on a network with faults: additions that are no atomics are all there", () =>
    onNetwork({ clients: 3, link, limitNs: 1e9 }, async ({ address, clients, client }) => {
      const first = await client.createProcess(address),
        thread = first.thread(),
        va = await thread.ralloc(8192),
        times = 8;
      const add = async (i: number): Promise<void> => {
        const t = clients[i]!.process(first.pid, address).thread();
        for (let n = 0; n < times; n++) {
          const lease = await t.rlease(va, { leaseNs: 2e6 }),
            old = new DataView((await t.rread(va + 4096n, 8)).slice().buffer).getBigUint64(0, true),
            bytes = new Uint8Array(8);
          new DataView(bytes.buffer).setBigUint64(0, old + 1n, true);
          await t.rwrite(va + 4096n, bytes);
          expect(lease.held).toBe(true);
          expect(await lease.release()).toBe(true);
        }
      };
      await Promise.all(clients.map((_, i) => add(i)));
      expect((await thread.rread(va + 4096n, 1))[0]).toBe(times * clients.length);
      expect(() => thread.rlease(va, { leaseNs: 0 })).toThrow(/leaseNs = 0/);
    }));
});
