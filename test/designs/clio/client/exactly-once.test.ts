/** T4 on a bad network: every operation ends, right or in an error, and nothing is done twice. */
import { describe, expect, test } from "vitest";
import { type Client, type NodeAddress, OperationError, type Thread } from "../../../../designs/clio/client/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { asNew } from "./model-station.ts";
import { onNetwork, type RigOptions, tenPercent } from "./rig.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const page = 1n << 22n;

/** The result, or how it failed; any other error is one of the test. */
async function outcome<T>(p: Promise<T>): Promise<{ readonly value: T } | { readonly failed: OperationError }> {
  try {
    return { value: await p };
  } catch (failed) {
    if (failed instanceof OperationError) return { failed };
    throw failed;
  }
}
/** An answer at last: for set-up, which no test is about. */
async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < 50; tries++) {
    const o = await outcome(attempt());
    if ("value" in o) return o.value;
  }
  throw new Error("50 operations one after another have failed");
}
/** Two threads for each client, of one process that has `pages` pages. */
async function shared(
  clients: readonly Client[],
  address: NodeAddress,
  pages: number,
): Promise<{ readonly threads: readonly Thread[]; readonly va: bigint }> {
  const { pid } = await insist(() => clients[0]!.createProcess(address));
  const processes = clients.map(c => c.process(pid, address)),
    first = processes[0]!.thread();
  const va = await insist(() => first.ralloc(BigInt(pages) * page));
  return { threads: processes.flatMap(p => [p.thread(), p.thread()]), va };
}
const sum = (clients: readonly Client[], name: keyof Client["statistics"]): number =>
  clients.reduce((n, c) => n + c.statistics[name], 0);

/**
 * Concurrent FAA on few counters: the numbers found are all different, and no more are missing than had
 * an unknown outcome.
 */
async function counters(
  o: RigOptions,
  each = 120,
): Promise<{ readonly done: number; readonly unknown: number; readonly answered: number }> {
  return onNetwork({ clients: 4, limitNs: 1e11, ...o }, async ({ clients, address, node }) => {
    const { threads, va } = await shared(clients, address, 3),
      unknown = [0, 0, 0];
    const found = [new Map<bigint, number>(), new Map<bigint, number>(), new Map<bigint, number>()];
    await Promise.all(
      threads.map(async (t, k) => {
        for (let i = 0; i < each; i++) {
          const c = (i + k) % 3,
            result = await outcome(t.fetchAndAdd(va + BigInt(c) * page, 1n));
          if ("failed" in result) {
            if (result.failed.outcome === "unknown") unknown[c]!++;
            continue;
          }
          if (found[c]!.has(result.value)) throw new Error(`counter ${c}: ${result.value} was found twice`);
          found[c]!.set(result.value, k);
        }
      }),
    );
    for (let c = 0; c < 3; c++) {
      const value = Number(await insist(() => threads[0]!.fetchAndAdd(va + BigInt(c) * page, 0n))),
        done = found[c]!.size;
      if (value < done || value > done + unknown[c]!) {
        throw new Error(
          `counter ${c} is ${value} after ${done} additions that were done and ${unknown[c]!} that may have been`,
        );
      }
      const beyond = [...found[c]!.keys()].find(seen => seen >= BigInt(value));
      if (beyond !== undefined) throw new Error(`counter ${c} is ${value}, and ${beyond} was found in it`);
    }
    expect(clients.map(c => c.pending)).toEqual(clients.map(() => 0));
    const answered = node.model.node.counters.retriesAnswered;
    return { done: found.reduce((n, f) => n + f.size, 0), unknown: unknown.reduce((a, b) => a + b), answered };
  });
}

describe("10 % loss, duplication, reordering and corruption each way", () => {
  test("FAA counters add up exactly", async () => {
    const r = await counters({ seed: 11, link: tenPercent });
    expect(r.done + r.unknown).toBe(8 * 120);
    expect(r.done).toBeGreaterThan(8 * 120 * 0.9);
    // The run met what it is about: operations that were done and whose answer came to a retry.
    expect(r.answered).toBeGreaterThan(50);
  });
  test("planted fault: a node that executes retries is caught", () =>
    findsFault(
      counters({ seed: 11, link: tenPercent, node: { alter: asNew } }),
      /found twice|additions that were done/,
    ));

  /** Two clients write one word in turns: a write that is done again later undoes the other's. */
  const turns = (o: RigOptions): Promise<number> =>
    onNetwork({ clients: 2, limitNs: 1e11, ...o }, async ({ clients, address }) => {
      const { threads, va } = await shared(clients, address, 1);
      let known: number | undefined = 0,
        checked = 0;
      for (let i = 1; i <= 400; i++) {
        const writer = threads[(i % 2) * 2]!,
          reader = threads[((i + 1) % 2) * 2]!;
        const wrote = await outcome(writer.rwrite(va, Uint8Array.of(i & 0xff, i >> 8)));
        known = "value" in wrote ? i : undefined;
        const read = await outcome(reader.rread(va, 2));
        if ("failed" in read || known === undefined) continue;
        const got = read.value[0]! + read.value[1]! * 256;
        if (got !== known) throw new Error(`write ${known} is done, and ${got} is read`);
        checked++;
      }
      return checked;
    });
  // Frames may be late by more than TIMEOUT: the retry overtakes the first.
  const late = { ...tenPercent, reorder: 0.3, reorderNs: 60_000 };
  test("a write takes effect once: none is undone by a late copy of an earlier one", async () => {
    expect(await turns({ seed: 5, link: late })).toBeGreaterThan(300);
  });
  test("planted fault: a node that executes retries undoes writes", () =>
    findsFault(turns({ seed: 5, link: late, node: { alter: asNew } }), /is done, and/));

  test("a mixture of all calls ends, each right or in an error", () =>
    onNetwork({ seed: 21, clients: 4, link: tenPercent, limitNs: 1e11 }, async ({ clients, address, network }) => {
      const { threads, va } = await shared(clients, address, 4),
        r = new Random(21);
      // Each thread has bytes of its own in pages that all share. A byte has one possible value, or several after a
      // write of unknown outcome.
      let wrong = "",
        done = 0,
        failed = 0;
      await Promise.all(
        threads.map(async (t, k) => {
          const may = new Map<number, Set<number>>(),
            own = (at: number): bigint => va + BigInt(at % 4) * page + BigInt(k * 8192 + (at >> 2));
          for (let i = 0; i < 60; i++) {
            const at = r.below(4),
              length = r.pick([1, 8, 1444, 4000]),
              value = r.between(1, 255);
            const write = (): Promise<undefined> =>
              t.rwrite(own(at), new Uint8Array(length).fill(value)).then(() => undefined);
            const result = await outcome<Uint8Array | undefined>(r.chance(0.5) ? t.rread(own(at), length) : write());
            if ("failed" in result) failed++;
            else done++;
            if ("value" in result && result.value !== undefined) {
              result.value.forEach((b, j) => {
                const legal = may.get(at * 8192 + j) ?? new Set([0]);
                if (!legal.has(b))
                  wrong ||= `thread ${k}: byte ${j} of place ${at} is ${b}, not ${[...legal].join(" or ")}`;
              });
              continue;
            }
            if ("failed" in result && result.failed.operation === "READ") continue;
            for (let j = 0; j < length; j++) {
              const before = "failed" in result ? (may.get(at * 8192 + j) ?? [0]) : [];
              may.set(at * 8192 + j, new Set([...before, value]));
            }
          }
        }),
      );
      expect(wrong).toBe("");
      expect(done + failed).toBe(8 * 60);
      expect(failed).toBeLessThan(done * 0.2);
      const s = network.totals;
      for (const name of ["lost", "duplicated", "reordered", "corrupted"] as const)
        expect(s[name], name).toBeGreaterThan(100);
      for (const name of ["timeouts", "nacks", "damaged", "late", "retries"] as const)
        expect(sum(clients, name), name).toBeGreaterThan(10);
    }));

  test("the same seed is the same run", async () => {
    const run = (): Promise<unknown> =>
      onNetwork({ seed: 33, clients: 2, link: tenPercent }, async ({ clients, address, network, time }) => {
        const { threads, va } = await shared(clients, address, 1);
        await Promise.all(
          threads.map(async (t, k) => {
            for (let i = 0; i < 20; i++) await outcome(t.fetchAndAdd(va + BigInt(8 * (k % 2)), 1n));
          }),
        );
        return { now: time.now(), clients: clients.map(c => c.statistics), network: network.totals };
      });
    expect(await run()).toEqual(await run());
  });
});

test("paper Figure 4.2: two threads, a lock, asynchronous writes, a synchronous read", () =>
  onNetwork(
    { seed: 42, link: { loss: 0.05, duplicate: 0.1, reorder: 0.2 }, clients: 2 },
    async ({ clients, address }) => {
      const {
          threads: [thread1, , thread2],
          va,
        } = await shared(clients, address, 2),
        len = 2000;
      const remoteAddr = va,
        lock = va + page,
        buffer1 = new Uint8Array(len).fill(1),
        buffer2 = new Uint8Array(len).fill(2);
      const first = async (t: Thread): Promise<void> => {
        await t.rlock(lock);
        const e = [t.rwriteAsync(remoteAddr, buffer1), t.rwriteAsync(remoteAddr + BigInt(len), buffer2)];
        await t.runlock(lock);
        await t.rpoll(e);
      };
      const second = async (t: Thread): Promise<Uint8Array> => {
        await t.rlock(lock);
        const data = await t.rread(remoteAddr, 2 * len);
        await t.runlock(lock);
        return data;
      };
      const [, read] = await Promise.all([first(thread1!), second(thread2!)]);
      // All of the critical section or nothing of it.
      const before = new Uint8Array(2 * len),
        after = new Uint8Array([...buffer1, ...buffer2]);
      expect([before, after]).toContainEqual(read);
      expect(await second(thread2!)).toEqual(after);
    },
  ));
