import { expect } from "vitest";
import { kvHash, KvModel, type KvPlacing, ModelMemory } from "../../../../designs/clio/model/index.ts";
import { forgetOpcode, offloadPid } from "../../../../designs/clio/offload/index.ts";
import { type KvParameters, largestValue } from "../../../../designs/clio/offloads/kv/index.ts";
import { concat, encode } from "../../../../designs/shared/wire/index.ts";
import { allocBody, kvBody, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { type Bench, bursts, never } from "../../../../sim/index.ts";
import { type KvPorts, KvRig, sameSlot, traffic } from "./kv-rig.ts";

/** Bench of a design of parameters `p`. */
export type KvBench = (b: Bench<KvPorts>, p: KvParameters) => Promise<void>;
const { OK, FAIL, OUT_OF_MEMORY } = status;
const codes = [opcode.KV_READ, opcode.KV_CREATE, opcode.KV_UPDATE, opcode.KV_DELETE];

/** Random requests in flight, pauses on all streams, replies of memory out of order. */
export const mixture =
  (count: number): KvBench =>
  async (b, p) => {
    const rig = new KvRig(b, p, { jitter: 40, pause: s => bursts({ go: 12, pause: 6 }, b.seed + s.length) });
    traffic(rig, b.random, count);
    await rig.finish();
    for (const kind of ["read", "create", "update", "delete"] as const)
      for (const code of [OK, FAIL]) {
        expect(
          rig.calls.filter(c => c.kind === kind && c.call.replies[0]?.status === code).length,
          `${kind} with status ${code}`,
        ).toBeGreaterThan(10);
      }
    expect(rig.host.mostInFlight).toBeGreaterThan(5);
    await rig.allBack({ pages: true });
  };

/** Bytes of replies and of requests to memory are taken whenever they come, also before their heads. */
export const bytesFirst: KvBench = async (b, p) => {
  const late = ["reply", "memory"],
    rig = new KvRig(b, p, {
      hold: false,
      pause: s => (late.includes(s) ? bursts({ go: 3, pause: 40 }, b.seed + s.length) : never),
    });
  traffic(rig, b.random, 250);
  await rig.finish();
};

/**
 * One request after another, held against the model: every reply, and in the end every pair in memory. Chains of many
 * slots, holes in them, keys that share bucket and fingerprint, and requests that cannot be.
 */
export const likeTheModel: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { latency: 3 }),
    model = new KvModel(new ModelMemory({ maxData: p.maxData }), { ...p, pid: offloadPid(0), secret: rig.secret }),
    random = b.random;
  const keys = [...Array.from({ length: 60 }, () => random.bits(64)), ...sameSlot(6, rig)],
    most = largestValue(p);
  for (let i = 0; i < 480; i++) {
    const grows = i < 130,
      key = grows ? (keys[i % keys.length] as bigint) : random.pick(keys),
      value = rig.value(),
      form = random.between(0, grows ? 60 : 25);
    const code = random.pick(grows ? [codes[1], codes[1], codes[1], codes[0], codes[2]] : codes) as number,
      asked = random.chance(0.03) ? random.pick([0x61, 0x68, 0x6e, 0x40, 0xe0]) : code;
    const front = { user: random.between(0, 255), keySize: 8, valueSize: value.length, key };
    const body =
      form === 0
        ? encode(kvBody, front).slice(0, random.between(0, 11))
        : form === 1
          ? concat(encode(kvBody, { ...front, keySize: random.pick([0, 7, 9, 255]) }), value)
          : form === 2
            ? concat(
                encode(kvBody, { ...front, valueSize: value.length + random.pick([1, 100, 2048, 65535 - most]) }),
                value,
              )
            : form === 3
              ? concat(encode(kvBody, { ...front, valueSize: most }), random.bytes(most))
              : form === 4
                ? concat(encode(kvBody, front), value, random.bytes(Math.min(100, most - value.length)))
                : concat(encode(kvBody, front), value);
    const owner = random.pick([0, 0, 1, 256]);
    const should = model.request(asked, body, owner),
      call = await rig.host.call({ opcode: asked, pid: owner, body });
    expect(
      call.replies.map(r => ({ status: r.status, opcode: r.opcode, body: r.body })),
      `request ${i}, opcode ${asked.toString(16)}, ${body.length} bytes`,
    ).toEqual([should]);
    if (i === 129) expect(new Set(rig.contents().map(x => x.slot)).size, "slots in use").toBeGreaterThan(6);
  }
  await rig.host.drained();
  for (const { key, pid, value } of rig.contents())
    expect(
      model.request(opcode.KV_READ, encode(kvBody, { user: 0, keySize: 8, valueSize: 0, key }), pid).body.slice(4),
    ).toEqual(value);
  await rig.allBack({ pages: true });
};

/** Pipelined writes into one bucket: none is lost; a key that many create is created once. */
export const oneBucket: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { jitter: 50 }),
    keys = sameSlot(20, rig);
  for (const key of keys) rig.ask("create", key, rig.value(30));
  await rig.host.drained();
  expect(rig.contents().length, "pairs in memory").toBe(20);
  for (let i = 0; i < 30; i++) rig.ask("create", 77n, rig.value());
  for (const key of keys) rig.ask("update", key, rig.value());
  await rig.finish();
  expect(rig.calls.filter(c => c.kind === "create" && c.key === 77n && c.call.replies[0]?.status === OK).length).toBe(
    1,
  );
};

/**
 * Deletes in the middle of chains: all others stay, and empty slots and blocks are used again, so that memory
 * does not grow.
 */
export const comeAndGo: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { jitter: 10 });
  // One that stays beside all others.
  const stays = b.random.bits(64);
  await rig.alone("create", stays, rig.value(100));
  const contents = (): ReturnType<KvRig["contents"]> => rig.contents().filter(x => x.key !== stays);
  for (let round = 0; round < 5; round++) {
    const keys = Array.from({ length: 80 }, () => b.random.bits(64));
    for (const [i, key] of keys.entries()) rig.ask("create", key, rig.value(40 + 200 * (i % 2)));
    await rig.host.drained();
    expect(contents().length, "pairs in memory").toBe(80);
    for (const key of keys.slice(0, 20)) rig.ask("create", key, rig.value(300));
    const gone = new Set(keys.filter(() => b.random.chance(0.7)));
    for (const key of gone) rig.ask("delete", key);
    await rig.host.drained();
    expect(new Set(contents().map(x => x.key)), "keys in memory").toEqual(new Set(keys.filter(k => !gone.has(k))));
    for (const key of keys) if (!gone.has(key)) rig.ask(b.random.chance() ? "update" : "delete", key, rig.value(240));
    for (const key of keys) if (!gone.has(key)) rig.ask("delete", key);
    await rig.host.drained();
    expect(contents(), "pairs in memory").toEqual([]);
    // The table, the arenas of the pair and of a slot in front of it, and an empty one.
    expect(await rig.heldAtRest(b), "arenas and tables beside one pair").toBeLessThanOrEqual(4);
  }
  await rig.finish();
  await rig.alone("delete", stays);
  expect(await rig.heldAtRest(b), "arenas and tables that are kept").toBe(2);
  expect(rig.mapAtRest(), "units of the arena that count as taken").toBe(0);
};

/**
 * Filled with values of one size until there is no memory, and emptied; then the same with another size, and with the
 * first again. Each time as many find room as in a new store, and all but the table and an arena goes back.
 */
export const otherSizes: KvBench = async (b, p) => {
  // Room for the table and for four arenas.
  const pages = Math.ceil((p.buckets * 64) / 4096) + 4 * Math.ceil(p.arenaBytes / 4096),
    rig = new KvRig(b, p, { jitter: 9, space: { allocatable: pages } });
  rig.allowed.add(OUT_OF_MEMORY);
  let key = 0n;
  const counts: number[] = [];
  for (const [size, block] of [
    [1400, 2048],
    [30, 64],
    [200, 256],
    [1400, 2048],
  ] as const) {
    const keys: bigint[] = [];
    for (;;) {
      const { status: got } = await rig.alone("create", ++key, rig.value(size));
      if (got === OUT_OF_MEMORY) break;
      keys.push(key);
    }
    // Slots that lengthen the chains take some: one for seven pairs. What says which blocks are free takes some, too.
    const room = (4 * p.arenaBytes) / block;
    expect(keys.length, `values of ${size} bytes`).toBeGreaterThan(room * (block === 64 ? 0.8 : 0.5));
    counts.push(keys.length);
    for (const k of keys) rig.ask("delete", k);
    await rig.host.drained();
    expect(await rig.heldAtRest(b), "arenas and tables that are kept").toBe(2);
    expect(rig.mapAtRest(), "units of the arena that count as taken").toBe(0);
  }
  // Whether a slot lengthens a chain hangs on the keys.
  expect(Math.abs((counts.at(-1) ?? 0) - (counts[0] ?? 0)), "values of the first size").toBeLessThanOrEqual(1);
  await rig.finish();
};

/**
 * Filled with values of one size until there is no memory, and emptied but for one pair. The others' memory serves
 * every other size, and what is not asked for goes back: another process allocates it.
 */
export const besideOne: KvBench = async (b, p) => {
  const pagesOfArena = Math.ceil(p.arenaBytes / 4096),
    pages = Math.ceil((p.buckets * 64) / 4096) + 5 * pagesOfArena,
    rig = new KvRig(b, p, { jitter: 9, space: { allocatable: pages } });
  // A page in between: arenas of two pages begin at an odd one.
  rig.memory.map(offloadPid(0), 0x2000n, 1);
  rig.allowed.add(OUT_OF_MEMORY);
  const fill = async (size: number, from: bigint): Promise<bigint[]> => {
    const keys: bigint[] = [];
    for (let key = from; ; key++) {
      if ((await rig.alone("create", key, rig.value(size))).status === OUT_OF_MEMORY) return keys;
      keys.push(key);
    }
  };
  const none = rig.contents().length;
  for (const [i, [size, other, block]] of (
    [
      [30, 1400, 2048],
      [1400, 30, 64],
      [200, 700, 1024],
      [700, 90, 128],
    ] as const
  ).entries()) {
    const from = BigInt(10_000 * (2 * i + 1)),
      keys = await fill(size, from);
    const stays = keys[b.random.between(0, keys.length - 1)] as bigint;
    for (const k of keys) if (k !== stays) rig.ask("delete", k);
    await rig.host.drained();
    expect(rig.contents().length, "pairs that stand").toBe(none + 1);
    const [pair] = rig.contents(),
      first = BigInt(rig.memory.pageSize),
      blocks = (pair?.slot ?? 0n) < first + BigInt(p.buckets * 64) ? 1 : 2;
    const held = await rig.heldAtRest(b);
    expect(held, "arenas and tables beside one pair").toBeLessThanOrEqual(1 + blocks + 1);
    const bytes = (6 - held) * pagesOfArena * 4096,
      manage = { pid: 5, length: bytes, data: encode(allocBody, { len: BigInt(bytes) }).slice(12) },
      allocated = rig.memory.access({ ...manage, opcode: opcode.ALLOC, va: 0n });
    expect(allocated.status, "ALLOC of another process").toBe(OK);
    const va = (allocated.va >> 32n) | (BigInt(allocated.length) << 32n);
    expect(rig.memory.access({ ...manage, opcode: opcode.FREE, va }).status).toBe(OK);
    const others = await fill(other, from + 10_000n);
    // The pair and the slots of its chain may stand in the way of a block of each arena, and the chains take some.
    expect(others.length, `values of ${other} bytes`).toBeGreaterThan((4 * p.arenaBytes * 0.55) / block);
    for (const k of [stays, ...others]) rig.ask("delete", k);
    await rig.host.drained();
    expect(await rig.heldAtRest(b), "arenas and tables that are kept").toBe(2);
    expect(rig.mapAtRest(), "units of the arena that count as taken").toBe(0);
  }
  await rig.finish();
};

/** Memory runs out while free blocks of another size are at hand: they are asked for, too. */
export const runsOut: KvBench = async (b, p) => {
  const pages = Math.ceil((p.buckets * 64) / 4096) + 2 * Math.ceil(p.arenaBytes / 4096),
    rig = new KvRig(b, p, { space: { allocatable: pages } });
  rig.allowed.add(OUT_OF_MEMORY);
  const fill = async (size: number, from: bigint): Promise<bigint[]> => {
    const keys: bigint[] = [];
    for (let key = from; (await rig.alone("create", key, rig.value(size))).status === OK; key++) keys.push(key);
    return keys;
  };
  const large = await fill(1400, 0n);
  await fill(30, 1000n);
  const gone = large.slice(0, 3).map(key => rig.ask("delete", key));
  await b.until(() => gone.every(x => x.call.done !== undefined));
  const small = Array.from({ length: 60 }, (_, i) => rig.ask("create", BigInt(2000 + i), rig.value(30)));
  await rig.host.drained();
  expect(
    small.map(x => x.call.replies[0]?.status),
    "values of 30 bytes in place of larger ones",
  ).toEqual(small.map(() => OK));
  await rig.finish();
};

/** Every other block of one size goes: the free halves between are no blocks of twice the size. */
export const checkered: KvBench = async (b, p) => {
  const rig = new KvRig(b, p);
  for (const [size, twice] of [
    [30, 90],
    [90, 200],
    [400, 900],
  ] as const) {
    const keys = Array.from({ length: 80 }, () => b.random.bits(64));
    for (const key of keys) await rig.alone("create", key, rig.value(size));
    for (const key of keys.filter((_, i) => i % 2 === 0)) rig.ask("delete", key);
    await rig.heldAtRest(b);
    for (let i = 0; i < 60; i++) rig.ask("create", b.random.bits(64), rig.value(twice));
    await rig.finish();
  }
};

const keysOfAll = new Map<string, bigint>();
/**
 * The first key that lies in one bucket and has one fingerprint for all of these processes. Of a million keys one does,
 * so it is looked for once.
 */
function keyOfAll([first = 0, ...others]: readonly number[], placing: KvPlacing): bigint {
  const where = `${first},${others.join()} ${placing.buckets} ${placing.secret ?? 0n}`,
    known = keysOfAll.get(where);
  if (known !== undefined) return known;
  const isAlike = (key: bigint): boolean => {
    const { bucket, fingerprint } = kvHash(key, first, placing);
    return others.every(pid => {
      const h = kvHash(key, pid, placing);
      return h.bucket === bucket && h.fingerprint === fingerprint;
    });
  };
  let key = 0n;
  while (!isAlike(key)) key++;
  keysOfAll.set(where, key);
  return key;
}

/** The same key of several processes, in one bucket and with one fingerprint: each sees its own only. */
export const owners: KvBench = async (b, p) => {
  const rig = new KvRig(b, p),
    pids = [0, 1, 0x0100];
  const key = keyOfAll(pids, rig);
  for (const pid of pids) {
    for (const kind of ["read", "update", "delete"] as const)
      expect((await rig.alone(kind, key, rig.value(20), pid)).status, `${kind}, process ${pid}`).toBe(FAIL);
    expect((await rig.alone("create", key, rig.value(20 + pid), pid)).status, `create, process ${pid}`).toBe(OK);
  }
  expect((await rig.alone("delete", key, undefined, 1)).status).toBe(OK);
  expect((await rig.alone("read", key, undefined, 1)).status, "deleted").toBe(FAIL);
  await rig.finish();
};

/** Few frames for many pages: OUT_OF_MEMORY at a page's first touch, and nothing is lost by it. */
export const fewFrames: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { space: { frames: 4 } });
  rig.allowed.add(OUT_OF_MEMORY);
  traffic(rig, b.random, 300, { keys: 60, sizes: [1000, 1400, 100] });
  const pairs = await rig.finish();
  expect(rig.calls.filter(c => c.call.replies[0]?.status === OUT_OF_MEMORY).length).toBeGreaterThan(20);
  expect(pairs.length).toBeGreaterThan(1);
};

/** The host asks that all keys of a process go. */
const forget = (rig: KvRig, pid: number) => rig.host.request({ opcode: forgetOpcode, pid, body: new Uint8Array() });

/** A creation that the history does not have, since a removal follows. */
const unseen = (rig: KvRig, pid: number, key: bigint, value: Uint8Array) =>
  rig.host.request({
    opcode: opcode.KV_CREATE,
    pid,
    body: concat(encode(kvBody, { user: 0, keySize: 8, valueSize: value.length, key }), value),
  });

/**
 * All keys of a process go, those of chains in the middle of others' and those whose creation is under way. Nobody
 * else's does, and others are served meanwhile. What the process had is used again.
 */
export const forgets: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { jitter: 30 }),
    owner = 9,
    used: number[] = [];
  const put = (key: bigint, bytes: number) => unseen(rig, owner, key, b.random.bytes(bytes));
  const none = forget(rig, owner);
  await rig.host.drained();
  expect([none.replies.map(r => r.status), rig.host.trace.length], "without a table there is nothing to do").toEqual([
    [OK],
    0,
  ]);
  const asked: ReturnType<typeof forget>[] = [];
  for (let round = 0; round < 4; round++) {
    const alone = round < 2,
      keys = Array.from({ length: 30 }, () => b.random.bits(64));
    if (!alone) traffic(rig, b.random, 40, { keys: 20 });
    const created = keys.map((key, i) => put(key, 40 + 200 * (i % 2)));
    // The last creations are still under way, and others follow it.
    asked.push(forget(rig, owner));
    if (!alone) traffic(rig, b.random, 40, { keys: 20 });
    await rig.host.drained();
    expect(new Set(created.map(c => c.replies[0]?.status)), "creations in front of the removal").toEqual(new Set([OK]));
    expect(
      rig.contents().filter(x => x.pid === owner),
      "keys of the process in memory",
    ).toEqual([]);
    if (alone) used.push(await rig.heldAtRest(b));
  }
  expect(used, "allocations so far, after each round").toEqual(used.map(() => used[0]));
  expect(
    asked.map(c => c.replies.map(r => [r.status, r.body.length])),
    "replies to the host",
  ).toEqual(asked.map(() => [[OK, 0]]));
  expect((await rig.finish()).length, "others' pairs").toBeGreaterThan(10);
};

/** While a removal walks through the table, a request of others waits for a few of its cycles, not for its end. */
export const servedBeside: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { latency: 60 });
  for (let i = 0; i < 40; i++) rig.ask("create", BigInt(i), rig.value(30));
  await rig.host.drained();
  const usual = (await rig.alone("read", 5n)).cycles,
    walk = forget(rig, 9);
  let most = 0,
    beside = 0;
  while (walk.replies.length === 0) {
    const asked = rig.ask("read", 5n),
      from = b.cycle;
    await b.until(() => asked.call.replies.length > 0);
    most = Math.max(most, b.cycle - from);
    beside++;
  }
  expect(beside, "reads answered while all buckets are walked").toBeGreaterThan(2);
  // The read may stand behind one delete of its bucket, which looks at the whole chain.
  expect(most, "cycles of a read beside it").toBeLessThan(usual + 60 * 45);
  await rig.finish();
};

/**
 * A walk passes over a word of 64 buckets that never had a pair in 3 cycles, and over other buckets without one in 3
 * each. A read beside it waits for one such step. What a bucket with a key costs is the engine's time. Every 512th is
 * looked at in any case.
 */
export const shortWalk: KvBench = async (b, p) => {
  const rig = new KvRig(b, p, { latency: 60 }),
    buckets = p.buckets;
  for (let i = 0; i < 5; i++) unseen(rig, 7, BigInt(i), b.random.bytes(30));
  await rig.host.drained();
  const usual = (await rig.alone("read", 1000n)).cycles;
  const cycles = async (of: ReturnType<typeof forget>): Promise<number> => {
    await b.until(() => of.replies.length > 0);
    return (of.replies[0]?.cycle ?? 0) - (of.taken ?? 0);
  };
  const all = await cycles(forget(rig, 7));
  expect(all, "at least 2 cycles for 64 buckets").toBeGreaterThan((2 * buckets) / 64);
  expect(all, "cycles of a walk that finds five keys").toBeLessThan(
    3 * (buckets / 64 + 5 * 64) + (5 + buckets / 512) * 6 * usual,
  );
  const walk = forget(rig, 7);
  let most = 0;
  while (walk.replies.length === 0) most = Math.max(most, await cycles(rig.ask("read", 1000n).call));
  expect(most, "cycles of a read beside a walk through empty buckets").toBeLessThan(usual + 5 * usual);
  expect(rig.contents().filter(x => x.pid === 7)).toEqual([]);
  await rig.finish();
};

/** Memory that refuses ends the walk with its status. */
export const refusedWalk: KvBench = async (b, p) => {
  const rig = new KvRig(b, p);
  for (let i = 0; i < 30; i++) rig.ask("create", BigInt(i), rig.value(30), 7);
  await rig.host.drained();
  const table = BigInt(rig.memory.pageSize);
  rig.memory.map(offloadPid(0), table, 1, "-");
  const refused = forget(rig, 7);
  await rig.host.drained();
  expect(refused.replies.map(r => [r.status, r.body.length])).toEqual([[status.READ_PERM, 0]]);
  await rig.allBack();
};
