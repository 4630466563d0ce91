import { describe, expect, it } from "vitest";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { OffloadControl } from "../../../../designs/clio/software/index.ts";
import { extendedNode, offloadPid } from "../../../../designs/clio/offload/index.ts";
import { FrameClient } from "../../../../designs/clio/workload/index.ts";
import { allocBody, dissect, faaBody, frameOffsets, opcode, status } from "../../../../designs/clio/wire/index.ts";
import { encode, internetChecksum, ipv4Header } from "../../../../designs/shared/wire/index.ts";
import { axiPorts, designOf, Random } from "../../../../sim/index.ts";
import { type SimulatedNode, withNode } from "../../../../designs/clio/rig/index.ts";
import { offloadAt, Proxy, proxyBody } from "./support/proxy-offload.ts";
import { Sticky } from "./support/bad-offloads.ts";
import { spreadEndpoint } from "../../../support/spread.ts";

const proxyOp = 0x7a,
  stuckOp = 0x7c,
  onceOp = 0x7e;
const settings = makeSettings(),
  page = BigInt(settings.config.pageSize);
const def = extendedNode([
  offloadAt("proxy", proxyOp, Proxy),
  offloadAt("stuck", stuckOp, Sticky),
  { ...offloadAt("once", onceOp, Proxy), once: [onceOp] },
])(parametersOf(settings.config));
const design = designOf(def);

interface Answer {
  readonly bytes: Uint8Array;
  readonly status: number;
  readonly opcode: number;
  readonly body: Uint8Array;
  readonly requestId: number;
  readonly cycle: number;
}
/** A node with offloads, and one client on the network. */
class Rig {
  readonly client = new FrameClient(spreadEndpoint(0), settings.runtime);
  readonly node: SimulatedNode;
  readonly answers = new Map<number, Answer>();
  constructor(node: SimulatedNode) {
    this.node = node;
    node.bench.onEdge({
      sample: cycle => {
        for (let f = node.take(); f !== undefined; f = node.take()) {
          const d = dissect(f.bytes);
          expect(
            internetChecksum(f.bytes.subarray(frameOffsets.network, frameOffsets.network + ipv4Header.bytes)),
            "IPv4 checksum",
          ).toBe(0);
          const { requestId } = d.clio!;
          expect(this.answers.has(requestId), `a second reply to request ${requestId}`).toBe(false);
          this.answers.set(requestId, {
            bytes: f.bytes,
            status: d.clio!.status,
            opcode: d.clio!.opcode,
            body: d.body!,
            requestId,
            cycle,
          });
        }
      },
    });
  }
  idOf(frame: Uint8Array): number {
    return dissect(frame).clio!.requestId;
  }
  async ask(frame: Uint8Array): Promise<Answer> {
    this.node.send(frame);
    await this.node.bench.until(() => this.answers.has(this.idOf(frame)));
    return this.answers.get(this.idOf(frame))!;
  }
  proxy(pid: number, o: Parameters<typeof proxyBody>[0]): Uint8Array {
    return this.client.request(proxyOp, pid, proxyBody(o));
  }
  async allocate(pid: number, pages: number): Promise<bigint> {
    const result = await this.node.slowPath.memory.allocate({
      pid,
      address: page,
      length: BigInt(pages) * page,
      vregion: 0n,
      write: true,
    });
    expect(result.ok).toBe(true);
    await this.node.settled();
    return page;
  }
}
const withRig = (name: string, body: (rig: Rig) => Promise<void>): Promise<void> =>
  withNode(name, settings, { design, seed: 1, wave: false }, node => body(new Rig(node)));

/** The proxy's reads, writes and additions for a client see the same bytes as the client's own. */
async function memory(rig: Rig): Promise<void> {
  const random = new Random(4),
    va = await rig.allocate(1, 2);
  await rig.allocate(offloadPid(0), 2);
  for (const client of [true, false]) {
    for (const length of [1, 8, 58, 64, 122, 1000, 1390]) {
      const data = random.bytes(length),
        at = va + BigInt(random.between(0, 2 * Number(page) - length));
      expect(await rig.ask(rig.proxy(1, { opcode: opcode.WRITE, client, va: at, length, data }))).toMatchObject({
        status: status.OK,
        opcode: proxyOp + 1,
        body: new Uint8Array(),
      });
      const read = await rig.ask(rig.proxy(1, { opcode: opcode.READ, client, va: at, length }));
      expect(read).toMatchObject({ status: status.OK, body: data });
      const own = await rig.ask(rig.client.read(1, at, length));
      if (client) expect(own.body.slice(12)).toEqual(data);
      else expect(own.body.slice(12)).not.toEqual(length === 1 ? undefined : data);
    }
  }
  const counter = va + 64n,
    add = (n: bigint): Uint8Array => encode(faaBody, { addend: n }).slice(12);
  await rig.ask(rig.client.write(1, counter, new Uint8Array(8)));
  for (let i = 0n; i < 3n; i++) {
    const old = await rig.ask(
      rig.proxy(1, { opcode: opcode.ATOMIC_FAA, client: true, va: counter, length: 8, data: add(5n) }),
    );
    expect(new DataView(old.body.buffer, old.body.byteOffset).getBigUint64(0, true)).toBe(5n * i);
  }
}

/** Wrong requests of an offload are refused, as a client's would be. */
async function refusals(rig: Rig): Promise<void> {
  const va = await rig.allocate(1, 1);
  expect(
    (await rig.ask(rig.proxy(1, { opcode: opcode.READ, client: false, va, length: 8 }))).status,
    "nothing is mapped in its own space",
  ).toBe(status.INVALID);
  expect(
    (await rig.ask(rig.proxy(2, { opcode: opcode.READ, client: true, va, length: 8 }))).status,
    "another client's pages",
  ).toBe(status.INVALID);
  for (const code of [opcode.FREE_PROC, opcode.WRITE_NOREPLY, opcode.QUERY_STAT, 0x00, 0x71, proxyOp]) {
    expect((await rig.ask(rig.proxy(1, { opcode: code, client: true, va, length: 8 }))).status, `opcode ${code}`).toBe(
      status.MALFORMED,
    );
  }
  expect(
    (await rig.ask(rig.proxy(1, { opcode: opcode.READ, client: true, va, length: 100_000 }))).status,
    "longer than a frame",
  ).toBe(status.MALFORMED);
  const ok = await rig.ask(
    rig.proxy(1, { opcode: opcode.WRITE, client: true, va, length: 3, data: Uint8Array.of(7, 8, 9) }),
  );
  expect(ok.status, "and the next one is served").toBe(status.OK);
}

/**
 * Single beats of an offload's read fail, SLVERR and DECERR: it gets FAIL, and so does its client. Then the
 * memory is whole again, and so is the next read. A refused write is told, too.
 */
async function badBeats(rig: Rig): Promise<void> {
  const random = new Random(9),
    va = await rig.allocate(1, 1),
    length = 1000,
    beat = 64,
    data = random.bytes(length),
    { ar } = axiPorts(rig.node.bench.io, "mem");
  // Where the page is: the address of the last burst of an access to it.
  let address = 0;
  rig.node.bench.onEdge({
    sample: () => {
      if (ar.valid.value === 1 && ar.ready.value === 1) address = ar.payload.addr.num;
    },
  });
  const write = { opcode: opcode.WRITE, client: true, va, length, data },
    read = { ...write, opcode: opcode.READ, data: new Uint8Array() };
  expect((await rig.ask(rig.proxy(1, write))).status).toBe(status.OK);
  expect((await rig.ask(rig.proxy(1, read))).body).toEqual(data);
  const start = address,
    last = Math.ceil(length / beat) - 1;
  for (const response of ["SLVERR", "DECERR"] as const)
    for (const beats of [[0], [last >> 1], [last], [0, last]]) {
      const ranges = beats.map(n => ({ from: start + n * beat, to: start + n * beat + beat, response })),
        where = `${response} in beats ${beats.join(" and ")}`;
      for (const range of ranges) rig.node.ram.failAt(range);
      expect((await rig.ask(rig.proxy(1, read))).status, where).toBe(status.FAIL);
      expect((await rig.ask(rig.proxy(1, write))).status, `a write: ${where}`).toBe(status.FAIL);
      for (const range of ranges) range.to = range.from;
      expect(await rig.ask(rig.proxy(1, read)), `the memory is whole: ${where}`).toMatchObject({
        status: status.OK,
        body: data,
      });
    }
}

describe("the node with offloads", () => {
  it("an offload reads, writes and adds in its own address space and in that of the client it works for", () =>
    withRig("offload memory", memory));
  it("what it may not do is refused, and the next request served", () => withRig("offload refusals", refusals));
  it("errors on single beats of its reads and writes are told", () => withRig("offload bad beats", badBeats));
  it("it allocates through the slow path, and its pages are its own", () =>
    withRig("offload allocation", async rig => {
      const rest = encode(allocBody, { len: 2n * page, vmFlags: 1n }).slice(12);
      const given = await rig.ask(
        rig.proxy(1, { opcode: opcode.ALLOC, client: false, va: 0n, length: Number(2n * page), data: rest }),
      );
      expect(given).toMatchObject({ status: status.OK, opcode: proxyOp + 1 });
      // The reply's first 12 bytes are ret and the address; the proxy gives on what follows: the node's address, its
      // port, the region.
      expect(given.body.length).toBe(12);
      const at = page,
        data = Uint8Array.of(1, 2, 3);
      const own = { opcode: opcode.READ, client: false, va: at, length: 3 };
      expect((await rig.ask(rig.proxy(1, { ...own, opcode: opcode.WRITE, data }))).status).toBe(status.OK);
      expect((await rig.ask(rig.proxy(1, own))).body).toEqual(data);
      expect((await rig.ask(rig.client.read(1, at, 3))).status, "a client's pid sees none of it").toBe(status.INVALID);
    }));
  it("a frame from outside cannot pass for an offload: it is dropped and counted", () =>
    withRig("forged sender", async rig => {
      const va = await rig.allocate(1, 1),
        frame = rig.client.read(1, va, 8),
        answered = rig.answers.size;
      frame.set([0x03, 0x43, 0x4c, 0x49, 0x4f, 0x00], 6);
      rig.node.send(frame);
      await rig.node.bench.cycles(2000);
      expect([rig.answers.size, await rig.node.transport.readCounter("dropSource")]).toEqual([answered, 1n]);
      expect((await rig.ask(rig.proxy(1, { opcode: opcode.READ, client: true, va, length: 8 }))).status).toBe(
        status.OK,
      );
    }));
  it("nobody outside names an offload's process: whatever is asked of it is INVALID", () =>
    withRig("own processes", async rig => {
      const rest = encode(allocBody, { len: page, vmFlags: 1n }).slice(12),
        own = { opcode: opcode.WRITE, client: false, va: page, length: 3, data: Uint8Array.of(1, 2, 3) };
      await rig.ask(rig.proxy(1, { opcode: opcode.ALLOC, client: false, va: 0n, length: Number(page), data: rest }));
      expect((await rig.ask(rig.proxy(1, own))).status).toBe(status.OK);
      const { client } = rig,
        theft = [
          client.read(offloadPid(0), page, 3),
          client.write(offloadPid(0), page, Uint8Array.of(9)),
          client.request(opcode.FREE_PROC, offloadPid(0)),
          client.allocate(offloadPid(0), { len: page, vmFlags: 1n }),
          client.request(opcode.PINGPONG, 0xffff),
        ];
      for (const frame of theft) expect((await rig.ask(frame)).status).toBe(status.INVALID);
      const found = await rig.ask(rig.proxy(1, { opcode: opcode.READ, client: false, va: page, length: 3 }));
      expect(found.body).toEqual(Uint8Array.of(1, 2, 3));
    }));
  it("a stuck offload fills its contexts, then its requests are answered BUSY; nobody else notices", () =>
    withRig("stuck offload", async rig => {
      const va = await rig.allocate(1, 1),
        quiet = await rig.ask(rig.client.read(1, va, 64)),
        before = rig.node.bench.cycle;
      const again = await rig.ask(rig.client.read(1, va, 64)),
        alone = again.cycle - before;
      expect(quiet.status).toBe(status.OK);
      const stuck = Array.from({ length: 20 }, () => rig.client.request(stuckOp, 1, new Uint8Array(1200)));
      for (const f of stuck) rig.node.send(f);
      await rig.node.bench.cycles(3000);
      const refused = stuck.filter(f => rig.answers.get(rig.idOf(f))?.status === status.BUSY).length;
      const silent = stuck.filter(f => !rig.answers.has(rig.idOf(f))).length;
      // As many as there are contexts, each with its body.
      expect([refused + silent, silent]).toEqual([20, 8]);
      const start = rig.node.bench.cycle,
        after = await rig.ask(rig.client.read(1, va, 64));
      expect(after.cycle - start).toBe(alone);
      expect((await rig.ask(rig.proxy(1, { opcode: opcode.READ, client: true, va, length: 64 }))).status).toBe(
        status.OK,
      );
      expect((await rig.ask(rig.client.allocate(1, { len: page, vmFlags: 1n }))).status).toBe(status.OK);
    }));
  it("a stuck offload is found and reset over the registers, and works afterwards; the fast path and another offload are not a cycle later for it", async () => {
    const run = async (resets: boolean): Promise<readonly (readonly [number, number])[]> => {
      let times: readonly (readonly [number, number])[] = [];
      await withRig("reset of a stuck offload", async rig => {
        const { node, client } = rig,
          control = new OffloadControl(node.transport.registers, node.slowPath.memory),
          va = await rig.allocate(1, 1);
        await control.setPatience(300);
        expect(await rig.ask(client.request(stuckOp, 1))).toMatchObject({ status: status.OK, opcode: stuckOp + 1 });
        expect(await control.stuck(), "before").toEqual([]);
        const held = Array.from({ length: 3 }, () => client.request(stuckOp, 1, new Uint8Array(500)));
        for (const f of held) node.send(f);
        await node.bench.cycles(800);
        expect(await control.stuck()).toEqual([1]);
        const begin = node.bench.cycle,
          asked: number[] = [];
        const reset = resets ? node.bench.spawn(() => control.resetStuck()) : undefined;
        for (let i = 0; i < 40; i++) {
          const at = va + BigInt(256 * i),
            frame =
              i % 3 === 0
                ? rig.proxy(1, { opcode: opcode.READ, client: true, va: at, length: 100 })
                : client.read(1, at, 64);
          node.send(frame);
          asked.push(rig.idOf(frame));
          await node.bench.cycles(37);
        }
        await node.bench.until(() => asked.every(id => rig.answers.has(id)));
        times = asked.map(id => [rig.answers.get(id)!.status, rig.answers.get(id)!.cycle - begin]);
        if (reset === undefined) return;
        expect(await reset).toEqual([1]);
        expect(
          held.map(f => rig.answers.get(rig.idOf(f))),
          "what it held, nothing of which was done",
        ).toMatchObject(held.map(() => ({ status: status.BUSY, opcode: stuckOp, body: new Uint8Array() })));
        expect(await control.stuck(), "afterwards").toEqual([]);
        for (let i = 0; i < 10; i++)
          expect(await rig.ask(client.request(stuckOp, 1))).toMatchObject({ status: status.OK, opcode: stuckOp + 1 });
      });
      return times;
    };
    const quiet = await run(false);
    expect(quiet.map(([code]) => code)).toEqual(quiet.map(() => status.OK));
    expect(await run(true)).toEqual(quiet);
  });
  it("an operation that is done at most once is, however often it is repeated, and answered as the first time", () =>
    withRig("once", async rig => {
      const va = await rig.allocate(1, 1),
        add = encode(faaBody, { addend: 3n }).slice(12);
      const body = proxyBody({ opcode: opcode.ATOMIC_FAA, client: true, va, length: 8, data: add });
      const first = rig.client.request(onceOp, 1, body),
        answer = await rig.ask(first);
      expect(answer).toMatchObject({ status: status.OK, opcode: onceOp + 1, body: new Uint8Array(8) });
      for (let i = 0; i < 3; i++)
        expect(await rig.ask(rig.client.repeat(first))).toMatchObject({
          status: status.OK,
          opcode: onceOp + 1,
          body: new Uint8Array(8),
        });
      // Two at once: the second comes while the first is being done.
      const next = rig.client.request(onceOp, 1, body),
        copy = rig.client.repeat(next);
      rig.node.send(next);
      expect((await rig.ask(copy)).status).toBe(status.BUSY);
      await rig.node.bench.until(() => rig.answers.has(rig.idOf(next)));
      expect(rig.answers.get(rig.idOf(next))!.body).toEqual(Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0));
      expect((await rig.ask(rig.client.repeat(next))).body).toEqual(Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0));
      // A failed operation is not tried again either, and one without a body is remembered too.
      const failed = rig.client.request(
        onceOp,
        1,
        proxyBody({ opcode: opcode.READ, client: true, va: va + page, length: 8 }),
      );
      expect((await rig.ask(failed)).status).toBe(status.INVALID);
      await rig.node.slowPath.memory.allocate({ pid: 1, address: va + page, length: page, vregion: 0n, write: true });
      expect(await rig.ask(rig.client.repeat(failed))).toMatchObject({
        status: status.INVALID,
        body: new Uint8Array(),
      });
      expect((await rig.ask(rig.client.read(1, va, 8))).body.slice(12)).toEqual(Uint8Array.of(6, 0, 0, 0, 0, 0, 0, 0));
    }));
  it("frames for the software right behind those of an offload: each goes its own way, whole", () =>
    withRig("offload and software", async rig => {
      const va = await rig.allocate(1, 1),
        random = new Random(10),
        written: { readonly at: bigint; readonly data: Uint8Array }[] = [],
        asked: number[] = [];
      for (let i = 0; i < 24; i++) {
        const data = random.bytes(1200 - 64 * (i % 5)),
          at = va + BigInt(2048 * i);
        const frames = [
          rig.proxy(1, { opcode: opcode.WRITE, client: true, va: at, length: data.length, data }),
          rig.client.request(opcode.SOC_PINGPONG, 1, new Uint8Array(4)),
        ];
        for (const f of frames) {
          rig.node.send(f);
          asked.push(rig.idOf(f));
        }
        written.push({ at, data });
        await rig.node.bench.until(() => asked.every(id => rig.answers.has(id)));
      }
      for (const { at, data } of written)
        expect((await rig.ask(rig.client.read(1, at, data.length))).body.slice(12)).toEqual(data);
    }));
  it("many requests at a time, each answered once with its own data", () =>
    withRig("offload traffic", async rig => {
      const random = new Random(9),
        va = await rig.allocate(1, 2),
        image = random.bytes(8192);
      for (let at = 0; at < image.length; at += 1024)
        await rig.ask(rig.client.write(1, va + BigInt(at), image.slice(at, at + 1024)));
      const asked = Array.from({ length: 200 }, () => {
        const length = random.between(1, 1400),
          at = random.between(0, image.length - length),
          direct = random.chance(0.5);
        const frame = direct
          ? rig.client.read(1, va + BigInt(at), length)
          : rig.proxy(1, { opcode: opcode.READ, client: true, va: va + BigInt(at), length });
        rig.node.send(frame);
        return { id: rig.idOf(frame), direct, data: image.slice(at, at + length) };
      });
      await rig.node.bench.until(() => asked.every(a => rig.answers.has(a.id)));
      let busy = 0;
      for (const a of asked) {
        const { status: code, body } = rig.answers.get(a.id)!;
        if (code === status.BUSY && !a.direct) {
          busy++;
          continue;
        }
        expect(code).toBe(status.OK);
        expect(a.direct ? body.slice(12) : body).toEqual(a.data);
      }
      expect(busy).toBeLessThan(asked.length);
    }));
});
