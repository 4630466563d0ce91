import { flip } from "../../../types/ports.ts";
import type { StreamIn } from "../../../types/value.ts";
import { endOf } from "../../../build/ends.ts";
import { module } from "../../../build/module.ts";
import { axi4Bus, axi4Master, type Axi4Parameters, axi4Slave } from "../../axi/index.ts";
import type { Widths } from "./beats.ts";
import { dealReads, dealWrites, gatherReads, gatherWrites, mergeAnswers } from "./data.ts";
import { downward } from "./downward.ts";
import { dispatch, type Owed } from "./parts.ts";
import { upward } from "./upward.ts";

/** Widths of the two sides, and how much may be under way. */
export interface Axi4WidthConverterParameters extends Omit<Axi4Parameters, "beatBytes"> {
  /** Bytes of a beat of the master's side `s`: 1, 2, 4 ... 128. */
  readonly fromBytes: number;
  /** Bytes of a beat of the slave's side `m`, another power of two. */
  readonly toBytes: number;
  /** Bursts at the slave's side that may be under way each way; 8 when left out. */
  readonly outstanding?: number;
}

function widthsOf(p: Axi4WidthConverterParameters): Widths {
  const [from, to] = [Math.log2(p.fromBytes), Math.log2(p.toBytes)];
  for (const [name, k] of [
    ["fromBytes", from],
    ["toBytes", to],
  ] as const)
    if (!Number.isInteger(k) || k < 0 || k > 7)
      throw new RangeError(`Axi4WidthConverter: ${name} is ${p[name]}; choose 1, 2, 4, 8, 16, 32, 64 or 128`);
  if (from === to)
    throw new RangeError(`Axi4WidthConverter: both sides have ${p.fromBytes} bytes; connect them, or use Axi4Register`);
  if (p.addressBits <= 12)
    throw new RangeError(`Axi4WidthConverter: addresses have ${p.addressBits} bits; give them 13 or more`);
  return {
    addressBits: p.addressBits,
    idBits: p.idBits,
    narrow: Math.min(from, to),
    wide: Math.max(from, to),
    outstanding: p.outstanding ?? 8,
  };
}
const busesOf = (p: Axi4WidthConverterParameters) => ({
  above: { addressBits: p.addressBits, idBits: p.idBits, beatBytes: p.fromBytes },
  below: { addressBits: p.addressBits, idBits: p.idBits, beatBytes: p.toBytes },
});

/**
 * AXI4 from a master's bus `s` of one width to a slave's bus `m` of another. Bursts of every kind, size and alignment;
 * no byte is written that was not strobed.
 *
 * To a wider bus: an INCR burst of several beats as wide as `s` becomes one of full beats of `m`, so a read of it may
 * touch the rest of its first and last beat there. Every other burst goes on as it is, in narrow beats. To a narrower
 * bus: a burst whose beats fit goes on as it is. Others become INCR bursts of full beats of `m` with at most 256 beats,
 * two for WRAP, one for each beat of FIXED. Answers of parts are merged: the worst of a write's, and of a read's those
 * that make a beat.
 *
 * All accesses have ID 0 at `m`, so answers come in order; the master's ID is given back with them. Latency in cycles,
 * with nothing paused: addresses 1 (to a narrower bus 3), data and answers 1. Initiation interval 1 beat of the
 * narrower bus; 1 address at `m`. At most `outstanding` writes are under way at `m`, and as many reads behind the one
 * whose data come; beyond that addresses wait. Data are taken after their address. Reset forgets all that is under way,
 * on both sides at once.
 */
export const Axi4WidthConverter = module(
  "Axi4WidthConverter",
  (p: Axi4WidthConverterParameters) => {
    widthsOf(p);
    const { above, below } = busesOf(p);
    return { ...axi4Slave("s", above), ...axi4Master("m", below) };
  },
  (io, p) => {
    const w = widthsOf(p),
      { above, below } = busesOf(p),
      widens = p.toBytes > p.fromBytes;
    const s = endOf(flip(axi4Bus(above)), io, "s"),
      m = endOf(axi4Bus(below), io, "m"),
      parts = widens ? upward : downward;
    const writes = dispatch(w, parts(w, s.aw, "aw"), m.aw, "aw", true),
      reads = dispatch(w, parts(w, s.ar, "ar"), m.ar, "ar", false);
    (widens ? gatherWrites : dealWrites)(w, writes.plans, s.w, m.w);
    mergeAnswers(writes.owed as StreamIn<Owed>, m.b, s.b);
    (widens ? dealReads : gatherReads)(w, reads.plans, m.r, s.r);
  },
  {
    nameOf: p =>
      `Axi4WidthConverter_${p.fromBytes}to${p.toBytes}_a${p.addressBits}_i${p.idBits}_o${p.outstanding ?? 8}`,
  },
);
