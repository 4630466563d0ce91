/** Whatever stands in an offload's memory, each of its requests ends: damaged chains, entries that point anywhere. */
import { describe, expect, test } from "vitest";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import { ClioKv } from "../../../../designs/clio/offloads/kv/index.ts";
import { MultiVersion } from "../../../../designs/clio/offloads/mv/index.ts";
import { type ModelMemory } from "../../../../designs/clio/model/index.ts";
import { status } from "../../../../designs/clio/wire/index.ts";
import { designOf, type Random, runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { type KvKind, kvParameters, type KvPorts, KvRig, sameSlot } from "./kv-rig.ts";
import type { Bench } from "../../../../sim/index.ts";
import { MvRig } from "./support/mv-rig.ts";

const p = kvParameters({ mostLooks: 63 }),
  kv = ClioKv(p),
  pid = offloadPid(0),
  kinds: readonly KvKind[] = ["read", "create", "update", "delete"];

const bytesOf = (words: readonly bigint[]): Uint8Array => new Uint8Array(new BigUint64Array(words).buffer);
/** The words of memory from its first page on: any bits, or what could be an entry or a link to any unit of it. */
function damage(memory: ModelMemory, random: Random, bytes: number): void {
  const first = BigInt(memory.pageSize),
    units = bytes / 64;
  const word = (): bigint =>
    random.chance(0.2)
      ? random.bits(64)
      : random.chance(0.2)
        ? 0n
        : (1n << 63n) |
          (random.bits(8) << 55n) |
          (BigInt(random.between(0, 2047)) << 44n) |
          (first / 64n + BigInt(random.between(0, units - 1)));
  memory.store(pid, first, bytesOf(Array.from({ length: bytes / 8 }, word)));
}

/** A bucket whose link names the bucket itself. */
async function ring(b: Bench<KvPorts>): Promise<void> {
  const rig = new KvRig(b, p),
    keys = sameSlot(3, rig);
  rig.allowed.add(status.INVALID);
  for (const key of keys) await rig.alone("create", key, rig.value(40));
  const { slot } = rig.contents()[0] ?? { slot: 0n };
  rig.memory.store(pid, slot + 56n, bytesOf([(1n << 63n) | (slot / 64n)]));
  const other = sameSlot(9, rig)[8] as bigint;
  for (const kind of kinds)
    expect((await rig.alone(kind, other, rig.value(40))).status, `${kind} of a key that is not there`).toBe(
      status.INVALID,
    );
  expect((await rig.alone("read", keys[2] as bigint)).status, "a key that comes before the end").toBe(status.OK);
  // All contexts at once, and the blocks that the refused ones had taken are free again.
  const before = rig.allocations;
  for (let i = 0; i < 200; i++) rig.ask("create", other, rig.value(1000));
  await rig.host.drained();
  expect(rig.allocations - before, "ALLOCs for 200 refused values of 1,000 bytes, eight at a time").toBeLessThan(4);
  await rig.allBack();
}

describe("any content of its memory", () => {
  bench("Clio-KV: a chain that is a ring ends with INVALID, and nothing is lost by it", kv, { seed: 1 }, ring);
  for (const seed of [1, 2, 3])
    bench(`Clio-KV: random words in table and blocks, seed ${seed}`, kv, { seed, limitCycles: 4_000_000 }, async b => {
      const rig = new KvRig(b, p, { tolerant: true, jitter: 20 });
      for (let i = 0; i < 40; i++) rig.ask("create", BigInt(i), rig.value(i * 20));
      await rig.host.drained();
      const bytes = rig.memory.pageSize + rig.allocations * p.arenaBytes - p.arenaBytes;
      const ends = new Set<number>();
      for (let round = 0; round < 6; round++) {
        damage(rig.memory, b.random, bytes);
        const calls = Array.from({ length: 40 }, (_, i) =>
          rig.ask(b.random.pick(kinds), BigInt(i), rig.value(b.random.between(0, 1400))),
        );
        await rig.host.drained();
        for (const { call } of calls) {
          expect(call.replies.length).toBe(1);
          ends.add(call.replies[0]?.status as number);
        }
      }
      expect(ends, "the bound was met").toContain(status.INVALID);
      await rig.allBack();
    });
  test("planted: looks are not counted", () =>
    findsFault(
      runBench(
        "ring",
        plant(designOf(kv), /(?<=c_looks <= )c_looks \+ \d+'d1/, "c_looks"),
        {
          wave: false,
          seed: 1,
          limitCycles: 60_000,
        },
        ring,
      ),
      /60000|limit/i,
    ));

  const limits = { versions: 8, idBits: 6, arenaBytes: 32_768 },
    offload = { beatBytes: 64, contexts: 8, maxData: 1466 };
  for (const seed of [1, 2])
    bench(`Clio-MV: random words in map and arrays, seed ${seed}`, MultiVersion(offload, limits), { seed }, async b => {
      const rig = new MvRig(b, offload, limits, { tolerant: true });
      for (let i = 0; i < 8; i++) await rig.make(8 * (i + 1));
      for (let round = 0; round < 6; round++) {
        rig.memory.store(pid, BigInt(rig.memory.pageSize), b.random.bytes(1024));
        const calls = Array.from({ length: 40 }, () => {
          const object = b.random.between(1, 12);
          return b.random.pick([
            () => rig.create(b.random.between(1, 1466)),
            () => rig.append(object, b.random.bytes(8 * object)),
            () => rig.read(object, b.random.between(0, 9)),
            () => rig.latest(object),
            () => rig.remove(object),
          ])();
        });
        await rig.host.drained();
        for (const call of calls) expect(call.replies.length).toBe(1);
      }
    });
});
