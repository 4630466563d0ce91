/** One life of a session beside a whole device: what it may forward and make, from what came in and what has left. */
import { sequenceDistance as distance, sequencePlus as plus } from "../../../../shared/go-back-n/software/index.ts";
import { gbnFirst, type GbnHeader, gbnTypes, gbnWindow } from "../../../../shared/go-back-n/wire/index.ts";
import { type GbnNode, gbnTimes } from "../../../wire/index.ts";
import { answerFrame, replyFrame } from "./frames.ts";
import type { Inside, Waiting } from "./inside.ts";
import { type Client, type Place, sameClient } from "./packet.ts";

/** Who opened it, for which node, and what he calls it. */
export interface Holder extends Client {
  readonly name: number;
}
const before = plus(gbnFirst, -1);
/** DATA that came from one client. */
class Arrivals {
  readonly from: Client;
  readonly all: { readonly sequence: number; readonly step: number }[] = [];
  /** The last of those that came in order, and how many came beside them. */
  reach = before;
  extra = 0;
  /** How many had come beside them when one was reached; and the step at which one came last. */
  readonly extraAt = new Map<number, number>();
  readonly lastAt = new Map<number, number>();
  /** The last in order when one ahead came, and the cycle of that. */
  readonly gapAt = new Map<number, number>();

  constructor(from: Client) {
    this.from = from;
  }
  /** @returns whether it is to be answered at once */
  add(sequence: number, step: number, at: number): boolean {
    this.all.push({ sequence, step });
    this.lastAt.set(sequence, step);
    if (sequence === plus(this.reach, 1)) {
      this.reach = sequence;
      this.extraAt.set(sequence, this.extra);
      return false;
    }
    this.extra++;
    const isAhead = distance(sequence, this.reach) > 0,
      isKnown = this.gapAt.has(this.reach);
    if (isAhead && !isKnown) this.gapAt.set(this.reach, at);
    // Nobody is answered before the first request.
    return this.reach !== before && !(isAhead && isKnown);
  }
}
/** A reply that has its number. */
interface Kept {
  readonly reply: Uint8Array;
  /** No timeout of it comes sooner than a round of the timer behind this cycle: it came then, or an ACK did. */
  readonly since: number;
  readonly nacks: number;
  readonly moves: number;
  times: number;
}
/** Cycles in which whatever was decided has left. */
export const settling = 16_384;
/** What is asked of the time, in cycles; undefined: nobody knows it. */
export type Clock = () => number | undefined;

export class GbnLife {
  readonly session: number;
  readonly life: number;
  readonly holder: Holder;
  /** Step and cycle at which the answer left that says that it is closed. */
  ended: { readonly step: number; readonly at: number } | undefined;
  /** Something has come that may close it. */
  mayEnd = false;
  readonly waiting: Waiting[] = [];
  readonly #now: Clock;
  readonly #inside: Inside;
  readonly #arrived: Arrivals[] = [];
  readonly #kept = new Map<number, Kept>();
  readonly #hidden = new Set<number>();
  readonly #places: (Place & { readonly step: number; until: number })[] = [];
  readonly #acks = new Map<number, number>();
  readonly #nacked = new Set<number>();
  #peer: Client | undefined;
  /** The last request that has gone on; the last that was acknowledged; the same of replies. */
  #forwarded = before;
  #promised = before;
  #sent = before;
  #acked = before;
  #ackedAt = -Infinity;
  #isSure = true;
  #nacks = 0;
  #moves = 0;
  /** A reply was acknowledged that had not left yet: the task may have heard it, or not. */
  #early = before;

  constructor(
    of: { readonly session: number; readonly life: number; readonly holder: Holder },
    now: Clock,
    inside: Inside,
  ) {
    this.session = of.session;
    this.life = of.life;
    this.holder = of.holder;
    this.#now = now;
    this.#inside = inside;
  }
  get #time(): number {
    return this.#now() ?? 0;
  }
  /** It has been told so often that nobody has heard it that it may be given up. */
  get mayBeGone(): boolean {
    const first = this.#kept.get(plus(this.#acked, 1));
    if (first === undefined || first.times < gbnTimes.tries) return false;
    // NACKs send again, too: but each try, and giving up, takes a round of the timer.
    const now = this.#now(),
      since = Math.max(first.since, this.#ackedAt);
    return now === undefined || now - since >= (gbnTimes.tries + 1) * gbnTimes.timeoutCycles;
  }
  /** It is open for certain. */
  get isOpen(): boolean {
    return this.ended === undefined && !this.mayEnd && !this.mayBeGone;
  }
  get isFull(): boolean {
    return distance(this.#sent, this.#acked) >= gbnWindow;
  }

  /** DATA. @returns whether it may go on */
  arrived(from: Client, at: Place, sequence: number, step: number): boolean {
    if (this.#peer !== undefined && !sameClient(this.#peer, from)) return false;
    const of = this.#arrived.find(a => sameClient(a.from, from)) ?? new Arrivals(from);
    if (of.all.length === 0) this.#arrived.push(of);
    if (of.add(sequence, step, this.#time)) this.#inside.asks(this.#time);
    const known = this.#places.some(p => p.mac === at.mac && p.port === at.port && p.until === Infinity);
    if (!known) this.#places.push({ ...at, step, until: Infinity });
    return true;
  }
  mayForward(from: Client, sequence: number, step: number): boolean {
    if (this.ended !== undefined && step > this.ended.step) return false;
    if (this.#peer !== undefined && !sameClient(this.#peer, from)) return false;
    let next = plus(this.#forwarded, 1);
    while (this.#hidden.has(next)) next = plus(next, 1);
    return sequence === next;
  }
  forwarded(from: Client, at: Place, sequence: number, step: number): void {
    this.#peer = from;
    this.#forwarded = sequence;
    for (const p of this.#places)
      if (p.step < step && (p.mac !== at.mac || p.port !== at.port)) p.until = Math.min(p.until, this.#time + settling);
  }
  /** One that may have been taken, and does not leave. */
  hides(sequence: number): void {
    this.#hidden.add(sequence);
  }
  /** An ACK or a NACK. */
  heard(from: Client, { type, sequence }: GbnHeader): void {
    if (this.#peer === undefined || !sameClient(this.#peer, from)) return;
    if (type === gbnTypes.nack) this.#nacks++;
    const isEarly = distance(sequence, this.#sent) > 0;
    if (isEarly) this.#early = sequence;
    else this.#moveTo(sequence, this.#time);
  }
  /** @param at undefined: perhaps the task has not heard it */
  #moveTo(sequence: number, at: number | undefined): void {
    if (distance(sequence, this.#acked) <= 0) return;
    this.#moves++;
    this.#acked = sequence;
    this.#isSure = at !== undefined;
    this.#ackedAt = at ?? this.#ackedAt;
  }
  get heardUntilNow(): { readonly nacks: number; readonly moves: number } {
    return { nacks: this.#nacks, moves: this.#moves };
  }

  /** A frame that it made has left. @returns what is wrong with it */
  made(
    frame: Uint8Array,
    port: number,
    header: GbnHeader,
    nodes: readonly (GbnNode | undefined)[],
  ): string | undefined {
    if (this.ended !== undefined && this.#time > this.ended.at + settling) return "it was closed long ago";
    const of = this.#came;
    if (of === undefined) return "nobody has spoken in it";
    if (header.type === gbnTypes.data) return this.#data(frame, port, header.sequence, of.from);
    const node = nodes[of.from.node];
    return node === undefined ? "its node is gone" : this.#answer(frame, port, header, of, node);
  }
  /** What came from its client. */
  get #came(): Arrivals | undefined {
    const peer = this.#peer;
    return this.#arrived.find(a => (peer === undefined ? a.reach !== before : sameClient(a.from, peer)));
  }
  /** Whether it is one of these bytes to one of the places where the client may be. */
  #is(frame: Uint8Array, port: number, bytes: (mac: bigint) => Uint8Array): boolean {
    return this.#places.some(
      p => p.port === port && p.until >= this.#time && Buffer.compare(bytes(p.mac), frame) === 0,
    );
  }
  #answer(frame: Uint8Array, port: number, h: GbnHeader, of: Arrivals, node: GbnNode): string | undefined {
    const { session } = this,
      { sequence: q } = h,
      nack = h.type === gbnTypes.nack;
    if (!this.#is(frame, port, mac => answerFrame(node, { ...of.from, mac }, { nack, sequence: q, session })))
      return "the answer is not to its client, or has other bytes";
    if (distance(q, gbnFirst) < 0 || distance(q, of.reach) > 0)
      return `${nack ? "NACK" : "ACK"} of ${q}, which has not come`;
    if (distance(q, this.#promised) < 0) return `an answer of ${q} behind one of ${this.#promised}`;
    this.#promised = q;
    this.#inside.answered();
    return nack ? this.#nack(q, of) : this.#ack(q, of);
  }
  #ack(q: number, { extra, extraAt }: Arrivals): string | undefined {
    const times = (this.#acks.get(q) ?? 0) + 1,
      again = extra - (extraAt.get(q) ?? 0);
    this.#acks.set(q, times);
    return times > 1 + again ? `${times} ACKs of ${q}, and ${again} packets behind it came twice` : undefined;
  }
  /** One NACK for each gap: a packet ahead has come, and what is missing had not. */
  #nack(q: number, { all, lastAt }: Arrivals): string | undefined {
    if (this.#nacked.has(q)) return `a second NACK of ${q}`;
    this.#nacked.add(q);
    const missing = plus(q, 1),
      last = lastAt.get(q) ?? 0,
      came = all.find(a => a.sequence === missing && a.step > last),
      ahead = all.filter(a => distance(a.sequence, missing) > 0);
    if (ahead.length === 0) return `a NACK of ${q}, and nothing behind ${missing} has come`;
    const isRight = came === undefined || ahead.some(a => a.step < came.step) || this.#inside.crowdedSince(came.step);
    return isRight ? undefined : `a NACK of ${q}, and ${missing} had come in order`;
  }
  #data(frame: Uint8Array, port: number, n: number, peer: Client): string | undefined {
    const bytes = (reply: Uint8Array) => (mac: bigint) =>
      replyFrame(reply, { type: gbnTypes.data, sequence: n, srcSlot: this.session, dstSlot: peer.slot }, mac);
    const kept = this.#kept.get(n);
    if (kept !== undefined) {
      if (!this.#is(frame, port, bytes(kept.reply))) return `reply ${n} is sent again with other bytes`;
      return this.#again(n, kept);
    }
    if (n !== plus(this.#sent, 1)) return `reply ${n} leaves behind ${this.#sent}`;
    const next = this.waiting.findIndex(w => this.#is(frame, port, bytes(w.reply))),
      taken = this.waiting[next];
    if (taken === undefined) return `reply ${n} is none that a node has given`;
    const lost = this.waiting.slice(0, next).filter(w => !w.mayBeLost).length;
    this.waiting.splice(0, next + 1).forEach(w => this.#inside.gone(w));
    const { isFull } = this,
      last = this.#kept.get(this.#sent),
      since = last === undefined || this.#sent === this.#acked ? taken.at : Math.max(last.since, this.#ackedAt);
    this.#sent = n;
    this.#kept.set(n, { reply: taken.reply, since, nacks: taken.nacks, moves: taken.moves, times: 1 });
    if (distance(n, this.#early) <= 0) this.#moveTo(n, undefined);
    if (isFull) return `reply ${n} is beyond the window`;
    return lost > 0 ? `reply ${n} leaves, and ${lost} before it did not` : undefined;
  }
  /** Each NACK, and each timeout, sends a frame once more. */
  #again(n: number, k: Kept): string | undefined {
    k.times++;
    const now = this.#now(),
      nacks = this.#nacks - k.nacks,
      tries = gbnTimes.tries * (1 + this.#moves - k.moves);
    if (k.times > 1 + nacks + tries) return `reply ${n} is sent for the ${k.times}th time`;
    if (now === undefined) return undefined;
    const timeouts = Math.floor((now - k.since) / gbnTimes.timeoutCycles);
    if (k.times > 1 + nacks + timeouts) return `reply ${n} is sent again too early`;
    const isAcked = this.#isSure && distance(n, this.#acked) <= 0 && now > this.#ackedAt + settling;
    return isAcked ? `reply ${n} is sent again long after its ACK` : undefined;
  }

  /** The last that went on, or may have been taken unseen. */
  get #taken(): number {
    let last = this.#forwarded;
    while (this.#hidden.has(plus(last, 1))) last = plus(last, 1);
    return last;
  }
  /** A request that came in order behind the last one, and has not gone on; the one whose ACK is due may wait. */
  get #missing(): number | undefined {
    const last = this.#taken,
      next = plus(last, 1),
      { lastAt } = this.#came ?? {},
      at = lastAt?.get(next) ?? 0,
      isDue = distance(last, this.#promised) >= gbnTimes.ackEvery - 1;
    return at > (lastAt?.get(last) ?? 0) && !isDue && !this.#inside.crowdedSince(at) ? next : undefined;
  }
  /** Frames that must come yet. */
  get outstanding(): number {
    if (!this.isOpen) return 0;
    const unheard = distance(this.#sent, this.#acked),
      unsaid = distance(this.#taken, this.#promised);
    return (
      unheard + Math.max(0, unsaid) + (this.isFull ? 0 : this.waiting.length) + (this.#missing === undefined ? 0 : 1)
    );
  }
  /** Gaps of which no NACK has told; of a session that was closed, those of long before. */
  #unanswered(): readonly string[] {
    const { ended } = this,
      inside = this.#inside,
      until = ended === undefined ? Infinity : ended.at - settling;
    if (this.mayBeGone || (ended === undefined && this.mayEnd)) return [];
    return [...(this.#came?.gapAt ?? [])]
      .filter(([q, at]) => at < until && !this.#nacked.has(q) && !inside.busyAt(at))
      .filter(([q]) => distance(q, before) > 0 && !inside.crowdedSince(0))
      .map(([q]) => `a packet came behind ${plus(q, 1)}, which was missing, and no NACK of ${q} has left`);
  }
  /** The run is over. @param isHeld some session's full window holds up all replies */
  finish(isHeld: boolean): readonly string[] {
    const problems: string[] = [];
    if (distance(this.#promised, this.#taken) > 0)
      problems.push(`request ${plus(this.#taken, 1)} was acknowledged, and has not gone on`);
    problems.push(...this.#unanswered());
    if (!this.isOpen) return problems;
    const missing = this.#missing;
    if (missing !== undefined) problems.push(`request ${missing} came in order, and has not gone on`);
    if (distance(this.#taken, this.#promised) > 0) problems.push(`no ACK of request ${this.#taken} has left`);
    const stays = this.waiting.filter(w => !w.mayBeLost).length;
    if (!isHeld && stays > 0) problems.push(`${stays} replies have not left`);
    if (this.#now() !== undefined && distance(this.#sent, this.#acked) > 0)
      problems.push(`reply ${plus(this.#acked, 1)} is not acknowledged, and is not sent again`);
    return problems;
  }
}
