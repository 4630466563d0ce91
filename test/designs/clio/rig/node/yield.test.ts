/**
 * Turns for places through the whole node: 64 clients never pause and have all places, and one more wants in. Every
 * client counts up a word of its own, so that what is done twice, or done after YIELD, shows in what it reads.
 */
import { describe, expect, it } from "vitest";
import { clioNode } from "../../../../../designs/clio/build/index.ts";
import { clockPeriod, makeSettings } from "../../../../../designs/clio/config/index.ts";
import { turnCycles } from "../../../../../designs/clio/rtl/index.ts";
import { clientEndpoint } from "../../../../../designs/clio/workload/index.ts";
import { type SimulatedNode, withNode } from "../../../../../designs/clio/rig/index.ts";
import * as p from "../../../../support/packets.ts";
import { findsFault, plant } from "../../../../support/plant.ts";

/** The smallest node that knows 64 clients: the subject is who has a place. */
const settings = makeSettings({
    dataWidth: 64,
    pageSize: 4096,
    physicalMemory: "4MB",
    freePageBuffer: 4,
    requestSlots: 16,
    outstandingMisses: 2,
    tlbEntries: 16,
    retryClients: 64,
  }),
  { config, runtime } = settings,
  { opcode, status } = p,
  timeoutCycles = config.retryCycles,
  part = turnCycles({ timeoutCycles, clients: config.retryClients });
/** Cycles between an answer and the client's next request: all are heard of often enough to be no silent ones. */
const pause = 900;

type Step = "greets" | "adds";

/** A client with one request under way, that does as the answers say. */
class Adder {
  readonly #from: p.Endpoint;
  readonly #va: bigint;
  readonly #pid: number;
  #id = 1;
  /** Of the operation's first request. */
  #first = 1;
  #again = false;
  step: Step = "greets";
  /** When it sends next; undefined while it waits for an answer. */
  at: number | undefined = 0;
  done = 0;
  yields = 0;
  /** When it was refused first, and when it became known first. */
  refused: number | undefined;
  known: number | undefined;
  readonly problems: string[] = [];

  constructor(n: number, pid: number, va: bigint) {
    this.#from = clientEndpoint(n);
    this.#pid = pid;
    this.#va = va + 8n * BigInt(n);
  }
  get ip(): number {
    return this.#from.ip;
  }

  request(): Uint8Array {
    const id = this.#id++,
      retry = this.#again ? { flagRetry: 1, retryOf: this.#first } : {};
    if (!this.#again) this.#first = id;
    this.at = undefined;
    const header = { pid: this.#pid, flagTracked: 1, requestId: id, ...retry },
      message =
        this.step === "greets"
          ? p.clioMessage({ ...header, opcode: opcode.FENCE })
          : p.clioMessage(
              { ...header, opcode: opcode.ATOMIC_FAA },
              p.encode(p.faaBody, { va: this.#va, length: 8, addend: 1n }),
            );
    return p.udpFrame(this.#from, { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort }, message);
  }
  answer({ clio, body }: p.Dissected, cycle: number): void {
    const code = clio?.status,
      waits = ((clio && p.waitOf(clio)) ?? 0) / clockPeriod;
    // Only a first request makes its client known.
    this.#again = code === status.BUSY && this.step === "adds";
    this.at = cycle + Math.ceil(waits) + (this.step === "greets" ? 1 : pause);
    if (code === status.OK) this.#ok(body, cycle);
    else if (code === status.YIELD) this.#gaveWay(waits);
    // What was refused with BUSY late in a turn was not done, and its client is not known any more.
    else if (code === status.EXPIRED) this.step = "greets";
    else if (code === status.BUSY) this.refused ??= cycle;
    else this.problems.push(`status ${code}`);
  }
  #ok(body: Uint8Array | undefined, cycle: number): void {
    if (this.step === "adds") {
      const before = p.decode(p.oldValueBody, body!).old;
      if (before !== BigInt(this.done))
        this.problems.push(`${before} additions done, ${this.done} of them answered OK`);
      this.done++;
    } else this.known ??= cycle;
    this.step = "adds";
  }
  #gaveWay(waits: number): void {
    this.yields++;
    if (!(waits > 0 && waits <= 2 * part + 100)) this.problems.push(`told to wait for ${waits} cycles after YIELD`);
    this.step = "greets";
  }
}

/** A process with a page, asked for as clients do that the node does not know. */
async function memory(node: SimulatedNode): Promise<{ readonly pid: number; readonly va: bigint }> {
  const ask = async (code: number, pid: number, body: Uint8Array): Promise<Uint8Array> => {
    const to = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };
    node.send(p.udpFrame(clientEndpoint(99), to, p.clioMessage({ opcode: code, pid }, body)));
    let frame = node.take();
    await node.bench.until(() => (frame ??= node.take()) !== undefined);
    return p.dissect(frame!.bytes).body!;
  };
  const pid = p.decode(p.createProcReplyBody, await ask(opcode.CREATE_PROC, 0, new Uint8Array(64))).newPid,
    wanted = p.encode(p.allocBody, { len: 4096n, vregion: 1n, vmFlags: p.vmFlag.write });
  return { pid, va: p.decode(p.allocReplyBody, await ask(opcode.ALLOC, pid, wanted)).addr };
}

async function takesTurns(node: SimulatedNode): Promise<void> {
  const { bench } = node,
    { pid, va } = await memory(node),
    all = Array.from({ length: config.retryClients }, (_, i) => new Adder(i, pid, va)),
    byIp = new Map(all.map(c => [c.ip, c]));
  const run = async (done: () => boolean, limit: number): Promise<void> => {
    for (const end = bench.cycle + limit; !done() && bench.cycle < end;) {
      for (const c of all) if (c.at !== undefined && c.at <= bench.cycle) node.send(c.request());
      for (let frame = node.take(); frame; frame = node.take()) {
        const d = p.dissect(frame.bytes);
        byIp.get(d.ipv4!.dst)?.answer(d, bench.cycle);
      }
      await bench.cycles(1);
    }
  };
  await run(() => all.every(c => c.done > 1), 60 * pause);
  expect(
    all.map(c => c.yields).filter(n => n > 0),
    "while there is room nobody gives way",
  ).toEqual([]);
  const newcomer = new Adder(config.retryClients, pid, va);
  byIp.set(newcomer.ip, newcomer);
  all.push(newcomer);
  newcomer.at = bench.cycle;
  const told = 3.25 * timeoutCycles + 2 * config.retryClients + 16,
    most = 3 * told + 2 * part + 2 * (config.retryEntries / 4 + 16) + 100 * config.retryClients;
  await run(() => newcomer.done > 1, most);
  expect(newcomer.done, "the newcomer's additions").toBeGreaterThan(1);
  // Nobody can be forgotten for a part; then a turn has two.
  expect(newcomer.known! - newcomer.refused!, "cycles until it was in").toBeGreaterThanOrEqual(3 * part);
  const gave = all.filter(c => c.yields > 0),
    [leaver] = gave;
  expect(gave.length, "one client gives way").toBe(1);
  // It wants in again, and the next one gives way. Everybody goes on.
  const before = all.map(c => c.done);
  await run(() => leaver!.done > before[all.indexOf(leaver!)]! && all.every((c, i) => c.done > before[i]!), 2 * most);
  expect(
    all.filter((c, i) => c.done <= before[i]!).map(c => c.ip),
    "who does not go on",
  ).toEqual([]);
  for (const c of all) expect(c.problems).toEqual([]);
  // Nothing is left behind: no slot, no lane, no frame.
  for (const c of all) c.at = undefined;
  await node.settled();
}

const o = { seed: 5, wave: false, hangCycles: 60_000, limitCycles: 2_000_000 };

describe("64 clients that never pause, and one more", () => {
  it("the client known for longest gets YIELD and gives its place up, the newcomer is in; every addition is done once", () =>
    withNode("yield", settings, o, takesTurns));
  const faults: readonly (readonly [string, RegExp | string, string, RegExp])[] = [
    ["nobody leaves", /(?<=wire clients_strike_valid = )[^;]*;/, "1'b0;", /newcomer's additions/],
    ["who is to leave goes on", /(?<=wire fresh = newer) & ~leaving/, "", /gives way/],
    ["YIELD is told as BUSY", "status_yield = 4'd12", "status_yield = 4'd6", /gives way/],
  ];
  for (const [name, from, to, why] of faults)
    it(`a planted fault is found: ${name}`, () =>
      findsFault(withNode("yield", settings, { ...o, design: plant(clioNode(config), from, to) }, takesTurns), why));
});
