/**
 * Go-Back-N beside a whole device. What it answers and makes hangs on time, on room, and on the order of packets of
 * several ports; so each packet has ways that it may go, and each frame that the task makes must have its reason: what
 * came in before says which bytes it may have, how often it may leave, and what must leave before the end.
 */
import { gbnHeader, gbnTypes, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import { decode, etherType, headerOffsets, ipProtocol } from "../../../../shared/wire/index.ts";
import {
  gbnLifeBits,
  type GbnNode,
  gbnNodes,
  gbnRow,
  gbnSays,
  gbnTaskSessions,
  kvNodePort,
} from "../../../wire/index.ts";
import { longOf, wordOf } from "../ip.ts";
import { type OwnFrames, passOn, type TaskAnswerModel, type TaskPacketModel } from "../task.ts";
import { managedFrame, requestWrites } from "./frames.ts";
import { beatsOf, Inside, type Waiting } from "./inside.ts";
import { type Clock, GbnLife, settling } from "./life.ts";
import { bytesOf, type Client, gbnHeaderEnd, type GbnPacketKind, kindOf, requestBytes } from "./packet.ts";

type Manages = Extract<GbnPacketKind, { is: "manages" }>;
/** A request for a session, or to close one. */
interface Asked {
  readonly kind: Manages;
  readonly bytes: Uint8Array;
  readonly since: number;
  /** No other one was under way: it must be answered. Of several, whichever comes to the task first is taken. */
  alone: boolean;
}
interface Says {
  readonly status: number;
  readonly session: number;
}
const sessionNumbers = Array.from({ length: gbnTaskSessions - 1 }, (_, i) => i + 1);
const drop: TaskAnswerModel = { verdict: "drop" };
const slotBits = 10,
  lives = 2 ** gbnLifeBits;
const field = (data: bigint, at: number, bits: number): bigint => (data >> BigInt(at)) & ((1n << BigInt(bits)) - 1n);
/** What names a client's slot: another name for it is a client that has begun anew. */
const slotOf = (name: number): number => name % 2 ** slotBits;
const isHeldBy = ({ holder: h }: GbnLife, { node, ip, port }: Client): boolean =>
  h.node === node && h.ip === ip && h.port === port;
const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
/** It has the addresses of frames that are made for this node. */
const isFrom = (f: Uint8Array, n: GbnNode): boolean =>
  f.length >= gbnHeaderEnd &&
  wordOf(f, 12) === etherType.ipv4 &&
  f[23] === ipProtocol.udp &&
  longOf(f, 26) === n.ip >>> 0 &&
  wordOf(f, 34) === kvNodePort;

export class GbnJudge implements OwnFrames {
  readonly #now: Clock;
  readonly #rows: { readonly mac: bigint; readonly port: number; readonly ip: number; readonly user: number }[] =
    Array.from({ length: gbnNodes }, () => ({ mac: 0n, port: 0, ip: 0, user: 0 }));
  readonly #valid = new Set<number>();
  readonly #inside = new Inside();
  /** By number, the present life last. */
  readonly #lives = new Map<number, GbnLife[]>();
  /** How often a number was given. */
  readonly #given = new Map<number, number>();
  #asked: Asked[] = [];
  /** The number that is given next, if it is free; undefined: several were asked for at once. */
  #next: number | undefined = 1;

  /** @param now the cycle, where somebody counts them */
  constructor(now: Clock = () => undefined) {
    this.#now = now;
  }
  configure(at: number, data: bigint): void {
    const n = at >> 1,
      row = this.#rows[n];
    if (row === undefined) return;
    if (at % 2 === 0)
      this.#rows[n] = { ...row, mac: field(data, gbnRow.mac, 48), port: Number(field(data, gbnRow.port, 4)) };
    else {
      this.#rows[n] = { ...row, ip: Number(field(data, gbnRow.ip, 32)), user: Number(field(data, gbnRow.user, 6)) };
      if (field(data, gbnRow.valid, 1) === 1n) this.#valid.add(n);
      else this.#valid.delete(n);
    }
  }
  get #nodes(): readonly (GbnNode | undefined)[] {
    return this.#rows.map((r, i) => (this.#valid.has(i) ? r : undefined));
  }
  get #time(): number {
    return this.#now() ?? 0;
  }
  get #all(): readonly GbnLife[] {
    return [...this.#lives.values()].flat();
  }
  #of(session: number): GbnLife | undefined {
    return this.#lives.get(session)?.at(-1);
  }

  /** All that it may answer. */
  options(packet: TaskPacketModel): readonly TaskAnswerModel[] {
    const step = ++this.#inside.step,
      kind = kindOf(packet, this.#nodes);
    switch (kind.is) {
      case "other":
        return [passOn];
      case "lost":
        return [drop];
      case "reply":
        this.#reply(kind, packet, step);
        return [drop];
      case "manages":
        this.#manages(kind, packet);
        return [drop];
      case "session":
        return this.#session(kind, packet, step);
    }
  }
  #reply(k: Extract<GbnPacketKind, { is: "reply" }>, packet: TaskPacketModel, step: number): void {
    const life = this.#of(k.session),
      isOf = life !== undefined && life.life === k.life && life.holder.node === k.node && life.ended === undefined;
    const w: Waiting = {
      ...{ reply: bytesOf(packet), step, at: this.#time, beats: beatsOf(packet.payloadBytes) },
      ...{ isStray: !isOf, mayBeLost: false },
      ...(isOf ? life.heardUntilNow : { nacks: 0, moves: 0 }),
    };
    this.#inside.add(w);
    if (isOf) life.waiting.push(w);
  }
  #manages(kind: Manages, packet: TaskPacketModel): void {
    const since = this.#time;
    // One that was not taken is not answered.
    this.#asked = this.#asked.filter(a => a.alone || this.#now() === undefined || a.since + settling > since);
    const alone = this.#asked.length === 0;
    this.#asked.push({ kind, bytes: bytesOf(packet), since, alone });
    if (!alone) {
      this.#next = undefined;
      for (const a of this.#asked) a.alone = false;
    }
    const ends = kind.opens ? this.#ofSlot(kind).find(l => l.holder.name !== kind.name) : this.#held(kind);
    if (ends !== undefined) ends.mayEnd = true;
  }
  /** The sessions that a client's slot has. */
  #ofSlot({ from, name }: Manages): readonly GbnLife[] {
    return [...this.#lives.values()]
      .flatMap(l => l.at(-1) ?? [])
      .filter(l => l.ended === undefined && isHeldBy(l, from) && slotOf(l.holder.name) === slotOf(name));
  }
  /** The session that a client wants to close, if it is his own. */
  #held({ from, name }: Manages): GbnLife | undefined {
    const life = this.#of(name);
    return life !== undefined && life.ended === undefined && isHeldBy(life, from) ? life : undefined;
  }
  #session(k: Extract<GbnPacketKind, { is: "session" }>, p: TaskPacketModel, step: number): readonly TaskAnswerModel[] {
    const { gbn, from, at } = k,
      life = this.#of(gbn.dstSlot);
    if (life === undefined) return [drop];
    if (gbn.type !== gbnTypes.data) {
      life.heard(from, gbn);
      return [drop];
    }
    if (life.ended !== undefined || !life.arrived(from, at, gbn.sequence, step)) return [drop];
    const on: TaskAnswerModel = {
      verdict: "forward",
      writes: requestWrites(p.header, gbn.dstSlot, life.life),
      dropFront: gbnHeader.bytes,
      claim: {
        possible: () => life.mayForward(from, gbn.sequence, step),
        shown: () => life.forwarded(from, at, gbn.sequence, step),
        hidden: () => life.hides(gbn.sequence),
      },
    };
    return [on, drop];
  }

  left(port: number, frame: Uint8Array): string | undefined {
    const nodes = this.#nodes;
    if (!nodes.some(n => n !== undefined && isFrom(frame, n))) return undefined;
    ++this.#inside.step;
    const header = decode(gbnHeader, frame.slice(headerOffsets.payload)),
      { srcSlot } = header;
    if (srcSlot === managementSlot) return this.#managed(port, frame);
    const lives = (this.#lives.get(srcSlot) ?? []).toReversed(),
      [first, ...others] = lives;
    if (first === undefined) return `session ${srcSlot} was never opened`;
    const told = `session ${srcSlot}: `,
      wrong = first.made(frame, port, header, nodes);
    if (
      wrong === undefined ||
      others.some(l => l.ended !== undefined && l.made(frame, port, header, nodes) === undefined)
    )
      return "";
    return told + wrong;
  }

  /** An answer to OPEN_SESSION or CLOSE_SESSION. */
  #managed(port: number, frame: Uint8Array): string {
    const le = [...frame.slice(gbnHeaderEnd + requestBytes, gbnHeaderEnd + requestBytes + 4)],
      says = {
        status: (frame[gbnHeaderEnd + 4] ?? 0) & 15,
        session: le.reduceRight((n, b) => n * 256 + b, 0),
      },
      fit = this.#asked.filter(a => a.kind.at.port === port && isSame(managedFrame(a.bytes, says), frame));
    const [first] = fit,
      right = fit.find(a => this.#wrong(a, says) === undefined);
    if (first === undefined) return "an answer to a request that nobody has made";
    this.#settle(right ?? first, says);
    return right === undefined ? (this.#wrong(first, says) ?? "") : "";
  }
  #isFree(session: number): boolean {
    return this.#of(session)?.ended !== undefined || this.#of(session) === undefined;
  }
  /** What is wrong with an answer. */
  #wrong({ kind, alone }: Asked, says: Says): string | undefined {
    const { status, session } = says;
    if (!kind.opens) {
      const held = this.#held(kind);
      if (status === gbnSays.ok && session === 0)
        return held === undefined ? `session ${kind.name} is closed for somebody who has it not` : undefined;
      if (status !== gbnSays.fail || session !== gbnSays.invalid)
        return `CLOSE_SESSION is answered ${status}, ${session}`;
      return alone && held?.mayBeGone === false ? `session ${kind.name} is not closed for who has it` : undefined;
    }
    const own = this.#ofSlot(kind),
      same = own.find(l => l.holder.name === kind.name),
      old = own.find(l => l.holder.name !== kind.name);
    if (status === gbnSays.busy && session === 0) {
      const free = sessionNumbers.find(n => this.#isFree(n));
      return alone && free !== undefined ? `BUSY, and session ${free} is free` : undefined;
    }
    if (status !== gbnSays.ok) return `OPEN_SESSION is answered ${status}, ${session}`;
    if (same?.session === session) return undefined;
    if (same?.isOpen === true) return `session ${session} for a client that has ${same.session}`;
    if (!sessionNumbers.includes(session)) return `there is no session ${session}`;
    const holder = this.#of(session);
    if (holder?.isOpen === true) return `session ${session} is given to two`;
    if (old?.session === session && !old.mayBeGone) return `session ${session} is given again at once`;
    return alone ? this.#inTurn(session, old) : undefined;
  }
  /** Numbers are given in a circle: those before it are taken, or may be. */
  #inTurn(session: number, old: GbnLife | undefined): string | undefined {
    const from = this.#next;
    if (from === undefined) return undefined;
    const turn = Array.from({ length: gbnTaskSessions }, (_, i) => (from + i) % gbnTaskSessions),
      sooner = turn.slice(0, turn.indexOf(session)).find(n => n !== 0 && n !== old?.session && this.#isFree(n));
    return sooner === undefined ? undefined : `session ${session} is given, and it is the turn of ${sooner}`;
  }
  #settle(a: Asked, { status, session }: Says): void {
    this.#asked = this.#asked.filter(b => b !== a);
    const { kind } = a;
    if (!kind.opens) {
      if (status === gbnSays.ok) this.#end(this.#held(kind));
      return;
    }
    const own = this.#ofSlot(kind);
    if (own.some(l => l.holder.name === kind.name && l.session === session)) return;
    own.forEach(l => this.#end(l));
    if (status !== gbnSays.ok) return;
    this.#end(this.#of(session));
    this.#next = a.alone && this.#asked.length === 0 ? session + 1 : undefined;
    const life = ((this.#given.get(session) ?? 0) + 1) % lives,
      holder = { ...kind.from, name: kind.name };
    this.#given.set(session, life);
    this.#lives.set(session, [
      ...(this.#lives.get(session) ?? []),
      new GbnLife({ session, life, holder }, this.#now, this.#inside),
    ]);
  }
  #end(life: GbnLife | undefined): void {
    if (life === undefined || life.ended !== undefined) return;
    life.ended = { step: this.#inside.step, at: this.#time };
    for (const w of life.waiting.splice(0)) w.isStray = true;
  }
  get outstanding(): number {
    return this.#all.reduce((n, l) => n + l.outstanding, 0) + this.#asked.filter(a => a.alone).length;
  }
  finish(lost: number): readonly string[] {
    // What came in, or left, may be among what counters tell of.
    if (lost > 0) return [];
    const isHeld = this.#all.some(l => l.isFull),
      unanswered = this.#asked.filter(a => a.alone).length;
    return [
      ...this.#all.flatMap(l => l.finish(isHeld).map(p => `session ${l.session}: ${p}`)),
      ...(unanswered > 0 ? [`${unanswered} requests for a session, or to close one, were not answered`] : []),
    ];
  }
}
