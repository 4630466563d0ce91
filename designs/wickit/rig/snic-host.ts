import type { OffloadMemory } from "../../clio/model/index.ts";
import { udpPorts } from "../../clio/wire/index.ts";
import type { Endpoint } from "../../shared/wire/index.ts";
import { type Bench, type Pause, ProtocolError, type Sent, StreamSink, StreamSource } from "../../../sim/index.ts";
import { snicKind, type WicCall } from "../model/index.ts";
import type { snicPorts } from "../places/index.ts";
import { type SnicWicConfig, snicWords } from "../wire/index.ts";
import type { WicReplyOf } from "./client-host.ts";
import { FrameNode, type FrameNodeOptions } from "./frame-node.ts";
import { WicClient } from "./snic-client.ts";

export type SnicPorts = ReturnType<typeof snicPorts>;
export interface SnicHostOptions extends Omit<FrameNodeOptions, "own" | "client" | "random"> {
  readonly base: bigint;
  readonly pid: number;
  readonly memory: OffloadMemory;
  /** Of the task: cycles until it asks the node again, how often, and for how long replies are kept. */
  readonly timeout?: number;
  readonly tries?: number;
  readonly life?: number;
  /** Clients, each with numbers of its own; 1 unless given. */
  readonly clients?: number;
  /** Cycles until a client asks again; 20,000 unless given. */
  readonly clientTimeout?: number;
  /** Probabilities that a frame between a client and the task is lost, or comes twice. */
  readonly clientLoss?: number;
  readonly clientDuplicate?: number;
  readonly pause?: (stream: "packet" | "payload" | "answer" | "make") => Pause;
}
interface Inside {
  readonly bytes: Uint8Array;
  readonly user: number;
  readonly ingress: number;
  readonly headBytes: number;
  readonly tag: number;
  readonly sent: Sent<unknown>;
  given: boolean;
}
/** A packet's verdict, and the cycles that it took. */
export interface SnicAnswer {
  readonly bytes: Uint8Array;
  readonly verdict: string;
  readonly taken: number;
  readonly cycles: number;
}

const beatBytes = 64,
  /** Ports of the device: the clients', and the node's. */
  clientPort = 0,
  nodePort = 1;
export const snicUser = 3;
export const snicNode: Endpoint = { mac: 0x02_00_00_00_00_22n, ip: 0x0a00_0022, port: udpPorts.native };
/** As whom the task asks the node: the sum of a READ's IPv4 header carries twice. */
export const snicOwn: Endpoint = { mac: 0x02_00_00_00_00_11n, ip: 0xc0a8_6fec, port: 4711 };
export const snicClient = (n: number): Endpoint => ({
  mac: 0x02_00_00_00_01_00n + BigInt(n),
  ip: 0xc0a8_0a01 + n,
  port: 5000 + n,
});
export const toBits = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex") || "0"}`);
export const toBytes = (bits: bigint): Uint8Array =>
  Uint8Array.from(Buffer.from(bits.toString(16).padStart(2 * beatBytes, "0"), "hex").reverse());

/** The task of a SmartNIC with clients at one port of it and a node at another. */
export class SnicHost {
  readonly node: FrameNode;
  readonly clients: readonly WicClient[];
  readonly config: SnicWicConfig;
  readonly answers: SnicAnswer[] = [];
  readonly #b: Bench<SnicPorts>;
  readonly #packets;
  readonly #payload;
  readonly #answers;
  readonly #made;
  #inside: Inside[] = [];
  #making: Uint8Array[] = [];
  #madeAt = 0;
  #toNode: { readonly bytes: Uint8Array }[] = [];
  #tag = 0;
  #resets = 0;
  #resetting = false;
  #configured: "no" | "begins" | "yes" = "no";
  /** Frames that the task has made, and told of each: its bytes and port. */
  made = 0;
  onMade: (bytes: Uint8Array, port: number) => void = () => undefined;

  constructor(b: Bench<SnicPorts>, o: SnicHostOptions) {
    this.#b = b;
    const { sim, io } = b,
      pause = (stream: "packet" | "payload" | "answer" | "make") => (o.pause ? { pause: o.pause(stream) } : {});
    this.#packets = new StreamSource(sim, io.packet, pause("packet"));
    this.#payload = new StreamSource(sim, io.payload, pause("payload"));
    this.#answers = new StreamSink(sim, io.answer, pause("answer"));
    this.#made = new StreamSink(sim, io.make, pause("make"));
    io.config.valid.value = 0;
    io.quiesce.value = 0;
    this.config = {
      node: { mac: snicNode.mac, ip: snicNode.ip },
      ...{ nodePort, user: snicUser, own: snicOwn, pid: o.pid, base: o.base, firstId: 0xffff_ff00 },
      timeout: o.timeout ?? 1500,
      tries: o.tries ?? 200,
      life: o.life ?? 100,
    };
    const ends = {
      take: () => this.#toNode.shift(),
      // What is damaged does not come in.
      send: (bytes: Uint8Array, { damaged }: { readonly damaged: boolean }) => {
        if (!damaged) this.send(bytes, nodePort);
      },
    };
    this.node = new FrameNode(sim, ends, { ...o, own: snicNode, client: snicOwn, random: b.random.fork("network") });
    const random = b.random.fork("clients"),
      { clientLoss = 0, clientDuplicate = 0 } = o;
    this.clients = Array.from(
      { length: o.clients ?? 1 },
      (_, n) =>
        new WicClient({
          ...{ own: snicClient(n), node: snicNode, pid: o.pid, timeout: o.clientTimeout ?? 20_000 },
          firstId: 0xffff_fff0,
          send: frame => {
            if (random.chance(clientLoss)) return undefined;
            const sent = this.send(frame, clientPort);
            if (random.chance(clientDuplicate)) this.send(frame, clientPort);
            return sent;
          },
        }),
    );
    this.onMade = (bytes, port) => {
      if (port === nodePort) this.#toNode.push({ bytes });
      else if (!random.chance(clientLoss)) this.#client(bytes);
    };
    b.onEdge({ sample: cycle => this.#sample(cycle) });
  }

  /** The image, and the words that begin the work. After a reset numbers are newer than all of before. */
  async load(image: readonly number[]): Promise<void> {
    const { config } = this.#b.io,
      firstId = (this.config.firstId + this.#resets * 0x1000) >>> 0;
    if (this.#configured === "no") this.node.firstNumber = firstId;
    const words = snicWords({ ...this.config, firstId }, image).filter(w => w.at < 0x1000 || this.#configured === "no");
    if (this.#configured === "no") this.#configured = "begins";
    for (const { at, data } of words) {
      config.valid.value = 1;
      config.at.value = at;
      config.data.value = data;
      await this.#b.cycles(1);
    }
    config.valid.value = 0;
    await this.#b.cycles(8);
    this.#configured = "yes";
  }
  call(call: WicCall, client = 0): Promise<WicReplyOf> {
    const reply = this.client(client).call(call, this.#b.cycle);
    return this.#until(reply);
  }
  /** Requests one behind the other, of the first `n` clients in turns; their replies in their order. */
  all(calls: readonly WicCall[], n = this.clients.length): Promise<WicReplyOf[]> {
    return this.#until(Promise.all(calls.map((c, i) => this.client(i % n).call(c, this.#b.cycle))));
  }
  client(n: number): WicClient {
    const client = this.clients[n];
    if (!client) throw new RangeError(`there is no client ${n}`);
    return client;
  }
  async #until<T>(reply: Promise<T>): Promise<T> {
    await this.#b.until(() => this.clients.every(c => c.waiting === 0));
    return reply;
  }
  /** A frame that has come in at a port as a packet of this user. */
  send(bytes: Uint8Array, ingress: number, user = snicUser, headBytes = beatBytes): Sent<unknown> {
    const tag = this.#tag++ & 255,
      header = new Uint8Array(beatBytes);
    header.set(bytes.slice(0, headBytes));
    const sent = this.#packets.send({
      ...{ tag, header: toBits(header), uid: 1, user, ingress, flowHash: 0, arg: 0, noL4: 0 },
      headBytes: Math.min(headBytes, bytes.length),
      payloadBytes: Math.max(0, bytes.length - headBytes),
    });
    this.#inside.push({ bytes, user, ingress, headBytes, tag, sent, given: false });
    return sent;
  }
  /** All is answered, and nothing is inside. */
  async drained(): Promise<void> {
    let quiet = 0;
    const { quiet: isQuiet } = this.#b.io;
    const still = (): boolean =>
      isQuiet.value === 1 && this.#inside.length + this.#making.length + this.#packets.pending === 0;
    await this.#b.until(() => (quiet = still() ? quiet + 1 : 0) > 40);
    if (this.#payload.pending > 0) throw new ProtocolError("beats of payload are left");
  }
  reset(): void {
    const forget = (): void => {
      for (const s of [this.#packets, this.#payload]) s.forget();
      for (const s of [this.#answers, this.#made]) s.received.length = 0;
      for (const c of this.clients) c.forget();
      this.#inside = [];
      this.#making = [];
      this.#toNode = [];
    };
    this.#resets++;
    this.#configured = "no";
    forget();
    this.#resetting = true;
    this.#b.sim.reset();
    this.#resetting = false;
    forget();
  }

  #client(bytes: Uint8Array): void {
    const to = toBits(bytes.slice(30, 34).reverse());
    const n = Number(to) - snicClient(0).ip;
    this.client(n).receive(bytes, this.#madeAt);
  }
  #sample(cycle: number): void {
    if (this.#resetting) return;
    for (const i of this.#inside)
      if (!i.given && i.sent.cycle !== undefined) {
        i.given = true;
        for (let at = i.headBytes; at < i.bytes.length; at += beatBytes)
          this.#payload.send({
            data: toBits(i.bytes.slice(at, at + beatBytes)),
            last: at + beatBytes >= i.bytes.length ? 1 : 0,
          });
      }
    for (let s = this.#answers.take(); s; s = this.#answers.take()) this.#answer(s.value, s.cycle);
    for (let s = this.#made.take(); s; s = this.#made.take()) {
      if (this.#making.length === 0) this.#madeAt = s.cycle;
      this.#beat(s.value);
    }
    for (const c of this.clients) c.tick(cycle);
  }
  #answer(is: { readonly tag: number; readonly verdict: string; readonly mask: bigint }, cycle: number): void {
    const first = this.#inside.shift();
    if (first?.sent.cycle === undefined || is.tag !== first.tag) throw new ProtocolError("an answer of no packet");
    const kind = this.#configured === "no" ? "passes" : snicKind(first.bytes, first, this.config),
      verdict = kind === "passes" ? "forward" : "drop";
    // While the words come nobody knows which packet is the first for the task.
    if ((is.verdict !== verdict && this.#configured !== "begins") || is.mask !== 0n)
      throw new ProtocolError(`a packet that is ${kind} to the task is answered ${is.verdict}`);
    const { bytes, sent } = first;
    this.answers.push({ bytes, verdict, taken: sent.cycle ?? Number.NaN, cycles: cycle - (sent.cycle ?? Number.NaN) });
  }
  #beat(is: {
    readonly data: bigint;
    readonly count: number;
    readonly last: number;
    readonly bad: number;
    readonly port: number;
  }): void {
    this.#making.push(toBytes(is.data).slice(0, is.count));
    if (is.last === 0) {
      if (is.count !== beatBytes) throw new ProtocolError("a beat in the middle is not full");
      return;
    }
    if (is.bad !== 0) throw new ProtocolError("a frame that is bad");
    this.made++;
    this.onMade(Uint8Array.from(Buffer.concat(this.#making.splice(0))), is.port);
  }
}
