import { describe, expect, it } from "vitest";
import { FarMemory, pageBytes, type QueuePair } from "../../../designs/fastswap/client/index.ts";
import { fastswapNode } from "../../../designs/fastswap/build/index.ts";
import { makeSettings } from "../../../designs/fastswap/config/index.ts";
import { measureFaults, pageOf, withPagedMachine } from "../../../designs/fastswap/rig/index.ts";
import type { NodePorts } from "../../../designs/clio/rig/index.ts";
import { type Design, designOf, Random } from "../../../sim/index.ts";

const settings = makeSettings(),
  options = { limit: 12, alpha: 4, window: 8 };

/** Uses of random pages by several threads; each adds to its page, and a flat copy says what stands there. */
async function uses(
  far: FarMemory,
  random: Random,
  o: { readonly pages: number; readonly each: number; readonly threads: number },
): Promise<void> {
  const flat = Array.from({ length: o.pages }, (_, p) => pageOf(p));
  const thread = async (): Promise<void> => {
    for (let n = 0; n < o.each; n++) {
      const page = random.between(0, o.pages - 1),
        at = random.between(0, pageBytes - 1),
        write = random.chance(0.4);
      await far.use(page, write ? "write" : "read", data => {
        const own = flat[page] as Uint8Array;
        if (data.some((b, i) => b !== own[i])) throw new Error(`page ${page} has other bytes`);
        if (write) own[at] = data[at] = ((data[at] as number) + 1) & 0xff;
      });
    }
  };
  await Promise.all(Array.from({ length: o.threads }, thread));
  await far.settled();
}

describe("FarMemory", () => {
  /** Pages that come and go after random times, without a node. */
  const pairOf = (pages: Map<number, Uint8Array>, random: Random): QueuePair => {
    const later = (): Promise<void> => new Promise(done => setTimeout(done, random.between(0, 3)));
    return {
      read: async page => {
        await later();
        return (pages.get(page) ?? pageOf(page)).slice();
      },
      write: async (page, data) => {
        const copy = data.slice();
        await later();
        pages.set(page, copy);
      },
    };
  };
  it("bytes as in a flat memory, and never more pages than the limit and alpha", async () => {
    const random = new Random(11),
      pair = pairOf(new Map(), random),
      far = new FarMemory({ critical: pair, bulk: pair, ...options });
    await uses(far, random, { pages: 40, each: 200, threads: 3 });
    const s = far.statistics;
    expect(s.most).toBeLessThanOrEqual(options.limit + options.alpha);
    expect(s.most).toBeGreaterThan(options.limit);
    for (const n of ["hits", "faults", "prefetched", "waitedForPrefetch", "written", "direct"] as const)
      expect(s[n], n).toBeGreaterThan(5);
    expect(far.occupied).toBeLessThanOrEqual(options.limit);
  });
  it("a page that could not be read is asked for again, and counts no longer", async () => {
    let fails = true;
    const pair: QueuePair = {
      read: page => (fails ? Promise.reject(new Error("the node is away")) : Promise.resolve(pageOf(page))),
      write: () => Promise.resolve(),
    };
    const far = new FarMemory({ critical: pair, bulk: pair, ...options });
    await expect(far.use(3, "read", () => 0)).rejects.toThrow("the node is away");
    await far.settled();
    expect(far.occupied).toBe(0);
    fails = false;
    expect(await far.use(3, "read", d => d[0])).toBe(3);
  });
});

describe("FarMemory, a node that takes no pages back", () => {
  it("nothing is lost, faults beyond alpha fail, and all goes on when it takes them again", async () => {
    const stored = new Map<number, Uint8Array>();
    let refuses = true;
    const pair: QueuePair = {
      read: page => Promise.resolve((stored.get(page) ?? pageOf(page)).slice()),
      write: async (page, data) => {
        await Promise.resolve();
        if (refuses) throw new Error("refused");
        stored.set(page, data.slice());
      },
    };
    const far = new FarMemory({ critical: pair, bulk: pair, limit: 2, alpha: 2, window: 1 });
    const add = (page: number): Promise<unknown> =>
      far.use(page, "write", d => {
        d[0] = 100 + page;
      });
    for (const page of [0, 1, 2, 3]) await add(page);
    await expect(add(4)).rejects.toThrow("refused");
    await far.settled();
    expect(far.statistics.refused).toBeGreaterThan(0);
    expect(far.occupied).toBe(4);
    refuses = false;
    for (const page of [4, 5]) await add(page);
    await far.settled();
    for (const page of [0, 1, 2, 3, 4, 5])
      expect(await far.use(page, "read", d => d[0]), `page ${page}`).toBe(100 + page);
  });
});

/** Against a hang: each builds and runs a whole node. */
describe("the memory node between two lanes", () => {
  it("pages come and go by two queue pairs over lines that lose, double, swap and damage frames", () =>
    withPagedMachine("paging", { seed: 5, settings, pages: 32, faults: 0.01 }, async m => {
      const far = new FarMemory({ ...options, critical: m.critical, bulk: m.bulk });
      await uses(far, new Random(3), { pages: 32, each: 25, threads: 2 });
      expect(far.statistics.most).toBeLessThanOrEqual(options.limit + options.alpha);
      expect(far.statistics.written).toBeGreaterThan(3);
    }));
  it("a fault that misses its window waits for a packet with two queues, for the window with one", async () => {
    const o = { seed: 2, settings, rounds: 2, window: 8 },
      two = await measureFaults("two queues", o),
      one = await measureFaults("fault first", o);
    const worst = (t: typeof two): number => Math.max(...t.second) - t.alone;
    expect(worst(two)).toBeLessThan(1_300);
    expect(worst(one)).toBeGreaterThan(15_000);
  });
  it("a planted fault is found: the lanes look at another bit than the machine sets", async () => {
    const design = designOf(fastswapNode(makeSettings({ classBit: 5 }))) as unknown as Design<NodePorts>,
      t = await measureFaults("two queues", { seed: 2, settings, rounds: 1, window: 8, design });
    expect(Math.max(...t.second) - t.alone).toBeGreaterThan(15_000);
  });
});
