import { expect } from "vitest";
import { kvHash, KvModel, ModelMemory } from "../../../../designs/clio/model/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import { type KvParameters, largestValue } from "../../../../designs/clio/offloads/kv/index.ts";
import { concat, encode } from "../../../../designs/shared/wire/index.ts";
import { kvBody, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { type Bench, bursts } from "../../../../sim/index.ts";
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
  const rig = new KvRig(b, p, { jitter: 10 }),
    used: number[] = [];
  for (let round = 0; round < 5; round++) {
    const keys = Array.from({ length: 80 }, () => b.random.bits(64));
    for (const [i, key] of keys.entries()) rig.ask("create", key, rig.value(40 + 200 * (i % 2)));
    await rig.host.drained();
    expect(rig.contents().length, "pairs in memory").toBe(80);
    for (const key of keys.slice(0, 20)) rig.ask("create", key, rig.value(300));
    const gone = new Set(keys.filter(() => b.random.chance(0.7)));
    for (const key of gone) rig.ask("delete", key);
    await rig.host.drained();
    expect(new Set(rig.contents().map(x => x.key)), "keys in memory").toEqual(new Set(keys.filter(k => !gone.has(k))));
    for (const key of keys) if (!gone.has(key)) rig.ask(b.random.chance() ? "update" : "delete", key, rig.value(240));
    for (const key of keys) if (!gone.has(key)) rig.ask("delete", key);
    await rig.host.drained();
    expect(rig.contents(), "pairs in memory").toEqual([]);
    used.push(rig.allocations);
  }
  await rig.finish();
  expect(used, "allocations so far, after each round").toEqual(used.map(() => used[0]));
};

/** The same key of several processes, in one bucket and with one fingerprint: each sees its own only. */
export const owners: KvBench = async (b, p) => {
  const rig = new KvRig(b, p),
    pids = [0, 1, 0x0100];
  const alike = (key: bigint): boolean => new Set(pids.map(pid => JSON.stringify(kvHash(key, pid, rig)))).size === 1;
  let key = 0n;
  while (!alike(key)) key++;
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
  const rig = new KvRig(b, p, { space: { frames: 3 } });
  rig.allowed.add(OUT_OF_MEMORY);
  traffic(rig, b.random, 300, { keys: 60, sizes: [1000, 1400, 100] });
  const pairs = await rig.finish();
  expect(rig.calls.filter(c => c.call.replies[0]?.status === OUT_OF_MEMORY).length).toBeGreaterThan(20);
  expect(pairs.length).toBeGreaterThan(1);
};
