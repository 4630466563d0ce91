import { describe, expect, it } from "vitest";
import { type FarBytes, FarStore } from "../../../designs/aifm/client/index.ts";
import { withMachine } from "../../../designs/aifm/rig/index.ts";
import { Random } from "../../../sim/index.ts";
import { withSourceFault } from "../../support/source-fault.ts";

const unitBytes = 32,
  units = 40;

/** Bytes that come and go after random times, without a node. */
function bytesOf(
  random: Random,
  o: { readonly fails?: () => boolean } = {},
): FarBytes & { readonly most: () => number } {
  const all = new Uint8Array(units * unitBytes),
    away = new Set<number>();
  // Units that the machine has, as far as the node knows: right where each of them is changed.
  let most = 0;
  // In turns of the queue of promises, not in milliseconds: the order is the same on every machine.
  const later = async (): Promise<void> => {
    for (let turns = random.between(0, 40); turns > 0; turns--) await Promise.resolve();
  };
  return {
    most: () => most,
    read: async (at, bytes) => {
      most = Math.max(most, away.add(at).size);
      await later();
      if (o.fails?.() === true) throw new Error("away");
      return all.slice(at, at + bytes);
    },
    write: async (at, data) => {
      const copy = data.slice();
      await later();
      if (o.fails?.() === true) throw new Error("away");
      all.set(copy, at);
      away.delete(at);
    },
  };
}

/** Several threads use one to three units at a time and add to a byte of each; a flat copy says what stands there. */
async function uses(
  store: FarStore,
  random: Random,
  each: number,
  threads: number,
  mayFail = false,
  writes = 0.5,
): Promise<number> {
  const flat = new Uint8Array(units * unitBytes);
  let failed = 0;
  const thread = async (): Promise<void> => {
    for (let n = 0; n < each; n++) {
      const many = random.between(1, 3),
        first = random.between(0, units - many),
        at = random.between(0, unitBytes - 1),
        write = random.chance(writes);
      await store
        .use(first, many, write ? "write" : "read", data => {
          for (const [i, bytes] of data.entries()) {
            const from = (first + i) * unitBytes;
            expect(bytes).toEqual(flat.subarray(from, from + unitBytes));
            if (write) bytes[at] = flat[from + at] = ((bytes[at] as number) + 1) & 0xff;
          }
        })
        .catch((e: unknown) => {
          if (!mayFail || !(e instanceof Error) || e.message !== "away") throw e;
          failed++;
        });
    }
  };
  await Promise.all(Array.from({ length: threads }, thread));
  expect(store.reserved).toBe(0);
  await store.flush().catch((e: unknown) => {
    if (!mayFail) throw e;
  });
  return failed;
}

const storeOf = (far: FarBytes, room: number): FarStore => new FarStore({ far, unitBytes, room });

describe("FarStore", () => {
  it.each([[3], [4], [8]])("bytes as in a flat memory with room for %d units, and never more", async room => {
    const random = new Random(7 + room),
      far = bytesOf(random),
      store = storeOf(far, room);
    await uses(store, random, 120, 5);
    const s = store.statistics;
    expect(s.most).toBe(room);
    expect(store.occupied).toBeLessThanOrEqual(room);
    for (const n of ["hits", "fetched", "evicted", "written"] as const) expect(s[n], n).toBeGreaterThan(5);
  });
  it("never more units than room, as the node sees it", async () => {
    const random = new Random(12),
      far = bytesOf(random);
    await uses(storeOf(far, 4), random, 120, 4, false, 1);
    expect(far.most()).toBe(4);
  });
  it("what fails holds nothing, and no change is lost", async () => {
    const random = new Random(3),
      far = bytesOf(random, { fails: () => random.chance(0.1) }),
      store = storeOf(far, 5);
    expect(await uses(store, random, 120, 4, true)).toBeGreaterThan(10);
    expect(store.statistics.refused).toBeGreaterThan(0);
  });
  it("uses that want all the room one after the other end", async () => {
    const far = bytesOf(new Random(1)),
      store = storeOf(far, 3),
      order: number[] = [];
    await Promise.all([0, 1, 2, 3].map(i => store.use(3 * i, 3, "write", () => order.push(i))));
    expect(order).toEqual([0, 1, 2, 3]);
    expect(store.reserved).toBe(0);
  });
  it("refuses a use of more units than there is room for, and goes on", async () => {
    const store = storeOf(bytesOf(new Random(1)), 2);
    await expect(store.use(0, 3, "read", () => 0)).rejects.toThrow("a use of 3 units: there is room for 2");
    expect(await store.use(0, 2, "read", d => d.length)).toBe(2);
  });
});

describe("planted faults", () => {
  const planted: readonly (readonly [what: string, from: string, to: string])[] = [
    ["a unit that goes is not written back", "if (unit.isDirty) await this.#writeBack(n, unit);", ""],
    ["a write leaves no mark", 'if (kind === "write") for (const u of all) u.isDirty = true;', ""],
    ["a unit goes while a use holds it", "if (unit.held > 0) continue;", ""],
    ["a use holds its units for ever", "for (const u of held) u.held--;", ""],
    ["a use that has ended keeps its right", "this.#reserved -= units;", ""],
    ["a unit on its way out has left its room", "this.#coming.size + this.#leaving.size;", "this.#coming.size;"],
    ["a unit is fetched while it is written back", "this.#leaving.get(n)?.catch(() => undefined) ??", ""],
    ["the neighbour is fetched", "far.read(n * unitBytes, unitBytes)", "far.read((n ^ 1) * unitBytes, unitBytes)"],
    [
      "a unit that was refused is gone",
      "this.#here.set(n, unit);\n        this.#count.refused++;",
      "this.#count.refused++;",
    ],
  ];
  it.each(planted)("%s", async (_, from, to) => {
    const { FarStore: Planted } = (await withSourceFault("designs/aifm/client", from, to)) as {
      FarStore: typeof FarStore;
    };
    const found = async (seed: number, fails: boolean): Promise<void> => {
      const random = new Random(seed),
        far = bytesOf(random, { fails: () => fails && random.chance(0.1) }),
        store = new Planted({ far, unitBytes, room: 4 });
      const over = uses(store, random, 80, 4, fails, 1),
        hang = new Promise<never>((_, no) => setTimeout(() => no(new Error("hangs")), 4000).unref());
      await Promise.race([over, hang]);
      if (!fails) expect(far.most()).toBeLessThanOrEqual(4);
    };
    const all = async (): Promise<void> => {
      for (const seed of [5, 6, 7, 8]) for (const fails of [false, true]) await found(seed, fails);
    };
    await expect(all()).rejects.toThrow();
  });
});

describe("FarStore at the memory node", () => {
  it("bytes as in a flat memory over lines that lose, double, swap and damage frames", () =>
    withMachine("objects", { seed: 4, gbps: 25, bytes: units * unitBytes, faults: 0.01 }, async m => {
      const store = storeOf(m.far, 6);
      await uses(store, new Random(9), 30, 3);
      expect(store.statistics.written).toBeGreaterThan(5);
    }));
});
