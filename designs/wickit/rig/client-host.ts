import { status } from "../../clio/wire/index.ts";
import type { OffloadMemory } from "../../clio/model/index.ts";
import type { Ports } from "../../../hdl-dsl/index.ts";
import {
  type Bench,
  EthernetMac,
  never,
  type Pause,
  ProtocolError,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import type { WicCall } from "../model/index.ts";
import type { ClientWic, ClientWicParameters } from "../rtl/index.ts";
import { FrameNode, type FrameNodeOptions } from "./frame-node.ts";

export type ClientPorts = ReturnType<typeof ClientWic> extends { readonly ports: infer P extends Ports } ? P : never;
/** The streams of a client's engine that may pause. */
export type ClientStream = "request" | "requestData" | "reply" | "replyData" | "rx" | "tx";
export interface ClientHostOptions extends Omit<FrameNodeOptions, "own" | "client" | "random"> {
  readonly parameters: ClientWicParameters;
  readonly base: bigint;
  readonly pid: number;
  readonly memory: OffloadMemory;
  /** Cycles until a request is sent again, and how often at most. Default 1,500 and 200. */
  readonly timeout?: number;
  readonly tries?: number;
  /** Default: none pauses. */
  readonly pause?: (stream: ClientStream) => Pause;
}
/** What a request was answered, and when: cycles of its header and of the reply's. */
export interface WicReplyOf {
  readonly status: number;
  readonly words: readonly bigint[];
  readonly taken: number;
  readonly replied: number;
}

// The sum of a READ's IPv4 header carries twice with these addresses.
const client = { mac: 0x02_00_00_00_00_11n, ip: 0xc0a8_6fec, port: 4711 },
  node = { mac: 0x02_00_00_00_00_22n, ip: 0x0a00_0022, port: 51_000 };

/** Requests for an engine at the compute side, with a node behind its frames. */
export class ClientHost {
  readonly node: FrameNode;
  readonly #b: Bench<ClientPorts>;
  readonly #o: ClientHostOptions;
  readonly #request;
  readonly #data;
  readonly #reply;
  readonly #replyData;
  readonly #waiting = new Map<number, { readonly taken: () => number; readonly done: (r: WicReplyOf) => void }>();
  #heads: { readonly tag: number; readonly status: number; readonly words: number; readonly cycle: number }[] = [];
  #words: bigint[] = [];
  #tag = 0;
  #resets = 0;
  #resetting = false;
  /** Requests sent again. */
  repeated = 0;

  constructor(b: Bench<ClientPorts>, o: ClientHostOptions) {
    this.#b = b;
    this.#o = o;
    const { sim, io } = b,
      { pause = () => never } = o,
      of = (stream: ClientStream) => ({ pause: pause(stream) });
    this.#request = new StreamSource(sim, io.request, of("request"));
    this.#data = new StreamSource(sim, io.requestData, of("requestData"));
    this.#reply = new StreamSink(sim, io.reply, of("reply"));
    this.#replyData = new StreamSink(sim, io.replyData, of("replyData"));
    const mac = new EthernetMac(sim, io.rx, io.tx, { pauseRx: pause("rx"), pauseTx: pause("tx") });
    this.node = new FrameNode(sim, mac, { ...o, own: node, client, random: b.random.fork("network") });
    this.#configure();
    sim.onEdge({ sample: cycle => this.#sample(cycle) });
  }
  #configure(): void {
    const { io } = this.#b,
      c = io.config;
    io.base.value = this.#o.base;
    c.mac.value = client.mac;
    c.ip.value = client.ip;
    c.port.value = client.port;
    c.nodeMac.value = node.mac;
    c.nodeIp.value = node.ip;
    c.nodePort.value = node.port;
    c.pid.value = this.#o.pid;
    // Newer than all of before: a reset is no reason to be taken for a repetition.
    const first = (0xffff_ff00 + this.#resets * 0x1000) >>> 0;
    c.firstId.value = first;
    this.node.firstNumber = first;
    c.timeout.value = this.#o.timeout ?? 1500;
    c.tries.value = this.#o.tries ?? 200;
    c.on.value = 1;
  }

  async load(image: readonly number[]): Promise<void> {
    const { load } = this.#b.io;
    for (const [address, instruction] of image.entries()) {
      load.payload.address.value = address;
      load.payload.instruction.value = instruction;
      load.valid.value = 1;
      await this.#b.cycles(1);
    }
    load.valid.value = 0;
  }
  async call(call: WicCall): Promise<WicReplyOf> {
    const [reply] = await this.all([call]);
    return reply as WicReplyOf;
  }
  /** Requests one behind the other; their replies in their order. */
  async all(calls: readonly WicCall[]): Promise<WicReplyOf[]> {
    const replies = calls.map((): WicReplyOf | undefined => undefined);
    let left = calls.length;
    calls.forEach((c, i) =>
      this.#ask(c, r => {
        replies[i] = r;
        left--;
      }),
    );
    await this.#b.until(() => left === 0);
    return replies as WicReplyOf[];
  }
  /** Requests whose replies nobody waits for. */
  start(calls: readonly WicCall[]): void {
    for (const c of calls) this.#ask(c, () => undefined);
  }
  async drained(): Promise<void> {
    await this.#b.cycles(20);
    const { free, inFlight } = this.#b.io.state;
    if (Number(free.value) !== this.#o.parameters.engine.contexts || Number(inFlight.value) !== 0)
      throw new ProtocolError(`${free.value} contexts are free and ${inFlight.value} accesses under way at the end`);
  }
  reset(): void {
    const forget = (): void => {
      this.#request.forget();
      this.#data.forget();
      this.#reply.received.length = this.#replyData.received.length = 0;
      this.#waiting.clear();
      this.#heads = [];
      this.#words = [];
    };
    this.#resets++;
    forget();
    this.#resetting = true;
    this.#b.sim.reset();
    this.#resetting = false;
    forget();
    this.#configure();
  }

  #ask(call: WicCall, done: (r: WicReplyOf) => void): void {
    while (this.#waiting.has(this.#tag)) this.#tag = (this.#tag + 1) % 256;
    const tag = this.#tag,
      header = this.#request.send({ tag, program: call.program, words: call.words.length });
    for (const w of call.words) this.#data.send(w);
    this.#waiting.set(tag, { taken: () => header.cycle ?? Number.NaN, done });
  }
  #sample(cycle: number): void {
    if (this.#resetting) return;
    if (this.#b.io.events.repeated.value !== 0) this.repeated++;
    for (let r = this.#reply.take(); r; r = this.#reply.take()) {
      const v = r.value;
      this.#heads.push({ tag: v.tag, status: v.status, words: v.words, cycle });
    }
    for (let w = this.#replyData.take(); w; w = this.#replyData.take()) this.#words.push(w.value);
    for (let [h] = this.#heads; h && this.#words.length >= h.words; [h] = this.#heads) {
      this.#heads.shift();
      const waiting = this.#waiting.get(h.tag);
      if (!waiting) throw new ProtocolError(`a reply with tag ${h.tag} that no request has`);
      this.#waiting.delete(h.tag);
      if (h.status !== status.OK && h.words > 0) throw new ProtocolError("a refusal with words");
      waiting.done({
        status: h.status,
        words: this.#words.splice(0, h.words),
        taken: waiting.taken(),
        replied: h.cycle,
      });
    }
  }
}
