/** Bursts between addresses of any bytes: where they are cut, and how their data come into the lanes of the target. */
import { bit, struct, type StructShape, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, StreamIn, UInt, Val } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { type Cutter, MOST, PAGE } from "./bursts.ts";
import type { fieldsOf } from "./descriptor.ts";
import { type CutterEvents, rowsOf } from "./rows.ts";

/** Beats of a read, at most: the bytes of 16 beats may stand in 17. */
export const MOST_READ = MOST + 1;
/**
 * How the beats of a read become those of a write. `skew`: lanes from a byte's place in the one to that in the other,
 * modulo the bus. `end`: lane of the last byte. `primes`: the first beat is of use only with the second.
 */
type Place = StructShape<{
  readonly reads: UIntShape;
  readonly skew: UIntShape;
  readonly end: UIntShape;
  readonly primes: UIntShape<1>;
}>;
/** For a bus of 2 to the power of `shift` bytes. */
export const placeOf = (shift: number): Place =>
  struct({ reads: uint(5), skew: uint(shift), end: uint(shift), primes: bit });

/**
 * As `cutter`, for rows, strides and addresses of any number of bytes. The end of a burst is that of 16 beats at the
 * destination, so all bursts of a row but the first begin at a beat there. A burst stands 3 cycles after the one
 * before was taken.
 */
export function byteCutter(
  p: { readonly addressBits: number; readonly beatBytes: number },
  f: ReturnType<typeof fieldsOf>,
  at: CutterEvents,
): Cutter & { readonly place: Val<Place> } {
  const shift = Math.log2(p.beatBytes),
    // Bytes of a burst: 17 beats at most.
    bits = shift + 5,
    size = uint(bits),
    { now, left, phase, busy, walk } = rowsOf(p.addressBits, f, f.rowBytes, at);
  const room = reg(size, { name: "cut_room" }),
    bytes = reg(size, { name: "cut_bytes" }),
    beats = reg(uint(5), { name: "cut_beats" }),
    place = reg(placeOf(shift), { name: "cut_place" });
  const lane = (v: UInt): UInt => v.trunc(shift),
    less = (x: UInt, y: UInt): UInt => mux(x.lt(y), x, y);
  // Bytes up to the end of a page or of so many beats, whichever comes first.
  const reach = (v: UInt, most: number): UInt => {
    const index = v.bits(shift, PAGE - shift),
      far = index
        .bits(4, PAGE - shift - 4)
        .not()
        .any(),
      here = mux(far, constant(most, 5), constant(MOST, 5).sub(index.trunc(4).zext(5)));
    return cat(here, constant(0, shift)).sub(lane(v).zext(bits));
  };
  /** Beats that bytes from a lane on stand in. */
  const over = (from: UInt): UInt =>
    from
      .zext(bits)
      .add(bytes)
      .add(p.beatBytes - 1)
      .bits(shift, 5);
  const from = lane(now.source),
    to = lane(now.destination);
  when(busy.and(phase.eq(0)), () => {
    room.set(less(reach(now.source, MOST_READ), reach(now.destination, MOST)));
    phase.set(1);
  });
  const short = node(
    left
      .bits(bits, 32 - bits)
      .any()
      .not()
      .and(left.trunc(bits).lt(room)),
    { name: "row_is_short" },
  );
  when(busy.and(phase.eq(1)), () => {
    bytes.set(mux(short, left.trunc(bits), room));
    phase.set(2);
  });
  when(busy.and(phase.eq(2)), () => {
    beats.set(over(to));
    place.set({
      reads: over(from),
      skew: from.sub(to),
      end: to.add(lane(bytes)).sub(1),
      primes: from.gt(to),
    });
    phase.set(3);
  });
  walk(node(bytes.zext(p.addressBits), { name: "burst_bytes" }), bytes.zext(32));
  return {
    there: node(busy.and(phase.eq(3)), { name: "burst_there" }),
    source: now.source,
    destination: now.destination,
    len: beats.sub(1).zext(8),
    readLen: place.reads.sub(1).zext(8),
    reads: place.reads.zext(7),
    ended: busy.not(),
    place,
  };
}

/** What the writer says: a burst is taken up or a status is; beats go. */
export interface Going {
  readonly takes: Bit;
  /** The writer has been told to write a status, now. */
  readonly report: Bit;
  /** A beat goes or is dropped; not for a status. */
  readonly beat: Bit;
  readonly last: Bit;
  readonly lane: UInt;
}
/**
 * Beats as they were read, in the lanes of the destination, one a cycle. The first beat is taken with the burst where
 * it alone makes none; one more than was read goes where the last bytes are in the beat before.
 */
export function realigned(
  beatBytes: number,
  data: StreamIn<UIntShape>,
  places: StreamIn<Place>,
  go: Going,
): { readonly data: UInt; readonly strb: UInt; readonly pops: Bit } {
  const shift = Math.log2(beatBytes),
    unread = reg(uint(5), { name: "unread" }),
    skew = reg(uint(shift), { name: "skew" }),
    end = reg(uint(shift), { name: "end_lane" }),
    first = reg(bit, { init: 0, name: "first_beat" }),
    kept = reg(uint(8 * beatBytes), { name: "kept_beat" });
  const opens = places.payload,
    pops = node(mux(go.takes, opens.primes, go.beat.and(unread.any())), { name: "beat_is_read" });
  places.ready.set(go.takes);
  when(pops, () => kept.set(data.payload));
  when(go.takes, () => {
    unread.set(opens.reads.sub(opens.primes.zext(5)));
    skew.set(opens.skew);
    end.set(opens.end);
    first.set(1);
  })
    .elseWhen(go.report, () => {
      // A status has 8 bytes.
      end.set(beatBytes - 1);
      first.set(1);
    })
    .elseWhen(go.beat, () => {
      unread.set(unread.sub(pops.zext(5)));
      first.set(0);
    });
  const lanes = Array.from({ length: beatBytes }, (_, i) => i),
    atLeast = (low: UInt): Bit[] => lanes.map(i => (i === beatBytes - 1 ? constant(1, 1) : low.le(i))),
    atMost = (high: UInt): Bit[] => lanes.map(i => (i === 0 ? constant(1, 1) : high.ge(i)));
  // Lanes from the skew on are those of the beat before; without a skew there is none.
  const straight = node(skew.any().not(), { name: "straight" });
  const parts = atLeast(skew).map((before, i) =>
    mux(before.andNot(straight), kept.bits(8 * i, 8), data.payload.bits(8 * i, 8)),
  );
  let turned: UInt = cat(...parts.reverse());
  for (let n = 0; n < shift; n++) {
    const bits = 8 * 2 ** n;
    turned = mux(skew.bit(n), cat(turned.trunc(bits), turned.bits(bits, 8 * beatBytes - bits)), turned);
  }
  const from = atLeast(go.lane),
    to = atMost(end),
    strobes = lanes.map(i =>
      first
        .andNot(from[i] as Bit)
        .or(go.last.andNot(to[i] as Bit))
        .not(),
    );
  return { data: turned, strb: cat(...strobes.reverse()), pops };
}
