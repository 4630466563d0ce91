/** The bursts of a descriptor, one after the other. */
import { uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import type { fieldsOf } from "./descriptor.ts";
import { type CutterEvents, rowsOf } from "./rows.ts";

/** Beats of a burst, at most. */
export const MOST = 16;
/** Bits of an address in a page, which no burst leaves. */
export const PAGE = 12;

export interface Cutter {
  /** A burst stands: from, to, its beats at the destination and at the source, less one. */
  readonly there: Bit;
  readonly source: UInt;
  readonly destination: UInt;
  readonly len: UInt<8>;
  readonly readLen: UInt<8>;
  /** Beats at the source. */
  readonly reads: UInt<7>;
  /** All bursts have gone. */
  readonly ended: Bit;
}
/**
 * Cuts rows into bursts of at most 16 beats, none of which crosses 4 KB at either end. A burst stands 2 cycles after
 * the one before was taken; `begin` loads a descriptor.
 */
export function cutter(
  p: { readonly addressBits: number; readonly beatBytes: number },
  f: ReturnType<typeof fieldsOf>,
  at: CutterEvents,
): Cutter {
  const shift = Math.log2(p.beatBytes),
    step = uint(5),
    { now, left, phase, busy, walk } = rowsOf(p.addressBits, f, f.rowBeats, at);
  const room = reg(step, { name: "cut_room" }),
    beats = reg(step, { name: "cut_beats" });
  // Beats up to the end of a page, as far as they matter.
  const toPage = (v: UInt): UInt => {
    const index = v.bits(shift, PAGE - shift),
      far = index
        .bits(4, PAGE - shift - 4)
        .not()
        .any();
    return mux(far, constant(MOST, 5), constant(MOST, 5).sub(index.trunc(4).zext(5)));
  };
  const a = toPage(now.source),
    b = toPage(now.destination);
  const less = (x: UInt, y: UInt): UInt => mux(x.lt(y), x, y);
  const short = node(left.lt(MOST), { name: "row_is_short" });
  const there = node(busy.and(phase.eq(2)), { name: "burst_there" });
  when(busy.and(phase.eq(0)), () => {
    room.set(less(a, b));
    phase.set(1);
  });
  when(busy.and(phase.eq(1)), () => {
    beats.set(mux(short, less(left.trunc(5), room), room));
    phase.set(2);
  });
  walk(node(beats.zext(p.addressBits).shl(shift), { name: "burst_bytes" }), beats.zext(32 - shift));
  const len = beats.sub(1).zext(8);
  return {
    there,
    source: now.source,
    destination: now.destination,
    len,
    readLen: len,
    reads: len.trunc(7).add(1),
    ended: busy.not(),
  };
}
