/**
 * The sending shim by itself: a node that answers requests of many sessions in any order, peers that acknowledge,
 * complain and fall silent, a memory, and what must come out, byte for byte.
 */
import { expect } from "vitest";
import type { GbnTx, GbnTxParameters } from "../../../../../../designs/clio/rtl/transport/gbn-tx.ts";
import { frameOffsets } from "../../../../../../designs/clio/wire/index.ts";
import { gbnHeader, gbnTypes, withGbn } from "../../../../../../designs/shared/go-back-n/wire/index.ts";
import {
  arpFrame,
  decode,
  ethernetHeader,
  etherType,
  ipProtocol,
  ipv4Header,
  udpFrame,
} from "../../../../../../designs/shared/wire/index.ts";
import {
  axiPorts,
  AxiRam,
  AxisSink,
  AxisSource,
  type Bench,
  never,
  type Pause,
  poke,
  StreamSink,
  StreamSource,
} from "../../../../../../sim/index.ts";

export const p: GbnTxParameters = {
  sessions: 8,
  sequenceBits: 32,
  window: 8,
  timeoutCycles: 1024,
  tries: 2,
  first: 0xffff_fffa,
  beatBytes: 32,
  frameBytes: 512,
  addressBits: 20,
  idBits: 1,
  base: 0x8000,
  managed: 4,
  waiting: 8,
  patience: 2 ** 14,
  marksParts: true,
};
/** The same with beats that hold a whole short frame. */
export const wide: GbnTxParameters = { ...p, beatBytes: 64 };
export type Ports = ReturnType<typeof GbnTx>["ports"];
export type Events = Record<keyof Ports["events"]["shape"]["fields"], number>;
const node = { mac: 0x02c110000001n, ip: 0x0a0a0001, port: 1200 },
  client = { mac: 0x02c110000099n, ip: 0x0a0a0064, port: 5000 };
const idAt = frameOffsets.clio + 4,
  tagPrefix = 0x0247n << 32n;
const after = (n: number, by = 1): number => (n + by) >>> 0;
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

interface Context {
  readonly mac: bigint;
  readonly slot: number;
}
/** A frame given to the shim. */
interface Given {
  readonly bytes: Uint8Array;
  readonly session: number | undefined;
  /** Of a session's last frame to a request. */
  readonly ticket: number | undefined;
}
/** What the peer of a session knows. */
interface Peer {
  life: number;
  /** Tickets: of the next request, of the reply that is due. */
  asked: number;
  due: number;
  /** Numbers: of the next new frame; of the next in order at the peer; up to which the shim has heard. */
  next: number;
  arrived: number;
  heard: number;
  readonly silent: Set<number>;
  /** Frames that others follow: they leave as they come. */
  readonly parts: number[];
  readonly sent: Map<number, string>;
  complained: boolean;
}

export interface Behaviour {
  /** Share of frames that are lost on their way to the peer. */
  readonly loss?: number;
  readonly pause?: (seed: number) => Pause;
  readonly latency?: { readonly read: number; readonly write: number };
  /** Peers acknowledge by themselves. */
  readonly acks?: boolean;
  readonly errors?: readonly { readonly from: number; readonly to: number }[];
}

export class Rig {
  readonly rx: AxisSource;
  readonly answers: AxisSource;
  readonly acks: StreamSource<Ports["acks"]["shape"]>;
  readonly control: StreamSource<Ports["control"]["shape"]>;
  readonly named: StreamSource<Ports["named"]["shape"]>;
  readonly failed: StreamSink<Ports["failed"]["shape"]>;
  readonly tx: AxisSink;
  readonly ram: AxiRam;
  readonly events: Events;
  readonly peers: Peer[];
  readonly contexts: Context[] = [];
  /** Frames that came out, by kind: new of sessions, sent again, all others. */
  readonly came = { fresh: 0, again: 0, other: 0, answers: 0 };
  /** In the order in which they must come out. */
  readonly answered: string[] = [];
  readonly passing: string[] = [];
  readonly starts: { readonly what: string; readonly start: number; readonly end: number }[] = [];
  nacks = 0;
  /** Frames read from memory: sent again, or for the first time while their session sends again. */
  reads = 0;
  acking: boolean;
  readonly deaf = new Set<number>();
  readonly #given = new Map<number, Given>();
  #id = 1;
  #resetting = false;
  /** The memory with nothing under way. */
  readonly #idleMemory: unknown;
  readonly #b: Bench<Ports>;
  readonly #loss: number;

  constructor(b: Bench<Ports>, o: Behaviour = {}) {
    const pause = o.pause ?? (() => never),
      { sim, io } = b;
    this.#b = b;
    this.#loss = o.loss ?? 0;
    this.acking = o.acks ?? true;
    this.rx = new AxisSource(sim, io.rx, { pause: pause(1) });
    this.answers = new AxisSource(sim, io.answers, { pause: pause(2) });
    this.acks = new StreamSource(sim, io.acks, { pause: pause(3) });
    this.control = new StreamSource(sim, io.control, { pause: pause(4) });
    this.named = new StreamSource(sim, io.named, { pause: pause(5) });
    this.failed = new StreamSink(sim, io.failed, { pause: pause(6) });
    this.tx = new AxisSink(sim, io.tx, { pause: pause(7) });
    this.ram = new AxiRam(sim, axiPorts(io, "mem"), {
      latency: o.latency ?? { read: 12, write: 20 },
      pause: { aw: pause(8), w: pause(9), b: pause(10), ar: pause(11), r: pause(12) },
      ...(o.errors === undefined ? {} : { errors: o.errors }),
    });
    this.#idleMemory = this.ram.save();
    this.events = Object.fromEntries(Object.keys(io.events).map(name => [name, 0])) as Events;
    this.peers = Array.from({ length: p.sessions }, () => this.#newPeer(0));
    b.onEdge({
      sample: cycle => {
        if (this.#resetting) return;
        if (io.memAr.valid.value === 1 && io.memAr.ready.value === 1) this.reads++;
        for (const name of Object.keys(this.events) as (keyof Events)[]) this.events[name] += io.events[name].value;
        for (let f = this.tx.take(); f !== undefined; f = this.tx.take()) {
          expect(f.user, "tuser of what leaves").toBe(0);
          this.starts.push({ what: this.#leaves(f.bytes), start: f.start, end: f.end });
        }
        if (this.acking && cycle % 16 === 0) this.#acknowledge();
      },
    });
  }
  #newPeer(life: number): Peer {
    const first = p.first >>> 0;
    return {
      life,
      asked: first & 0xffff,
      due: first & 0xffff,
      next: first,
      arrived: first,
      heard: first,
      silent: new Set(),
      parts: [],
      sent: new Map(),
      complained: false,
    };
  }

  /** Contexts of all sessions and of all management requests, one a cycle. */
  async writeContexts(): Promise<void> {
    const { io, random } = this.#b;
    for (let index = 0; index < p.sessions + p.managed; index++) {
      const value = { mac: random.bits(48) & ~(1n << 40n), slot: random.between(1, 1023) };
      this.contexts[index] = value;
      poke(io.contextWrite, { en: 1, index, value });
      await this.#b.cycles(1);
    }
    poke(io.contextWrite, { en: 0, index: 0, value: { mac: 0n, slot: 0 } });
    await this.#b.cycles(p.sessions + p.waiting);
  }

  #frame(mac: bigint, bytes: number): { readonly id: number; readonly frame: Uint8Array } {
    const id = this.#id++,
      frame = udpFrame(node, { ...client, mac }, this.#b.random.bytes(Math.max(16, bytes)));
    new DataView(frame.buffer, frame.byteOffset).setUint32(idAt, id);
    return { id, frame };
  }
  /** A session asks; @returns the ticket of its request. */
  ask(session: number): number {
    const peer = this.peers[session] as Peer,
      ticket = peer.asked;
    peer.asked = (ticket + 1) & 0xffff;
    return ticket;
  }
  /** A reply, or (`part`) a frame that others follow. `life`: of the session, when the request came. */
  reply(
    session: number,
    ticket: number,
    bytes = 40,
    o: { readonly part?: boolean; readonly life?: number } = {},
  ): void {
    const peer = this.peers[session] as Peer,
      life = o.life ?? peer.life,
      part = o.part === true ? 1 << 14 : 0;
    const tag = BigInt(((ticket << 16) | part | ((life & 15) << 10) | session) >>> 0),
      { id, frame } = this.#frame(tagPrefix | tag, bytes);
    if (life === peer.life) {
      this.#given.set(id, { bytes: frame, session, ticket: o.part === true ? undefined : ticket });
      if (o.part === true) peer.parts.push(id);
    }
    this.rx.send(frame);
  }
  /** A request is known to be never answered. */
  hush(session: number, ticket: number): void {
    const peer = this.peers[session] as Peer;
    peer.silent.add(ticket);
    this.named.send({ turn: { session, life: peer.life & 15, ticket }, silent: 1 });
  }
  /** A reply to management, a frame of the slow path, or one that is none of Go-Back-N's. */
  other(kind: "management" | "loose" | "raw" | "icmp", bytes = 40): void {
    const { random } = this.#b,
      place = random.between(0, p.managed - 1),
      to = this.contexts[p.sessions + place] as Context;
    const managed = kind === "management",
      mac = managed ? tagPrefix | BigInt(0x8000 | place) : client.mac | random.bits(16),
      { frame } = this.#frame(mac, bytes);
    if (kind === "raw") {
      const arp = arpFrame(node.mac, { operation: 2, senderMac: 5n, senderIp: 6, targetMac: 7n, targetIp: this.#id });
      this.rx.send(arp);
      this.passing.push(hex(arp));
      return;
    }
    if (kind === "icmp") frame[frameOffsets.network + ipv4Header.at.protocol.byteOffset] = ipProtocol.icmp;
    this.rx.send(frame);
    const header = { type: gbnTypes.data, sequence: 0, srcSlot: 0, dstSlot: managed ? to.slot : 0 };
    this.passing.push(hex(kind === "icmp" ? frame : withGbn(frame, header, managed ? to.mac : mac)));
  }
  /** A frame with a wrong FCS, or longer than the largest: it never comes out. */
  broken(long: boolean): void {
    const { frame } = this.#frame(tagPrefix | 1n, long ? p.frameBytes : 100);
    this.rx.send(frame, long ? {} : { user: 1, userAtEnd: true });
  }
  answer(bytes = 60): void {
    const frame = this.#b.random.bytes(bytes);
    // Its type tells it from all others.
    frame[12] = 0xaa;
    this.answered.push(hex(frame));
    this.answers.send(frame);
  }
  /** Begins another life, or closes. */
  open(session: number, open: 0 | 1): void {
    const life = (this.peers[session] as Peer).life + open;
    this.peers[session] = this.#newPeer(life);
    this.control.send({ session, open });
  }

  #leaves(bytes: Uint8Array): string {
    const ethernet = decode(ethernetHeader, bytes),
      isUdp =
        ethernet.etherType === etherType.ipv4 &&
        decode(ipv4Header, bytes, frameOffsets.network).protocol === ipProtocol.udp;
    if (bytes[12] === 0xaa) {
      expect(hex(bytes), "an answer").toBe(this.answered.shift());
      this.came.answers++;
      return "answer";
    }
    const header = isUdp ? decode(gbnHeader, bytes, frameOffsets.clio) : undefined;
    if (header === undefined || header.srcSlot === 0) {
      expect(hex(bytes), "what passes").toBe(this.passing.shift());
      this.came.other++;
      return "other";
    }
    const peer = this.peers[header.srcSlot] as Peer,
      known = peer.sent.get(header.sequence);
    if (known !== undefined) {
      expect(hex(bytes), "what is sent again").toBe(known);
      this.came.again++;
    } else this.#fresh(header.srcSlot, peer, bytes);
    this.#hears(header.srcSlot, peer, header.sequence);
    return known === undefined ? "fresh" : "again";
  }
  /** A new frame of a session: the next number, its turn, and every byte. */
  #fresh(session: number, peer: Peer, bytes: Uint8Array): void {
    const { mac, slot } = this.contexts[session] as Context,
      at = idAt + gbnHeader.bytes,
      id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(at),
      given = this.#given.get(id);
    if (given?.session !== session) throw new Error(`session ${session}: a frame that was not given`);
    this.#given.delete(id);
    const header = { type: gbnTypes.data, sequence: peer.next, srcSlot: session, dstSlot: slot };
    expect(hex(bytes), `session ${session}, number ${peer.next}`).toBe(hex(withGbn(given.bytes, header, mac)));
    while (peer.silent.delete(peer.due)) peer.due = (peer.due + 1) & 0xffff;
    if (given.ticket === undefined) expect(id, `a part in session ${session}`).toBe(peer.parts.shift());
    else {
      expect(given.ticket, `turn in session ${session}`).toBe(peer.due);
      peer.due = (peer.due + 1) & 0xffff;
    }
    peer.sent.set(peer.next, hex(bytes));
    peer.next = after(peer.next);
    this.came.fresh++;
  }
  /** The peer gets it, or not. Without the one before it complains, once. */
  #hears(session: number, peer: Peer, sequence: number): void {
    if (this.deaf.has(session) || this.#b.random.chance(this.#loss)) return;
    if (sequence === peer.arrived) {
      peer.arrived = after(sequence);
      peer.complained = false;
    } else if ((sequence - peer.arrived) >>> 0 < 2 ** 31 && !peer.complained && this.acking) {
      peer.complained = true;
      this.nack(session);
    }
  }
  nack(session: number): void {
    const peer = this.peers[session] as Peer;
    this.nacks++;
    peer.heard = peer.arrived;
    this.acks.send({ session, sequence: after(peer.arrived, -1), nack: 1 });
  }
  #acknowledge(): void {
    this.peers.forEach((peer, session) => {
      if (peer.heard === peer.arrived) return;
      peer.heard = peer.arrived;
      this.acks.send({ session, sequence: after(peer.arrived, -1), nack: 0 });
    });
  }
  /** What was given for a session does not come out any more. */
  forget(session: number): void {
    for (const [id, given] of this.#given) if (given.session === session) this.#given.delete(id);
  }
  nothing(): Events {
    return Object.fromEntries(Object.keys(this.events).map(name => [name, 0])) as Events;
  }
  /** A reset: nothing that was begun goes on. */
  reset(): void {
    for (const source of [this.rx, this.answers, this.acks, this.control, this.named]) source.forget();
    this.ram.restore(this.#idleMemory);
    this.#resetting = true;
    this.#b.sim.reset();
    this.#resetting = false;
    this.ram.restore(this.#idleMemory);
    this.tx.monitor.restore({ begun: new Uint8Array(), start: -1 });
    this.tx.frames.length = 0;
    this.failed.received.length = 0;
    this.#given.clear();
    this.answered.length = 0;
    this.passing.length = 0;
    this.peers.forEach((_, i) => {
      this.peers[i] = this.#newPeer(0);
    });
    Object.assign(this.events, this.nothing());
    Object.assign(this.came, { fresh: 0, again: 0, other: 0, answers: 0 });
    this.nacks = 0;
    this.reads = 0;
  }
  get settled(): boolean {
    const idle = this.rx.pending + this.answers.pending + this.acks.pending + this.named.pending + this.control.pending;
    return (
      idle + this.#given.size + this.passing.length + this.answered.length === 0 &&
      this.peers.every((x, i) => this.deaf.has(i) || (x.arrived === x.next && x.heard === x.next))
    );
  }
  /** Everything has come out and is acknowledged; all is counted. */
  async settle(): Promise<void> {
    await this.#b.until(() => this.settled);
    // Nothing is sent again any more, and the events have come.
    for (let before = -1; before !== this.came.again;) {
      before = this.came.again;
      await this.#b.cycles(300);
    }
    expect([this.events.sent, this.events.resent], "frames of sessions, as counted").toEqual([
      this.came.fresh,
      this.reads,
    ]);
    expect(this.events.nacked, "complaints, as counted").toBe(this.nacks);
    expect(this.events.management + this.events.passed, "others, as counted").toBe(this.came.other);
    expect(this.#b.io.crowded.value).toBe(0);
  }
}
