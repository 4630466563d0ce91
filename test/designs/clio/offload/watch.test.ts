/** Stuck offloads are found and reset by the running slow path, in the cycle-accurate node, and nothing leaks. */
import { describe, expect, it } from "vitest";
import { makeSettings, parametersOf } from "../../../../designs/clio/config/index.ts";
import { extendedNode, offloadPid } from "../../../../designs/clio/offload/index.ts";
import { offloadBuilds } from "../../../../designs/clio/offloads/index.ts";
import { fieldPlace } from "../../../../designs/clio/registers/index.ts";
import { type SimulatedNode, withNode } from "../../../../designs/clio/rig/index.ts";
import { FrameClient } from "../../../../designs/clio/workload/index.ts";
import { allocBody, dissect, opcode, pointerChaseBody, status } from "../../../../designs/clio/wire/index.ts";
import { encode } from "../../../../designs/shared/wire/index.ts";
import { designOf } from "../../../../sim/index.ts";
import { offloadAt, Proxy, proxyBody } from "./support/proxy-offload.ts";
import { Sticky } from "./support/bad-offloads.ts";
import { spreadEndpoint } from "../../../support/spread.ts";

const proxyOp = 0x7a,
  stuckOp = 0x7c,
  // With offloads in the settings the slow path watches over them.
  settings = makeSettings({ offloads: "chase" }),
  page = BigInt(settings.config.pageSize);
const design = designOf(
  extendedNode([offloadAt("proxy", proxyOp, Proxy), offloadAt("stuck", stuckOp, Sticky), offloadBuilds.chase])(
    parametersOf(settings.config),
  ),
);

/** Each client counts its requests by itself. */
const nameOf = (client = 0, request = 0): number => (client % 256) * 2 ** 24 + request;

class Asker {
  readonly node: SimulatedNode;
  readonly answers = new Map<number, { readonly status: number; readonly cycle: number }>();
  readonly sent = new Map<number, { readonly code: number; readonly cycle: number }>();
  constructor(node: SimulatedNode) {
    this.node = node;
    node.bench.onEdge({
      sample: cycle => {
        for (let f = node.take(); f !== undefined; f = node.take()) {
          const { clio, ipv4 } = dissect(f.bytes),
            id = nameOf(ipv4?.dst, clio?.requestId);
          expect(this.answers.has(id), `a second reply to request ${id}`).toBe(false);
          this.answers.set(id, { status: clio?.status ?? -1, cycle });
        }
      },
    });
  }
  ask(frame: Uint8Array): number {
    const { clio, ipv4 } = dissect(frame),
      id = nameOf(ipv4?.src, clio?.requestId);
    this.sent.set(id, { code: clio?.opcode ?? -1, cycle: this.node.bench.cycle });
    this.node.send(frame);
    return id;
  }
  async status(frame: Uint8Array): Promise<number> {
    const id = this.ask(frame);
    await this.node.bench.until(() => this.answers.has(id));
    return this.answers.get(id)?.status ?? -1;
  }
}
/** What a run must give back: frames of memory, processes, and every request its one answer. */
async function nothingLeft(asker: Asker, free: number, resets: number): Promise<void> {
  const { node } = asker;
  await node.bench.until(() => [...asker.sent.keys()].every(id => asker.answers.has(id)));
  await node.settled();
  expect(node.bench.io.busy.big, "nothing is under way").toBe(0n);
  const { statistics } = node.slowPath;
  expect([statistics.offloadResets, statistics.offloadsDown], "resets, and offloads that stay down").toEqual([
    resets,
    0,
  ]);
  expect(statistics.freeFrames + Number(node.bench.io.freePages.value), "frames").toBe(free);
}
const framesOf = (node: SimulatedNode): number =>
  node.slowPath.statistics.freeFrames + Number(node.bench.io.freePages.value);
const run = (name: string, body: (node: SimulatedNode, client: FrameClient) => Promise<void>): Promise<void> =>
  withNode(name, settings, { design, seed: 1, wave: false, hangCycles: 60_000, limitCycles: 600_000 }, async node => {
    await node.slowPath.offloads?.setPatience(300);
    await body(node, new FrameClient(spreadEndpoint(0), settings.runtime));
  });

/** Requests come all the time, before, during and after each reset. */
const storm =
  (step: number) =>
  async (node: SimulatedNode, client: FrameClient): Promise<void> => {
    const asker = new Asker(node),
      free = framesOf(node);
    for (let round = 0; round < 3; round++) {
      const stuck = [1, 2].map(() => asker.ask(client.request(stuckOp, 1, new Uint8Array(300))));
      const others: number[] = [];
      for (let i = 0; i < 60; i++) {
        others.push(asker.ask(client.request(stuckOp, 1)));
        await node.bench.cycles(step + 17 * round);
      }
      await node.bench.until(() => [...stuck, ...others].every(id => asker.answers.has(id)));
      const ends = (ids: readonly number[]): Set<number> => new Set(ids.map(id => asker.answers.get(id)?.status ?? -1));
      expect(ends(stuck), "what it held").toEqual(new Set([status.BUSY]));
      for (const end of ends(others)) expect([status.OK, status.BUSY]).toContain(end);
      expect(await asker.status(client.request(stuckOp, 1)), "it works again").toBe(status.OK);
    }
    await nothingLeft(asker, free, 3);
  };

/** The offload asks for memory, and the software never says a word. */
async function silence(node: SimulatedNode, client: FrameClient): Promise<void> {
  const asker = new Asker(node),
    free = framesOf(node),
    { slowPath } = node,
    answer = slowPath.answer.bind(slowPath),
    late: Uint8Array[] = [];
  let silent = true;
  slowPath.answer = frame => {
    const { clio } = dissect(frame);
    if (!silent || clio?.opcode !== opcode.ALLOC || clio.pid !== offloadPid(0)) return answer(frame);
    late.push(frame);
    return Promise.resolve(undefined);
  };
  const rest = encode(allocBody, { len: page, vmFlags: 1n }).slice(12),
    alloc = (): Uint8Array =>
      client.request(
        proxyOp,
        1,
        proxyBody({ opcode: opcode.ALLOC, client: false, va: 0n, length: Number(page), data: rest }),
      );
  const id = asker.ask(alloc());
  await node.bench.until(() => late.length === 1);
  // The offload waits for memory: that is not being stuck. A person, or whoever owns the node, resets it.
  await node.bench.cycles(1500);
  expect(await slowPath.offloads?.stuck()).toEqual([]);
  const began = node.bench.cycle;
  await slowPath.offloads?.reset(0);
  expect(node.bench.cycle - began, "16 x patience, and what the registers take").toBeLessThan(16 * 300 + 2000);
  expect(node.bench.cycle - began).toBeGreaterThan(16 * 300);
  expect(asker.answers.get(id)?.status).toBe(status.BUSY);
  // The answer comes after all, to an offload that has begun anew and waits for one of its own.
  silent = false;
  const again = asker.ask(alloc());
  for (const frame of late) {
    const reply = await answer(frame);
    if (reply) await node.transport.send(reply);
  }
  await node.bench.until(() => asker.answers.has(again));
  expect(asker.answers.get(again)?.status).toBe(status.OK);
  const own = { client: false, va: 2n * page, length: 3 };
  expect(
    await asker.status(
      client.request(proxyOp, 1, proxyBody({ ...own, opcode: opcode.WRITE, data: Uint8Array.of(1, 2, 3) })),
    ),
  ).toBe(status.OK);
  await slowPath.offloads?.reset(0);
  await nothingLeft(asker, free, 0);
}

/** One client's endless chases, and the turn of another's short one. */
async function longChases(node: SimulatedNode, client: FrameClient): Promise<void> {
  const asker = new Asker(node),
    other = new FrameClient(spreadEndpoint(1), settings.runtime);
  const at = await node.slowPath.memory.allocate({ pid: 1, address: page, length: page, vregion: 0n, write: true });
  if (!at.ok) throw new Error("no memory");
  await node.settled();
  const word = (n: bigint): Uint8Array => new Uint8Array(new BigUint64Array([n]).buffer);
  const chase = (c: FrameClient, addr: bigint): Uint8Array =>
    c.request(
      opcode.POINTER_CHASE,
      1,
      encode(pointerChaseBody, { addr, key: 77n, structSize: 16, valueSize: 8, nextOffset: 1, useKey: 1 }),
    );
  // A ring of one node; and a list of eight, the last of which has the key.
  await asker.status(client.write(1, page + 8n, word(page)));
  for (let i = 1n; i <= 8n; i++)
    await asker.status(
      client.write(
        1,
        page + 64n * i,
        new Uint8Array(new BigUint64Array([i === 8n ? 77n : 0n, page + 64n * (i + 1n)]).buffer),
      ),
    );
  const long = Array.from({ length: 20 }, () => asker.ask(chase(client, page)));
  await node.bench.until(() => long.filter(id => asker.answers.has(id)).length >= 12);
  const alone = 8 * 110;
  let most = 0;
  for (let i = 0; i < 10; i++) {
    const began = node.bench.cycle;
    expect(await asker.status(chase(other, page + 64n)), "a short chase beside eight long ones").toBe(status.OK);
    most = Math.max(most, node.bench.cycle - began);
    // The first client tries to take every place that becomes free.
    expect(await asker.status(chase(client, page)), "one more of the first client").toBe(status.BUSY);
  }
  expect(long.filter(id => !asker.answers.has(id)).length, "the long ones, half of the contexts").toBe(8);
  // Nine chases side by side: each gets every ninth READ.
  expect(most, "cycles of a chase of 8 nodes").toBeLessThan(3 * alone);
  await node.slowPath.offloads?.reset(2);
  await nothingLeft(asker, framesOf(node), 0);
}

describe("a node that looks after its offloads", () => {
  for (const step of [7, 40])
    it(`stuck three times, a request every ${step} cycles and more: found, reset, every request answered once, nothing left`, () =>
      run("watch", storm(step)));
  it("an ALLOC that is never answered: the reset ends, and the late answer is nobody's", () => run("silence", silence));
  it("eight chases without end of one client: another's are served beside them", () => run("long chases", longChases));
  it("the registers tell what there is", () =>
    run("registers", async node => {
      const read = async (name: Parameters<typeof fieldPlace>[0]): Promise<number> =>
        node.transport.registers.read(fieldPlace(name).register.address);
      expect(await read("offloadLimit")).toBe(2 ** 19);
      expect(await read("offload1Since")).toBe(0);
    }));
});
