import { describe, expect, test } from "vitest";
import { radixImage, RadixTree, treeBytes } from "../../../../designs/clio/applications/index.ts";
import { chase, type OffloadAnswer, type OffloadMemory } from "../../../../designs/clio/model/index.ts";
import { opcode, replyCode, status } from "../../../../designs/clio/wire/index.ts";
import { Random } from "../../../../sim/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { onNetwork, type Rig, type RigOptions } from "../client/rig.ts";

type Offloads = NonNullable<NonNullable<RigOptions["node"]>["offloads"]>;
const offloads: Offloads = (
  memory: OffloadMemory,
  pid: number,
  code: number,
  body: Uint8Array,
): OffloadAnswer | undefined => (code === opcode.POINTER_CHASE ? chase(memory, pid, code, body, 1466) : undefined);
/** Keys of which many share their first symbols. */
const someKey = (r: Random): bigint =>
  r.pick([r.bits(64), r.bits(12), 0xabcd_0000_0000_0000n + r.bits(10), (r.bits(6) << 58n) + r.bits(3)]);

/** Random insertions, new values and searches by two clients, against a map. */
async function againstMap(
  { clients: [a, b], address }: Rig,
  symbolBits: number,
  operations: number,
  seed: number,
): Promise<void> {
  const r = new Random(seed),
    nodes = 3000,
    process = await a!.createProcess(address),
    { tree, base } = await RadixTree.create(process.thread(), { nodes, symbolBits });
  const trees = [tree, RadixTree.open(b!.process(process.pid, address).thread(), base, { nodes, symbolBits })],
    map = new Map<bigint, bigint>();
  for (let i = 0; i < operations; i++) {
    const own = r.pick(trees),
      known = [...map.keys()],
      key = known.length > 0 && r.chance(0.4) ? r.pick(known) : someKey(r);
    if (r.chance(0.5)) {
      const value = r.bits(64);
      expect(await own.insert(key, value), `insertion ${i}`).toBe(!map.has(key));
      map.set(key, value);
    } else expect(await own.search(key), `search ${i}`).toBe(map.get(key));
  }
  for (const [key, value] of map) expect(await r.pick(trees).search(key)).toBe(value);
}

describe("RadixTree", () => {
  test.each([4, 8, 1])("symbols of %i bits: two clients against a map, on a network with faults", symbolBits =>
    onNetwork(
      {
        clients: 2,
        seed: symbolBits,
        node: { offloads },
        link: { loss: 0.01, duplicate: 0.05, reorder: 0.1, reorderNs: 3000 },
        limitNs: 1e10,
      },
      rig => againstMap(rig, symbolBits, symbolBits === 1 ? 40 : 160, 30 + symbolBits),
    ),
  );

  test("what has been inserted is found at any time while others insert", () =>
    onNetwork({ clients: 3, seed: 5, node: { offloads }, limitNs: 1e10 }, async ({ clients, address }) => {
      const r = new Random(6),
        nodes = 3000,
        process = await clients[0]!.createProcess(address),
        { base } = await RadixTree.create(process.thread(), { nodes }),
        map = new Map<bigint, bigint>();
      const trees = clients.map(c => RadixTree.open(c.process(process.pid, address).thread(), base, { nodes }));
      let writing = 2;
      const writer = async (tree: RadixTree): Promise<void> => {
        for (let i = 0; i < 60; i++) {
          const key = someKey(r);
          if (map.has(key)) continue;
          await tree.insert(key, key ^ 0xffn);
          map.set(key, key ^ 0xffn);
        }
        writing--;
      };
      let searched = 0;
      const reader = async (tree: RadixTree): Promise<void> => {
        while (writing > 0) {
          const key = map.size > 0 ? r.pick([...map.keys()]) : 0n,
            expected = map.get(key);
          expect(await tree.search(key)).toBe(expected ?? undefined);
          searched++;
        }
      };
      await Promise.all([writer(trees[0]!), writer(trees[1]!), reader(trees[2]!)]);
      expect(searched).toBeGreaterThan(100);
    }));

  test("a tree made as an image is the same; a search takes a round trip for each layer", () =>
    onNetwork({ seed: 7, node: { offloads }, limitNs: 1e10 }, async ({ client, address }) => {
      const r = new Random(8),
        nodes = 4000,
        thread = (await client.createProcess(address)).thread(),
        base = await thread.ralloc(treeBytes(nodes));
      const entries = new Map(Array.from({ length: 1000 }, () => [someKey(r), r.bits(64)] as const)),
        local = await radixImage(base, entries, { nodes });
      await thread.rwrite(base, local.image);
      const tree = RadixTree.open(thread, base, { nodes }),
        copy = new RadixTree(local);
      for (const key of [...[...entries.keys()].slice(0, 60), 0x1234_5678_9abc_def0n]) {
        const before = client.statistics.sent,
          found = await tree.find(key);
        expect(client.statistics.sent - before).toBe(found.layers);
        expect(found).toEqual(await copy.find(key));
        expect(found.value).toBe(entries.get(key));
      }
      expect(await tree.insert(0x1234_5678_9abc_def0n, 5n)).toBe(true);
      expect(await tree.search(0x1234_5678_9abc_def0n)).toBe(5n);
    }));

  test("a full tree says so and stays what it is", () =>
    onNetwork({ seed: 9, node: { offloads } }, async ({ client, address }) => {
      const thread = (await client.createProcess(address)).thread(),
        { tree } = await RadixTree.create(thread, { nodes: 4 });
      for (const key of [1n << 60n, 2n << 60n, 3n << 60n]) expect(await tree.insert(key, key)).toBe(true);
      await expect(tree.insert(4n << 60n, 0n)).rejects.toThrow(
        "the tree has room for 4 nodes and all are used: create it with more",
      );
      await expect(tree.insert((1n << 60n) + 1n, 0n)).rejects.toThrow("room for 4 nodes");
      expect(await tree.insert(2n << 60n, 7n)).toBe(false);
      expect(await Promise.all([1n, 2n, 3n, 4n].map(k => tree.search(k << 60n)))).toEqual([
        1n << 60n,
        7n,
        3n << 60n,
        undefined,
      ]);
      expect(() => tree.insert(-1n, 0n)).toThrow("-1 is no key: give a number from 0 to 2^64 - 1");
      expect(() => RadixTree.open(thread, 0n, { nodes: 1, symbolBits: 3 })).toThrow(
        "symbolBits is 3; give 1, 2, 4, 8 or 16",
      );
    }));

  test("a pointer chase that does not look at the last node of long lists is found", async () => {
    const short: Offloads = (memory, pid, code, body) => {
      let reads = 0;
      const answer = offloads(
        {
          access: a => {
            reads++;
            return memory.access(a);
          },
        },
        pid,
        code,
        body,
      );
      return reads > 6 && answer
        ? { status: status.FAIL, opcode: replyCode(opcode.POINTER_CHASE), body: new Uint8Array() }
        : answer;
    };
    await findsFault(
      onNetwork({ clients: 2, seed: 4, node: { offloads: short }, limitNs: 1e10 }, rig => againstMap(rig, 4, 160, 34)),
      /search|insertion/,
    );
  });
});
