import { expect } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { MappedMemory, ReferenceNode } from "../../../../../designs/clio/model/index.ts";
import {
  extendPath,
  type ExtendPathParameters,
  type Offload,
  offloadPid,
} from "../../../../../designs/clio/offload/index.ts";
import { FrameClient } from "../../../../../designs/clio/workload/index.ts";
import { decode, ethernetHeader } from "../../../../../designs/shared/wire/index.ts";
import {
  dissect,
  frameOffsets,
  opcode,
  replyFrame,
  type RequestHeaders,
  status,
} from "../../../../../designs/clio/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  type Frame,
  never,
  type Pause,
  type SentFrame,
} from "../../../../../sim/index.ts";
import { offloadAt, Proxy, proxyBody } from "./proxy-offload.ts";
import { Half, Liar } from "./bad-offloads.ts";
import { spreadEndpoint } from "../../../../support/spread.ts";

/** Opcodes of the offloads, in the order of their slots; another of the extend path, that is no offload's. */
export const op = { proxy: 0x7a, once: 0x7e, half: 0x7c, liar: 0x76, software: 0x2e } as const;
export const offloads: readonly Offload[] = [
  offloadAt("proxy", op.proxy, Proxy),
  { ...offloadAt("once", op.once, Proxy), once: [op.once] },
  offloadAt("half", op.half, Half),
  offloadAt("liar", op.liar, Liar),
];
const settings = makeSettings(),
  { config, runtime } = settings;
export const page = BigInt(config.pageSize);
/** Few contexts and little room, so that all of it is full now and then. */
export const parameters: ExtendPathParameters = {
  beatBytes: 64,
  contexts: 8,
  maxData: 700,
  outstanding: 2,
  replyBeats: 16,
  maxBody: config.mtuFrame - frameOffsets.body,
  once: { entries: 64, keepCycles: 100_000 },
};
export const extendDut = extendPath(offloads)(parameters);
export type ExtendPorts = typeof extendDut.ports;

/** Pages of the clients 1 and 2, and of the two proxies. */
const pids = [1, 2, offloadPid(0), offloadPid(1)];
export type Call = Parameters<typeof proxyBody>[0];
/** Outcome of a request. */
export interface Asked {
  readonly frame: Uint8Array;
  readonly sent: SentFrame;
  readonly code: number;
  answer:
    | { readonly status: number; readonly body: Uint8Array; readonly bytes: Uint8Array; readonly cycle: number }
    | undefined;
}
export interface Pauses {
  readonly soc?: Pause;
  readonly tx?: Pause;
  readonly node?: Pause;
  readonly give?: Pause;
}

/** An offload has the group bit; a frame from outside that has it is marked by the highest bit. */
const isInternal = (frame: Uint8Array): boolean => ((frame[6] as number) & 0x81) === 1;
const headersOf = (frame: Uint8Array): RequestHeaders => {
  const { ethernet, ipv4, udp, clio } = dissect(frame);
  return { ethernet: ethernet!, ipv4: ipv4!, udp: udp!, clio: clio!, native: udp!.dstPort === runtime.nativePort };
};

/**
 * The extend path with four offloads, and its surroundings. They are a reference node that does memory requests and
 * answers out of order, clients, software, and a network. Passing frames are checked here: none is lost, doubled or out
 * of order. Every reply is for one request, with that request's headers.
 */
export class ExtendRig {
  readonly b: Bench<ExtendPorts>;
  readonly clients = [0, 1].map(i => new FrameClient(spreadEndpoint(i), runtime, 1 + 100_000 * i));
  readonly memory = new MappedMemory();
  readonly reference = new ReferenceNode(
    { ...config, maxData: parameters.maxData },
    runtime,
    this.memory,
    undefined,
    "inside",
  );
  readonly asked = new Map<number, Asked>();
  /** Memory requests as they came to the node: by slot. */
  readonly accesses: {
    readonly slot: number;
    readonly pid: number;
    readonly opcode: number;
    readonly cycle: number;
  }[] = [];
  /** Replies of memory arrive damaged: `user` on their last beat. */
  damages = false;
  /** Cycles that memory takes. */
  latency: () => number;
  /** Frames due at the software and the network, and frames that came. */
  readonly due: Record<"soc" | "socOut" | "rx" | "tx", Uint8Array[]> = { soc: [], socOut: [], rx: [], tx: [] };
  readonly got: Record<"soc" | "socOut" | "rx" | "tx", Uint8Array[]> = { soc: [], socOut: [], rx: [], tx: [] };
  private readonly to: Record<"nodeSocRx" | "nodeTx" | "rx" | "socTx", AxisSource>;
  private readonly from: Record<"nodeRx" | "tx" | "socRx" | "nodeSocTx", AxisSink>;
  private replies: { readonly at: number; readonly bytes: Uint8Array; readonly user: number }[] = [];

  constructor(b: Bench<ExtendPorts>, { soc = never, tx = never, node = never, give = never }: Pauses = {}) {
    this.b = b;
    this.latency = () => b.random.between(5, 120);
    for (const [name, value] of Object.entries(runtime))
      if (name in b.io.config)
        (b.io.config as unknown as Record<string, { value: number | bigint }>)[name]!.value = Number(value);
    b.io.config.mac.value = runtime.mac;
    for (const pid of pids) for (let vpn = 1n; vpn < 3n; vpn++) this.memory.map(pid, vpn, { read: true, write: true });
    const source = (name: keyof ExtendRig["to"]): AxisSource => new AxisSource(b.sim, b.io[name], { pause: give });
    const sink = (name: keyof ExtendRig["from"], pause: Pause): AxisSink => new AxisSink(b.sim, b.io[name], { pause });
    this.to = { nodeSocRx: source("nodeSocRx"), nodeTx: source("nodeTx"), rx: source("rx"), socTx: source("socTx") };
    this.from = {
      nodeRx: sink("nodeRx", node),
      tx: sink("tx", tx),
      socRx: sink("socRx", soc),
      nodeSocTx: sink("nodeSocTx", soc),
    };
    b.onEdge({ sample: cycle => this.sample(cycle) });
  }

  /** A reset, between two frames; all that was under way is forgotten here, too. */
  async reset(): Promise<void> {
    await this.b.until(
      () =>
        Object.values(this.to).every(s => s.pending === 0) &&
        Object.values(this.from).every(s => !s.monitor.inFrame) &&
        this.replies.length > 0,
    );
    this.replies = [];
    this.accesses.length = 0;
    this.refused.length = 0;
    this.asked.clear();
    for (const way of ["soc", "socOut", "rx", "tx"] as const) this.due[way].length = this.got[way].length = 0;
    this.b.sim.reset();
  }

  private sample(cycle: number): void {
    const { nodeRx, tx, socRx, nodeSocTx } = this.from;
    for (let f = nodeRx.take(); f !== undefined; f = nodeRx.take())
      if (isInternal(f.bytes)) this.access(f);
      else this.got.rx.push(f.bytes);
    for (let f = tx.take(); f !== undefined; f = tx.take()) this.got.tx.push(f.bytes);
    for (let f = socRx.take(); f !== undefined; f = socRx.take()) this.got.soc.push(f.bytes);
    for (let f = nodeSocTx.take(); f !== undefined; f = nodeSocTx.take()) this.replied(f);
    for (const r of this.replies.filter(x => x.at <= cycle))
      this.to.nodeTx.send(r.bytes, { user: r.user, userAtEnd: true });
    this.replies = this.replies.filter(x => x.at > cycle);
  }

  /** A memory request of an offload: done here and now, answered later. */
  private access({ bytes, end }: Frame): void {
    const { ethernet, clio } = dissect(bytes),
      slot = Number(ethernet!.src & 255n),
      own = clio!.pid === offloadPid(slot);
    expect(slot, "the slot that a memory request names").toBeLessThan(offloads.length);
    expect(
      own ||
        clio!.opcode === 0 ||
        [...this.asked.values()].some(
          a =>
            a.answer === undefined &&
            a.code === offloads[slot]!.opcodes[0] &&
            headersOf(a.frame).clio.pid === clio!.pid,
        ),
      `slot ${slot} asks memory for process ${clio!.pid}, whose request it does not have`,
    ).toBe(true);
    this.accesses.push({ slot, pid: clio!.pid, opcode: clio!.opcode, cycle: end });
    const outcome = this.reference.receive(bytes);
    if (outcome.kind !== "reply")
      throw new Error(`the node would answer nothing to a memory request of slot ${slot}: ${JSON.stringify(outcome)}`);
    this.replies.push({ at: end + this.latency(), bytes: outcome.frame, user: +this.damages });
  }

  private replied({ bytes, end }: Frame): void {
    const d = dissect(bytes),
      id = d.clio?.requestId ?? -1,
      asked = this.asked.get(id);
    if (decode(ethernetHeader, bytes).dst === softwareMac) {
      this.got.socOut.push(bytes);
      return;
    }
    if (asked === undefined) throw new Error(`a reply to request ${id}, which nobody has made`);
    expect(asked.answer, `a second reply to request ${id}`).toBeUndefined();
    const { clio, body } = d;
    expect(bytes, `the reply to request ${id}, all but its status, opcode and body`).toEqual(
      replyFrame(runtime, headersOf(asked.frame), clio!.opcode, clio!.status, body!),
    );
    asked.answer = { status: clio!.status, body: body!, bytes, cycle: end };
    expect(clio!.opcode, `opcode of the reply to request ${id}`).toBe(
      asked.code + (clio!.status === status.BUSY || clio!.status === status.EXPIRED ? 0 : 1),
    );
    if (clio!.status === status.BUSY && asked.code !== op.once) {
      const before = [...this.asked.values()].filter(
        a =>
          a !== asked &&
          a.code === asked.code &&
          a.sent.end !== undefined &&
          a.sent.end < asked.sent.end! &&
          (a.answer?.cycle ?? Infinity) >= asked.sent.end!,
      );
      const { src } = headersOf(asked.frame).ipv4,
        own = before.filter(a => headersOf(a.frame).ipv4.src === src).length;
      this.refused.push({ asked, before: before.length, own });
    }
  }
  /**
   * Requests answered BUSY, and how many were in the offload or on their way to or from it as they came, and those of
   * its client.
   */
  readonly refused: { readonly asked: Asked; readonly before: number; readonly own: number }[] = [];

  /** A request; `again` repeats an earlier one. */
  request(frame: Uint8Array): Asked {
    const { clio } = dissect(frame),
      asked: Asked = { frame, sent: this.to.nodeSocRx.send(frame), code: clio!.opcode, answer: undefined };
    this.asked.set(clio!.requestId, asked);
    return asked;
  }
  proxy(code: number, pid: number, call: Call): Asked {
    return this.request(this.clients[pid - 1]!.request(code, pid, proxyBody(call)));
  }
  async answered(...all: readonly Asked[]): Promise<void> {
    await this.b.until(() => all.every(a => a.answer !== undefined));
  }

  /** A frame for the software, from the node. */
  software(data: Uint8Array): void {
    const frame = this.clients[0]!.request(op.software, 1, data);
    this.due.soc.push(frame);
    this.to.nodeSocRx.send(frame);
  }
  /** Frames that have nothing to do with offloads: for the software, from it, to the node and from it. */
  other(way: keyof ExtendRig["due"]): void {
    const { b } = this,
      client = this.clients[0]!;
    const data = b.random.bytes(b.random.between(0, 1200));
    const frame =
      way === "socOut"
        ? b.random.bytes(60 + data.length)
        : client.request(b.random.pick([op.software, opcode.SOC_PINGPONG]), 1, data);
    if (way === "socOut") for (let i = 0; i < 6; i++) frame[i] = Number((softwareMac >> BigInt(40 - 8 * i)) & 255n);
    if (way === "rx" && b.random.chance(0.3)) {
      // Somebody who would like to be an offload.
      frame.set([0x03, 0x43, 0x4c, 0x49, 0x4f, 0x00], 6);
      const marked = frame.slice();
      marked[6] = 0x83;
      this.due.rx.push(marked);
    } else this.due[way].push(frame);
    this.to[({ soc: "nodeSocRx", socOut: "socTx", rx: "rx", tx: "nodeTx" } as const)[way]].send(frame);
  }

  /** Waits until nothing moves any more but what is stuck, then looks whether all frames have come that had to. */
  async settled(stuck: readonly Asked[] = []): Promise<void> {
    await this.b.until(
      () =>
        Object.values(this.to).every(s => s.pending === 0) &&
        this.replies.length === 0 &&
        [...this.asked.values()].every(a => a.answer !== undefined || stuck.includes(a)),
    );
    await this.b.cycles(150);
    for (const way of ["soc", "socOut", "rx", "tx"] as const)
      expect(this.got[way], `frames ${way}: none lost, twice, changed or out of order`).toEqual(this.due[way]);
    for (const a of stuck) expect(a.answer, "of a stuck offload").toBeUndefined();
    // A client has no more requests inside than there are free contexts.
    for (const { before, own } of this.refused)
      expect(before + own, "requests there were when one was refused").toBeGreaterThanOrEqual(parameters.contexts);
  }
}
const softwareMac = 0x02fe_fe00_0001n;
