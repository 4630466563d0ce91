/** CLib against the cycle-accurate node, on a simulated network. */
import { describe, expect, test } from "vitest";
import type { Client, Thread } from "../../../../../designs/clio/client/index.ts";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { type CounterName, makeSettings } from "../../../../../designs/clio/config/index.ts";
import { endToEnd } from "../../../../../designs/clio/end-to-end/index.ts";
import type { LinkOptions } from "../../../../../sim/index.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { insist, onHardware, refused, type RunOptions, tenPercent } from "./on-hardware.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";
import { hangMs } from "../../../../support/hang-ms.ts";

const page = 1n << 22n;
/** Operations of the end-to-end run; more by the environment. */
const random = Number(process.env["MNEMO_OPERATIONS"] ?? 1200);
const fivePercent: LinkOptions = { loss: 0.05, duplicate: 0.05, reorder: 0.05, corrupt: 0.05, reorderNs: 1500 };
describe("plain reads and writes", () => {
  test("no faults: what is written is read, with round trips of the network and the node", () =>
    onHardware("clib", { seed: 1, clients: 1 }, async ({ clients, address, network, node }) => {
      const thread = (await clients[0]!.createProcess(address)).thread(),
        va = await thread.ralloc(4n * page),
        r = new Random(1);
      const data = r.bytes(20_000);
      await thread.rwrite(va + page - 10_000n, data);
      const from = network.time.now();
      expect(await thread.rread(va + page - 10_000n, 64)).toEqual(data.slice(0, 64));
      // Four links of 200 ns, and less than a microsecond for the node.
      expect(network.time.now() - from).toBeGreaterThan(800);
      expect(network.time.now() - from).toBeLessThan(1800);
      expect(await thread.rread(va + page - 10_000n, data.length)).toEqual(data);
      expect(clients[0]!.statistics).toMatchObject({ retries: 0, failed: 0, late: 0, unknown: 0, unfit: 0 });
      expect((await node.counters()).writes).toBe(BigInt(Math.ceil(data.length / 1444)));
    }));

  test("loss, duplication, reordering and corruption of 5 % each: reads and writes of 4 clients, allocation and freeing among them", () =>
    onHardware(
      "clib-faults",
      { seed: 2, clients: 4, link: fivePercent },
      async ({ clients, address, network, node }) => {
        const { pid } = await insist(() => clients[0]!.createProcess(address));
        const threads: readonly Thread[] = clients.map(c => c.process(pid, address).thread());
        const va = await insist(() => threads[0]!.ralloc(4n * page)),
          wrong: string[] = [];
        await Promise.all(
          threads.map(async (t, k) => {
            const r = new Random(k + 1),
              may = new Map<string, Set<number>>();
            for (let i = 0; i < 40; i++) {
              const at = va + BigInt(r.below(4)) * page + BigInt(k * 8192),
                key = at.toString();
              const length = r.pick([1, 64, 1444, 3000]),
                value = r.between(1, 255);
              // Every place holds one byte value throughout, so that a read of any length identifies its write.
              if (r.chance(0.5)) {
                const legal = may.get(key) ?? new Set([0]);
                const ok = await t.rwrite(at, new Uint8Array(3000).fill(value)).then(() => true, refused);
                may.set(key, ok ? new Set([value]) : new Set([...legal, value]));
              } else {
                const got = await t.rread(at, length).catch((e: unknown) => {
                  refused(e);
                  return undefined;
                });
                const legal = may.get(key) ?? new Set([0]),
                  bad = got?.findIndex(b => !legal.has(b)) ?? -1;
                if (bad < 0) continue;
                wrong.push(
                  `client ${k}: byte ${bad} at 0x${at.toString(16)} is ${got?.[bad] ?? 0}, not ${[...legal].join(" or ")}`,
                );
              }
            }
          }),
        );
        expect(wrong).toEqual([]);
        const counters = await node.counters(),
          count = (n: CounterName): number => Number(counters[n]);
        expect(count("nacks")).toBeGreaterThan(0);
        const sum = (n: keyof Client["statistics"]): number => clients.reduce((s, c) => s + c.statistics[n], 0);
        for (const n of ["timeouts", "nacks", "damaged", "retries", "late"] as const)
          expect(sum(n), n).toBeGreaterThan(0);
        expect(sum("failed")).toBeLessThan(sum("done") * 0.1);
        expect(network.totals.lost).toBeGreaterThan(20);
        expect(clients.map(c => c.pending)).toEqual([0, 0, 0, 0]);
      },
    ));
});

/**
 * Values that FAA found in one counter, by four clients of two threads each.
 * @throws when a number was found twice, or the end is not their sum
 */
async function count(
  o: RunOptions,
  each: number,
): Promise<{
  readonly done: number;
  readonly unknown: number;
  readonly counters: Readonly<Record<CounterName, bigint>>;
}> {
  return onHardware("clib-counter", o, async ({ clients, address, node }) => {
    const { pid } = await insist(() => clients[0]!.createProcess(address));
    const threads = clients.map(c => c.process(pid, address)).flatMap(p => [p.thread(), p.thread()]);
    const va = await insist(() => threads[0]!.ralloc(1)),
      found = new Set<bigint>();
    let unknown = 0;
    await Promise.all(
      threads.map(async t => {
        for (let i = 0; i < each; i++) {
          const got = await t.fetchAndAdd(va, 1n).catch((e: unknown) => {
            refused(e);
            unknown++;
            return undefined;
          });
          if (got !== undefined && found.has(got)) throw new Error(`${got} was found twice`);
          if (got !== undefined) found.add(got);
        }
      }),
    );
    const end = Number(await insist(() => threads[0]!.fetchAndAdd(va, 0n)));
    if (end < found.size || end > found.size + unknown) {
      throw new Error(
        `the counter is ${end} after ${found.size} additions that were done and ${unknown} that may have been`,
      );
    }
    return { done: found.size, unknown, counters: await node.counters() };
  });
}

describe("atomics, locks, fences", () => {
  test("FAA of eight threads adds up exactly under loss, duplication, reordering and corruption", async () => {
    const r = await count({ seed: 3, clients: 4, link: fivePercent }, 40);
    expect(r.done + r.unknown).toBe(320);
    expect(r.unknown).toBeLessThan(32);
    expect(Number(r.counters.retriesAnswered)).toBeGreaterThan(10);
  });
  test("a lock is held by one at a time, and what its holder wrote is there for the next", () =>
    onHardware("clib-lock", { seed: 4, clients: 3 }, async ({ clients, address }) => {
      const { pid } = await clients[0]!.createProcess(address),
        threads = clients.map(c => c.process(pid, address).thread());
      const va = await threads[0]!.ralloc(3n * page),
        lock = va + 2n * page;
      let inside = 0,
        most = 0;
      const added = 12;
      await Promise.all(
        threads.map(async t => {
          for (let i = 0; i < added; i++) {
            await t.rlock(lock);
            most = Math.max(most, ++inside);
            // Not atomic by itself: read, then write in two halves, asynchronously.
            const n = (await t.rread(va, 1))[0]! + 1;
            t.rwriteAsync(va, Uint8Array.of(n));
            t.rwriteAsync(va + page, Uint8Array.of(n));
            inside--;
            await t.runlock(lock);
          }
        }),
      );
      expect(most).toBe(1);
      expect([(await threads[0]!.rread(va, 1))[0], (await threads[1]!.rread(va + page, 1))[0]]).toEqual([
        3 * added,
        3 * added,
      ]);
      await threads[2]!.rfence();
    }));
  test(
    `${random} random operations end to end with 10 % loss, duplication, reordering and corruption each way, every result judged`,
    () =>
      onHardware("clib-random", { seed: 5, clients: 6, link: tenPercent }, async ({ clients, address }) => {
        const r = await endToEnd({ clients, address, seed: 5, operations: random });
        expect(r.problems).toEqual([]);
        expect(r.operations).toBeGreaterThanOrEqual(random);
        expect(r.done + [...r.failed.values()].reduce((a, b) => a + b, 0)).toBe(r.operations);
        expect(r.done).toBeGreaterThan(random * 0.8);
      }),
    hangMs + 10 * random,
  );

  // The run is only worth what it can see: each of these faults in the hardware must show in what the clients find.
  test.each([
    [
      "byte enables that are always on",
      /\.data_w_payload_strb +\(writer_w_payload_strb\)/,
      ".data_w_payload_strb ({64{1'b1}})",
    ],
    [
      "a crossing access that stays in the first page",
      /\? burst_ppns >> 9 : burst_ppns;/,
      "? burst_ppns : burst_ppns;",
    ],
    ["a repetition that is done again", /hits_0 = hits_0_sum\[15\];/, "hits_0 = 1'b0;"],
    [
      "an atomic that tells another number",
      /\.done_word +\(finish_done_word\),/,
      ".done_word (finish_done_word ^ 64'd1),",
    ],
  ])("the random operations see a planted fault of the hardware: %s", async (_what, from, to) => {
    const design = plant(clioNode(makeSettings().config), from, to);
    await findsFault(
      onHardware("clib-planted", { seed: 5, clients: 6, link: tenPercent, design }, ({ clients, address }) =>
        endToEnd({ clients, address, seed: 5, operations: 800 }),
      ).then(r => {
        if (r.problems.length > 0) throw new Error(r.problems[0]);
      }),
    );
  });
});
