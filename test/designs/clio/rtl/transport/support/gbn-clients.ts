/**
 * Clients that speak Go-Back-N, and a channel between them and a node that loses, repeats and reorders
 * frames, both ways.
 */
import { gbnFrame, gbnHeader } from "../../../../../../designs/shared/go-back-n/wire/index.ts";
import { GbnSession } from "../../../../../../designs/shared/go-back-n/software/index.ts";
import {
  decode,
  type Endpoint,
  ethernetHeader,
  ipv4Header,
  udpHeader,
} from "../../../../../../designs/shared/wire/index.ts";
import { frameOffsets } from "../../../../../../designs/clio/wire/index.ts";
import type { Random } from "../../../../../../sim/index.ts";

export interface ChannelOptions {
  readonly loss: number;
  readonly duplication: number;
  readonly reordering: number;
  readonly delay: number;
}

/** Frames on their way: each comes after `delay` cycles, or not, or twice, or later than others. */
export class Channel {
  readonly #random: Random;
  readonly #o: ChannelOptions;
  readonly #under: { readonly due: number; readonly frame: Uint8Array }[] = [];
  lost = 0;
  constructor(random: Random, o: ChannelOptions) {
    this.#random = random;
    this.#o = o;
  }
  get empty(): boolean {
    return this.#under.length === 0;
  }
  put(frame: Uint8Array, now: number): void {
    const r = this.#random;
    if (r.chance(this.#o.loss)) {
      this.lost++;
      return;
    }
    for (let n = r.chance(this.#o.duplication) ? 2 : 1; n > 0; n--)
      this.#under.push({ due: now + this.#o.delay + (r.chance(this.#o.reordering) ? r.between(1, 400) : 0), frame });
  }
  take(now: number): readonly Uint8Array[] {
    const out = this.#under.filter(f => f.due <= now).map(f => f.frame);
    if (out.length > 0) this.#under.splice(0, this.#under.length, ...this.#under.filter(f => f.due > now));
    return out;
  }
}

export interface ClientOptions {
  readonly self: Endpoint;
  readonly node: Endpoint;
  readonly slot: number;
  readonly session: number;
  readonly first: number;
  /** Cycles after which it sends again, and acknowledges what it has not yet. */
  readonly timeout: number;
  readonly ackDelay: number;
  readonly ackEvery: number;
  /** Consumer of its frames. */
  readonly send: (frame: Uint8Array) => void;
  /** A reply in order: the payload behind the Go-Back-N header. */
  readonly reply: (payload: Uint8Array) => void;
}

/** One session from the client's side, in frames: sends requests in order, takes replies in order. */
export class GbnClient {
  readonly #session: GbnSession;
  #now = 0;
  constructor({ self, node, send, reply, ...o }: ClientOptions) {
    this.#session = new GbnSession({
      ...o,
      send: (header, payload) => send(gbnFrame(self, node, header, payload)),
      deliver: reply,
    });
  }
  get idle(): boolean {
    return this.#session.idle;
  }
  get resent(): number {
    return this.#session.resent;
  }

  request(payload: Uint8Array): void {
    this.#session.put(payload, this.#now);
  }
  tick(now: number): void {
    this.#now = now;
    this.#session.tick(now);
  }
  /** A frame for this client came. */
  take(frame: Uint8Array, now: number): void {
    const udp = decode(udpHeader, frame, frameOffsets.transport);
    this.#session.take(
      decode(gbnHeader, frame, frameOffsets.clio),
      frame.slice(frameOffsets.clio + gbnHeader.bytes, frameOffsets.transport + udp.length),
      now,
    );
  }
}

/** Where a frame goes, as far as Go-Back-N is in it. */
export function addressed(frame: Uint8Array): {
  readonly mac: bigint;
  readonly ip: number;
  readonly port: number;
  readonly header: {
    readonly type: number;
    readonly sequence: number;
    readonly srcSlot: number;
    readonly dstSlot: number;
  };
} {
  const h = decode(gbnHeader, frame, frameOffsets.clio);
  return {
    mac: decode(ethernetHeader, frame).dst,
    ip: decode(ipv4Header, frame, frameOffsets.network).dst,
    port: decode(udpHeader, frame, frameOffsets.transport).dstPort,
    header: { type: h.type, sequence: h.sequence, srcSlot: h.srcSlot, dstSlot: h.dstSlot },
  };
}
