/** Keys of Clio-KV belong to processes that exist, and go with them: in the cycle-accurate node, with its slow path. */
import { describe, expect, it } from "vitest";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { kvContents, kvHash, type KvPair } from "../../../../designs/clio/model/index.ts";
import { extendedNode, offloadPid } from "../../../../designs/clio/offload/index.ts";
import { ClioKv, clioKv, kvDefaults } from "../../../../designs/clio/offloads/kv/index.ts";
import { type SimulatedNode, withNode } from "../../../../designs/clio/rig/index.ts";
import { clientEndpoint, FrameClient } from "../../../../designs/clio/workload/index.ts";
import {
  allocReplyBody,
  createProcReplyBody,
  dissect,
  kvBody,
  opcode,
  status,
  vmFlag,
} from "../../../../designs/clio/wire/index.ts";
import { concat, decode, encode } from "../../../../designs/shared/wire/index.ts";
import { type Design, designOf } from "../../../../sim/index.ts";
import { allBack } from "../../../support/all-back.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import type { NodePorts } from "../../../../designs/clio/rig/index.ts";

const settings = makeSettings({ offloads: "kv" }),
  // A walk over them takes longer than what is asked in the meantime.
  buckets = 64,
  secret = 5n;
const node = extendedNode([{ ...clioKv, build: p => ClioKv({ ...p, ...kvDefaults, buckets }) }])(
  parametersOf(settings.config),
);
const design = designOf(node);
/** Accesses that the store has under way in memory at most: those of one client's requests, half of all contexts. */
const accesses = 8;
const { OK, INVALID, FAIL, BUSY } = status;

type Answer = { readonly status: number; readonly body: Uint8Array };
/** DRAM that answers no read while `on`. */
class Standstill {
  on = false;
}
class Rig {
  readonly node: SimulatedNode;
  readonly still: Standstill;
  readonly client = new FrameClient(clientEndpoint(0), settings.runtime);
  readonly answers = new Map<number, Answer>();
  constructor(node: SimulatedNode, still: Standstill) {
    this.node = node;
    this.still = still;
    node.bench.onEdge({
      sample: () => {
        for (let f = node.take(); f !== undefined; f = node.take()) {
          const { clio, body } = dissect(f.bytes);
          if (!clio || !body) throw new Error("a frame that is no answer");
          expect(this.answers.has(clio.requestId), `a second reply to ${clio.requestId}`).toBe(false);
          this.answers.set(clio.requestId, { status: clio.status, body });
        }
      },
    });
  }
  send(frame: Uint8Array): number {
    this.node.send(frame);
    return dissect(frame).clio?.requestId ?? -1;
  }
  async ask(frame: Uint8Array): Promise<Answer> {
    const id = this.send(frame);
    await this.node.bench.until(() => this.answers.has(id));
    return this.answers.get(id) as Answer;
  }
  kv(code: number, pid: number, key: bigint, value: Uint8Array = new Uint8Array()): Uint8Array {
    return this.client.request(
      code,
      pid,
      concat(encode(kvBody, { user: 0, keySize: 8, valueSize: value.length, key }), value),
    );
  }
  async status(code: number, pid: number, key: bigint, value?: Uint8Array): Promise<number> {
    return (await this.ask(this.kv(code, pid, key, value))).status;
  }
  async createProcess(): Promise<number> {
    return decode(createProcReplyBody, (await this.ask(this.client.createProcess())).body).newPid;
  }
  async freeProcess(pid: number): Promise<number> {
    return (await this.ask(this.client.freeProcess(pid))).status;
  }
  /** The table as it lies in DRAM. */
  async pairs(): Promise<KvPair[]> {
    const { ram, slowPath, config } = this.node,
      kv = offloadPid(0),
      frames = new Map<bigint, Uint8Array>();
    const pageSize = BigInt(config.pageSize);
    for (const { start, end } of slowPath.memory.rangesBetween(kv, 0, 2 ** config.vpnBits)) {
      for (let vpn = start; vpn < end; vpn++) {
        const at = await slowPath.memory.translate(kv, BigInt(vpn) * pageSize);
        if (at !== undefined) frames.set(BigInt(vpn), ram.read(at, config.pageSize));
      }
    }
    const load = (va: bigint, bytes: number): Uint8Array => {
      const frame = frames.get(va / pageSize),
        from = Number(va % pageSize);
      return frame ? frame.slice(from, from + bytes) : new Uint8Array(bytes);
    };
    return kvContents(load, pageSize, { buckets, secret });
  }
  /**
   * All accesses of the store and all slots of the node are back. While DRAM answers nobody, as many writes of pairs as
   * may be under way have begun to read, each in a bucket of its own. And as many requests as there are slots are
   * inside.
   */
  async finish(): Promise<void> {
    // The first brings the table's pages into the TLB.
    const keys: bigint[] = [],
      used = new Set<number>();
    for (let key = 1000n; keys.length < accesses + 3; key++) {
      const { bucket } = kvHash(key, 0, { buckets, secret });
      if (!used.has(bucket)) keys.push(key);
      used.add(bucket);
    }
    for (const key of keys) expect(await this.status(opcode.KV_DELETE, 0, key)).toBe(FAIL);
    const pid = await this.createProcess(),
      wanted = this.client.allocate(pid, { len: 8n, vmFlags: vmFlag.write }),
      { addr } = decode(allocReplyBody, (await this.ask(wanted)).body);
    expect((await this.ask(this.client.write(pid, addr, new Uint8Array(8)))).status).toBe(OK);
    await this.over();
    const { bench, config, ram } = this.node,
      before = ram.counts.readBursts,
      inside = (): number => bench.io.busy.big.toString(2).replaceAll("0", "").length;
    this.still.on = true;
    const ids = keys.map(key => this.send(this.kv(opcode.KV_DELETE, 0, key)));
    await allBack(bench, { what: "accesses", count: accesses, had: () => ram.counts.readBursts - before, settle: 300 });
    for (let i = 0; i < config.requestSlots; i++) ids.push(this.send(this.client.read(pid, addr, 8)));
    await allBack(bench, { what: "slots", count: config.requestSlots, had: inside, settle: 300 });
    this.still.on = false;
    await bench.until(() => ids.every(id => this.answers.has(id)));
    await this.over();
  }
  /** Everything that was asked is answered, and nothing is under way, kept back or lost. */
  async over(): Promise<void> {
    await this.node.bench.until(() => this.node.slowPath.owners?.statistics.ending === 0);
    await this.node.settled();
    expect(this.node.bench.io.busy.big, "nothing is under way").toBe(0n);
    expect(this.node.slowPath.owners?.statistics).toEqual({ ending: 0, refused: 0 });
  }
}
const run = (
  name: string,
  body: (rig: Rig) => Promise<void>,
  of: Design<NodePorts> = design,
  set: typeof settings = settings,
): Promise<void> => {
  const still = new Standstill();
  return withNode(
    name,
    set,
    {
      design: of,
      seed: 1,
      secret,
      wave: false,
      hangCycles: 60_000,
      limitCycles: 4_000_000,
      ram: { pause: { r: () => still.on } },
    },
    async n => {
      const rig = new Rig(n, still);
      await body(rig);
      await rig.finish();
    },
  );
};

/** A process that does not exist gets nothing of the store; one that is made does, and PID 0 always. */
async function strangers(rig: Rig): Promise<void> {
  const value = new Uint8Array(20).fill(7);
  for (const code of [opcode.KV_CREATE, opcode.KV_READ, opcode.KV_UPDATE, opcode.KV_DELETE])
    expect(await rig.status(code, 9999, 1n, value), `opcode ${code}`).toBe(INVALID);
  expect((await rig.node.counters()).offload0Requests, "requests that came to the store").toBe(0n);
  const pid = await rig.createProcess();
  expect(await rig.status(opcode.KV_CREATE, pid, 1n, value)).toBe(OK);
  expect(await rig.status(opcode.KV_CREATE, pid, 1n, value)).toBe(FAIL);
  expect(await rig.status(opcode.KV_CREATE, 0, 1n, value), "a shared one").toBe(OK);
  expect(await rig.status(opcode.KV_READ, pid + 1, 1n)).toBe(INVALID);
  expect((await rig.pairs()).map(x => x.pid).sort((a, b) => a - b)).toEqual([0, pid]);
  // On the published client's ports a process is made, as by ALLOC; the hardware knows it from then on.
  const published = rig.client.to(
    settings.runtime.clientPort,
    opcode.KV_READ,
    700,
    encode(kvBody, { user: 0, keySize: 8, valueSize: 0, key: 1n }),
  );
  expect((await rig.ask(published)).status).toBe(BUSY);
  expect(rig.node.slowPath.memory.hasProcess(700)).toBe(true);
  expect(await rig.status(opcode.KV_READ, 700, 1n)).toBe(FAIL);
  await rig.over();
}

/** With a process go its keys, whatever of it is under way, and its ID is another's only when they have gone. */
async function gone(rig: Rig): Promise<void> {
  const value = new Uint8Array(100).fill(1),
    other = await rig.createProcess();
  for (let i = 0; i < 10; i++) expect(await rig.status(opcode.KV_CREATE, other, BigInt(i), value)).toBe(OK);
  for (let round = 0; round < 5; round++) {
    const pid = await rig.createProcess();
    for (let i = 0; i < 6; i++) expect(await rig.status(opcode.KV_CREATE, pid, BigInt(i), value)).toBe(OK);
    // The process ends while requests of it come, closely one behind another; others go on.
    const before = Array.from({ length: 4 }, (_, i) =>
      rig.send(rig.kv(opcode.KV_CREATE, pid, 100n + BigInt(i), value)),
    );
    await rig.node.bench.cycles(37 * round);
    const end = rig.send(rig.client.freeProcess(pid));
    const after = Array.from({ length: 20 }, (_, i) => {
      rig.send(rig.kv(opcode.KV_READ, other, BigInt(i)));
      return rig.send(rig.kv(opcode.KV_CREATE, pid, 200n + BigInt(i), value));
    });
    const all = [...before, end, ...after];
    await rig.node.bench.until(() => all.every(id => rig.answers.has(id)));
    expect(rig.answers.get(end)?.status).toBe(OK);
    for (const id of after) expect([OK, BUSY, INVALID]).toContain(rig.answers.get(id)?.status);
    expect(await rig.status(opcode.KV_READ, pid, 0n), "after its end").toBe(INVALID);
    expect(rig.node.slowPath.owners?.statistics.ending, "a removal is under way").toBeGreaterThan(0);
    expect(rig.node.slowPath.memory.createProcess(pid).ok, "the ID while keys are left").toBe(false);
    await rig.over();
    expect(
      (await rig.pairs()).map(x => x.pid).filter(x => x !== other),
      `keys of processes that are gone, round ${round}`,
    ).toEqual([]);
    // The same ID again finds nothing.
    expect(rig.node.slowPath.memory.createProcess(pid).ok, "the ID is free again").toBe(true);
    await rig.ask(rig.client.allocate(pid, { len: 1n, vmFlags: 1n }));
    for (let i = 0; i < 6; i++) expect(await rig.status(opcode.KV_READ, pid, BigInt(i))).toBe(FAIL);
    expect(await rig.freeProcess(pid)).toBe(OK);
  }
  for (let i = 0; i < 10; i++) expect(await rig.status(opcode.KV_READ, other, BigInt(i))).toBe(OK);
  expect((await rig.pairs()).length).toBe(10);
  await rig.over();
}

/** A reset of the store in the middle of a removal ends it: nothing is left to be removed. */
async function resetBeside(rig: Rig): Promise<void> {
  const pid = await rig.createProcess();
  for (let i = 0; i < 6; i++) expect(await rig.status(opcode.KV_CREATE, pid, BigInt(i), new Uint8Array(9))).toBe(OK);
  expect(await rig.freeProcess(pid)).toBe(OK);
  expect(rig.node.slowPath.owners?.statistics.ending, "a removal is under way").toBe(1);
  await rig.node.slowPath.offloads?.reset(0);
  await rig.over();
  const next = await rig.createProcess();
  expect(await rig.status(opcode.KV_CREATE, next, 1n, new Uint8Array(9))).toBe(OK);
  expect((await rig.pairs()).length).toBe(1);
  await rig.over();
}

/** A node of 1 MB in pages of 4 KB, where the store allocates 64 KB at a time. */
const little = makeSettings({ offloads: "kv", pageSize: "4KB", physicalMemory: "1MB", freePageBuffer: 4 });
const littleStore = (): Design<NodePorts> =>
  designOf(
    extendedNode([{ ...clioKv, build: p => ClioKv({ ...p, ...kvDefaults, buckets, arenaBytes: 65_536 }) }])(
      parametersOf(little.config),
    ),
  );

/** A process fills the store and deletes all: another has the memory, for values of any size and for pages. */
async function filledAndEmptied(rig: Rig): Promise<void> {
  const { client } = rig,
    pageSize = BigInt(little.config.pageSize);
  const [first, second] = [await rig.createProcess(), await rig.createProcess()];
  /** Pages that the second process can have and write. */
  const pages = async (): Promise<number> => {
    const wanted = client.allocate(second, { len: 64n * pageSize, vmFlags: vmFlag.write }),
      { addr } = decode(allocReplyBody, (await rig.ask(wanted)).body);
    let had = 0;
    for (let i = 0n; i < 64n; i++)
      had += +((await rig.ask(client.write(second, addr + i * pageSize, Uint8Array.of(1)))).status === OK);
    await rig.ask(client.free(second, addr, 64n * pageSize));
    return had;
  };
  const large = new Uint8Array(1400).fill(3),
    keys: bigint[] = [];
  for (let key = 1n; (await rig.status(opcode.KV_CREATE, first, key, large)) === OK; key++) keys.push(key);
  expect(keys.length, "large values in the store").toBeGreaterThan(200);
  expect(await pages(), "pages beside a full store").toBeLessThan(32);
  for (const key of keys) expect(await rig.status(opcode.KV_DELETE, first, key)).toBe(OK);
  await rig.over();
  expect(await pages(), "pages beside an empty store").toBe(64);
  for (let key = 1n; key < 40n; key++)
    expect(await rig.status(opcode.KV_CREATE, second, key, new Uint8Array(30))).toBe(OK);
  await rig.over();
}

/** The slow path with a fault: it believes that no process has ever used the store, or every removal to be over. */
const faults: readonly (readonly [string, (rig: Rig) => void, RegExp])[] = [
  [
    "keys stay behind",
    ({ node: { slowPath } }) => {
      const control = slowPath.offloads!,
        tell = control.process.bind(control);
      control.process = async (pid, exists) => {
        await tell(pid, exists);
        return false;
      };
    },
    /a removal is under way|keys of processes that are gone/,
  ],
  [
    "an ID is given back before its keys have gone",
    ({ node: { slowPath } }) => {
      const owners = slowPath.owners!,
        tell = owners.ended.bind(owners);
      owners.ended = (pid, over) => {
        over();
        tell(pid, () => undefined);
      };
    },
    /the ID while keys are left/,
  ],
  [
    "the store does not hear of a process's end",
    ({ node: { slowPath } }) => {
      const control = slowPath.offloads!,
        tell = control.process.bind(control);
      control.process = (pid, exists) => tell(pid, exists || pid !== 0);
    },
    /after its end|in front of the removal|keys of processes/,
  ],
];

describe("keys of Clio-KV and their processes", () => {
  for (const [name, plants, why] of faults)
    it(`a fault of the slow path is found: ${name}`, () =>
      findsFault(
        run(name, async rig => {
          plants(rig);
          await gone(rig);
        }),
        why,
      ));
  it("a fault is found, by the check at the end alone: a slot of the node cannot be had", () =>
    findsFault(
      run("a slot that cannot be had", strangers, plant(node, /~\(taken \| held\)/, "~(taken | held | 64'd1 << 40)")),
      /slots that can be had at the end/,
    ));
  it("a process that does not exist gets nothing of the store", () => run("strangers", strangers));
  it("with a process go its keys, whatever of it is under way", () => run("gone", gone));
  it("a store that was full and is empty leaves its memory to others", () =>
    run("kv emptied", filledAndEmptied, littleStore(), little));
  it("a reset of the store ends a removal", () => run("reset beside a removal", resetBeside));
});
