import { SimulationError } from "../errors.ts";
import { LEAST_FRAME, LINE_OVERHEAD } from "./ethernet-mac.ts";
import type { SimulatedTime } from "./simulated-time.ts";
import type { Random } from "../../hdl-dsl/index.ts";

/** One direction between a station and the network. Probabilities are per frame. */
export interface LinkOptions {
  /** From the last bit sent to the last bit received, ns; default 500. */
  readonly latencyNs?: number;
  /** Gbit/s of the line; default 100. */
  readonly gbps?: number;
  /** Bytes that may wait for the line; a frame that finds no room is lost. Default 256 KB. */
  readonly queueBytes?: number;
  /** The frame does not arrive. */
  readonly loss?: number;
  /** The frame arrives twice, the second one up to `reorderNs` later. */
  readonly duplicate?: number;
  /** The frame arrives up to `reorderNs` later, behind others. */
  readonly reorder?: number;
  /** Default 8 x `latencyNs`. */
  readonly reorderNs?: number;
  /** Some of its bits are turned round; its check sequence says so. */
  readonly corrupt?: number;
  /** Whether the receiving MAC drops damaged frames instead of marking them; default no. */
  readonly dropDamaged?: boolean;
}

const counted = {
  sent: 0,
  bytes: 0,
  delivered: 0,
  lost: 0,
  overflowed: 0,
  duplicated: 0,
  reordered: 0,
  corrupted: 0,
  droppedDamaged: 0,
  longestQueueNs: 0,
};
/** Counts of a direction: frames, bytes, ns. */
export type LinkStatistics = typeof counted;

/** Receives a frame at the end of a link. */
export type Delivery = (frame: Uint8Array, damaged: boolean) => void;

/** One direction of a line: bandwidth with a bounded queue, latency, and faults, all from its own random numbers. */
export class Link {
  readonly #time: SimulatedTime;
  readonly #random: Random;
  readonly #o: Required<LinkOptions>;
  readonly #count: LinkStatistics = { ...counted };
  /** When the line is free again, ns. */
  #free = 0;

  /** @throws SimulationError for a rate or probability out of range */
  constructor(name: string, time: SimulatedTime, random: Random, options: LinkOptions) {
    const latencyNs = options.latencyNs ?? 500;
    this.#time = time;
    this.#random = random;
    this.#o = {
      gbps: 100,
      queueBytes: 262_144,
      loss: 0,
      duplicate: 0,
      reorder: 0,
      reorderNs: 8 * latencyNs,
      corrupt: 0,
      dropDamaged: false,
      ...options,
      latencyNs,
    };
    for (const p of ["loss", "duplicate", "reorder", "corrupt"] as const) {
      if (this.#o[p] >= 0 && this.#o[p] <= 1) continue;
      throw new SimulationError(`${name}: ${p} is ${this.#o[p]}; give a probability from 0 to 1`);
    }
    if (!(this.#o.gbps > 0)) throw new SimulationError(`${name}: gbps is ${this.#o.gbps}; give a number above 0`);
    if (!(latencyNs >= 0)) throw new SimulationError(`${name}: latencyNs is ${latencyNs}; give a number from 0`);
  }

  get statistics(): Readonly<LinkStatistics> {
    return { ...this.#count };
  }

  /** When the line has nothing more to send, ns; in the past while it is idle. */
  get freeAt(): number {
    return this.#free;
  }

  /** Sends a frame. @param damaged it was damaged before */
  send(frame: Uint8Array, damaged: boolean, deliver: Delivery): void {
    const o = this.#o,
      c = this.#count,
      now = this.#time.now();
    c.sent++;
    c.bytes += frame.length;
    const waits = Math.max(0, this.#free - now),
      bytes = Math.max(frame.length, LEAST_FRAME) + LINE_OVERHEAD;
    if ((waits * o.gbps) / 8 + bytes > o.queueBytes) {
      c.overflowed++;
      return;
    }
    c.longestQueueNs = Math.max(c.longestQueueNs, waits);
    this.#free = now + waits + (bytes * 8) / o.gbps;
    const arrives = this.#free + o.latencyNs - now;
    if (this.#random.chance(o.loss)) {
      c.lost++;
      return;
    }
    const late = this.#random.chance(o.reorder);
    if (late) c.reordered++;
    this.#arrive(frame, damaged, arrives + (late ? this.#extra() : 0), deliver);
    if (!this.#random.chance(o.duplicate)) return;
    c.duplicated++;
    this.#arrive(frame, damaged, arrives + this.#extra(), deliver);
  }

  #extra(): number {
    return this.#random.fraction() * this.#o.reorderNs;
  }

  #arrive(frame: Uint8Array, before: boolean, ns: number, deliver: Delivery): void {
    const corrupt = this.#random.chance(this.#o.corrupt),
      bytes = corrupt ? this.#corrupted(frame) : frame,
      damaged = before || corrupt;
    if (corrupt) this.#count.corrupted++;
    this.#time.after(ns, () => {
      if (damaged && this.#o.dropDamaged) {
        this.#count.droppedDamaged++;
        return;
      }
      this.#count.delivered++;
      deliver(bytes, damaged);
    });
  }

  /** The frame with one to eight of its bits turned round. */
  #corrupted(frame: Uint8Array): Uint8Array {
    const out = frame.slice();
    const bits = new Set(
      Array.from({ length: this.#random.between(1, 8) }, () => this.#random.between(0, 8 * out.length - 1)),
    );
    for (const bit of bits) out[bit >> 3] = (out[bit >> 3] as number) ^ (1 << (bit & 7));
    return out;
  }
}
