/** The bursts of a descriptor, one after the other. */
import { bit, struct, uint } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import type { fieldsOf } from "./descriptor.ts";

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
  at: { readonly begin: Bit; readonly taken: Bit },
): Cutter {
  const address = uint<number>(p.addressBits),
    shift = Math.log2(p.beatBytes),
    step = uint(5);
  const row = reg(struct({ source: address, destination: address }), { name: "row" }),
    now = reg(struct({ source: address, destination: address }), { name: "now" }),
    left = reg(uint<number>(32 - shift), { name: "row_left" }),
    rows = reg(uint(32), { name: "rows_left" }),
    room = reg(step, { name: "cut_room" }),
    beats = reg(step, { name: "cut_beats" });
  const phase = reg(uint(2), { init: 0, name: "cut_phase" }),
    busy = reg(bit, { init: 0, name: "cuts" });
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
  const bytes = node(beats.zext(p.addressBits).shl(shift), { name: "burst_bytes" }),
    rest = node(left.sub(beats.zext(32 - shift)), { name: "row_rest" });
  when(at.taken, () => {
    phase.set(0);
    left.set(rest);
    now.set({ source: now.source.add(bytes), destination: now.destination.add(bytes) });
    when(rest.eq(0), () => {
      const next = { source: row.source.add(f.sourceStride), destination: row.destination.add(f.destinationStride) };
      row.set(next);
      now.set(next);
      left.set(f.rowBeats);
      rows.set(rows.sub(1));
      when(rows.eq(1), () => busy.set(0));
    });
  });
  when(at.begin, () => {
    row.set({ source: f.source, destination: f.destination });
    now.set({ source: f.source, destination: f.destination });
    left.set(f.rowBeats);
    rows.set(f.rows);
    phase.set(0);
    busy.set(f.rowBeats.any().and(f.rows.any()));
  });
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
