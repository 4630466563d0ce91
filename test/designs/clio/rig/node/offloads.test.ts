/** CLib and the node with all its offloads: pointer chase, Clio-KV, Clio-MV, Clio-DF, over a simulated network. */
import { describe, expect, test } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { endToEnd } from "../../../../../designs/clio/end-to-end/index.ts";
import { clientEndpoint, FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { withNode } from "../../../../../designs/clio/rig/index.ts";
import { insist, onHardware, tenPercent } from "./on-hardware.ts";
import { Random } from "../../../../../hdl-dsl/index.ts";

const build = { offloads: "all" };
/** Operations of the run with faults; more by the environment. */
const operations = Number(process.env["MNEMO_OPERATIONS"] ?? 400);
const word = (v: bigint): Uint8Array => new Uint8Array(BigUint64Array.of(v).buffer);

describe("the node with all offloads", () => {
  test(`${operations} operations with 10 % loss, duplication, reordering and corruption each way, most of them on Clio-KV: linearizable, none twice`, () =>
    onHardware(
      "kv end to end",
      { seed: 5, clients: 4, link: tenPercent, build },
      async ({ clients, address, node }) => {
        const r = await endToEnd({ clients, address, seed: 5, operations, keyValue: 0.6, atomics: 0.15, keys: 12 });
        expect(r.problems).toEqual([]);
        expect(r.operations).toBe(r.done + [...r.failed.values()].reduce((a, b) => a + b, 0));
        expect(r.judgedOperations).toBeGreaterThan(operations / 2);
        expect(
          [...r.failed.keys()].filter(k => !["TIMEOUT", "NACK", "BUSY", "EXPIRED", "INVALID"].includes(k)),
        ).toEqual([]);
        // Every one came to the offload, was refused for want of room, or was a repetition; none
        // reached the software.
        const c = await node.counters();
        expect(Number(c.extendRequests)).toBeGreaterThan(operations / 4);
        expect(c.offload1Requests + c.offloadBusy + c.offloadRepeated).toBe(c.extendRequests);
        expect(Number(c.offloadRepeated)).toBeGreaterThan(0);
        expect(Number(c.offload1Accesses)).toBeGreaterThan(Number(c.offload1Requests));
      },
    ));

  test("the calls of CLib: chase, versions of objects, select and aggregate", () =>
    onHardware("offload calls", { seed: 6, clients: 1, build }, async ({ clients, address, node }) => {
      const thread = (await insist(() => clients[0]!.createProcess(address))).thread(),
        r = new Random(6),
        va = await thread.ralloc(1n << 23n);

      // A list of nodes: key, value, next.
      const nodes = Array.from({ length: 20 }, (_, i) => ({
        at: va + BigInt(64 * r.below(1000) + 64_000 * i),
        key: BigInt(1000 + i),
        value: BigInt(r.between(1, 1 << 30)),
      }));
      for (const [i, n] of nodes.entries())
        await thread.rwrite(n.at, Uint8Array.from([...word(n.key), ...word(n.value), ...word(nodes[i + 1]?.at ?? 0n)]));
      const chase = (key: bigint) =>
        thread.pointerChase({
          first: nodes[0]!.at,
          nodeBytes: 24,
          nextOffset: 16,
          key: { offset: 0, value: key },
          value: { offset: 8, bytes: 8 },
        });
      for (const i of [0, 7, 19])
        expect(await chase(nodes[i]!.key)).toEqual({ va: nodes[i]!.at, value: word(nodes[i]!.value) });
      expect(await chase(5n)).toBeUndefined();

      const object = await thread.mv.create(16),
        versions = Array.from({ length: 5 }, () => r.bytes(16));
      for (const [i, v] of versions.entries()) expect(await thread.mv.append(object, v)).toBe(i + 1);
      for (const [i, v] of versions.entries()) expect(await thread.mv.read(object, i + 1)).toEqual(v);
      expect(await thread.mv.latest(object)).toEqual({ version: 5, value: versions[4] });
      expect(await thread.mv.read(object, 6)).toBeUndefined();
      expect(await thread.mv.delete(object)).toBe(true);
      expect(await thread.mv.latest(object)).toBeUndefined();

      // 300 rows of 24 bytes: a byte to select by, a number of four bytes to add up.
      const at = va + (1n << 22n),
        rows = r.bytes(300 * 24),
        table = { va: at, rows: 300, rowBytes: 24 };
      for (let i = 0; i < rows.length; i += 1200) await thread.rwrite(at + BigInt(i), rows.slice(i, i + 1200));
      const chosen = Array.from({ length: 300 }, (_, i) => rows.slice(24 * i, 24 * i + 24)).filter(row => row[5]! < 80);
      const where = { field: { offset: 5, bytes: 1 }, is: "<", operand: 80n } as const;
      expect(await thread.df.select(table, where)).toEqual(Uint8Array.from(chosen.flatMap(row => [...row])));
      const values = chosen.map(row => BigInt(new DataView(row.buffer).getUint32(8, true)));
      expect(await thread.df.aggregate(table, where, { offset: 8, bytes: 4 })).toEqual({
        count: BigInt(values.length),
        sum: values.reduce((a, b) => a + b, 0n),
        min: values.reduce((a, b) => (a < b ? a : b)),
        max: values.reduce((a, b) => (a > b ? a : b)),
      });
      const c = await node.counters();
      expect([c.offload0Requests, c.offload1Requests, c.offload2Requests]).toEqual([4n, 0n, 15n]);
      expect(Number(c.offload3Requests)).toBeGreaterThanOrEqual(2);
      expect(c.offload0Accesses).toBe(1n + 8n + 20n + 20n);
    }));

  test("idle offloads cost the network nothing: the same frames are answered in the same cycles as without them", async () => {
    const run = (offloads: string) => {
      const settings = makeSettings({ offloads });
      return withNode("idle offloads", settings, { seed: 3, wave: false }, async node => {
        const client = new FrameClient(clientEndpoint(0), settings.runtime),
          r = new Random(3),
          page = BigInt(settings.config.pageSize);
        await node.slowPath.memory.allocate({ pid: 1, address: page, length: 4n * page, vregion: 0n, write: true });
        await node.settled();
        const begin = node.bench.cycle,
          out: { readonly cycle: number; readonly bytes: Uint8Array }[] = [];
        node.bench.onEdge({
          sample: () => {
            for (let f = node.take(); f !== undefined; f = node.take())
              out.push({ cycle: f.end - begin, bytes: f.bytes });
          },
        });
        for (let i = 0; i < 300; i++) {
          const va = page + BigInt(r.below(4)) * page + BigInt(r.below(1 << 21)),
            length = r.between(1, 1400);
          node.send(r.chance(0.5) ? client.read(1, va, length) : client.write(1, va, r.bytes(length)));
        }
        await node.bench.until(() => out.length === 300);
        return out;
      });
    };
    expect(await run("all")).toEqual(await run("none"));
  });
});
