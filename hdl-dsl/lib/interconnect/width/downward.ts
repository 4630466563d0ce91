/** Bursts of a wide master as a narrow slave gets them: as they are, or in as many parts as they take. */
import { bit, struct, uint } from "../../../types/shape.ts";
import type { Stream, StreamIn, UInt } from "../../../types/value.ts";
import { node, reg } from "../../../build/declare.ts";
import { mux, when } from "../../../build/statements.ts";
import { cat, constant } from "../../../build/value.ts";
import { map, stream } from "../../../stream/stream.ts";
import { stage } from "../../../stream/stage.ts";
import type { Axi4Address } from "../../axi/index.ts";
import { priority } from "../../../vectors/index.ts";
import { burstKind, bySize, maskOf, type Widths } from "./beats.ts";
import { type Part, partOf } from "./parts.ts";

/** Bits of an address within 4 KB, which no burst leaves. */
const PAGE = 12;
/** Beats of a burst, at most. */
const MOST = 256;
/** Bits of a WRAP burst's bytes: 16 beats of 128. */
const WRAPPED = 11;
const ones = (n: number): bigint => (1n << BigInt(n)) - 1n;

/** Bits of a number of narrow beats. */
const countBits = (w: Widths): number => Math.max(9, PAGE + 1 - w.narrow);
/** What is known of a burst before it is cut: its beats are `beats` less `cut`, and of a second part `cut` (WRAP). */
const asked = (w: Widths) =>
  struct({
    addr: uint<number>(w.addressBits),
    base: uint<number>(w.addressBits),
    id: uint<number>(w.idBits),
    size: uint(3),
    burst: uint(2),
    wraps: bit,
    more: uint(4),
    beats: uint<number>(countBits(w)),
    cut: uint<number>(countBits(w)),
    below: uint<number>(w.wide),
    mask: uint<number>(w.wide),
    fill: uint<number>(w.wide),
  });

/** A burst in narrow beats, whole. */
function measure(w: Widths, from: StreamIn<Axi4Address>, name: string) {
  const a = from.payload,
    n = countBits(w);
  const fits = node(a.size.le(w.narrow), { name: `${name}_fits` }),
    wrap = node(a.burst.eq(burstKind.wrap).andNot(fits), { name: `${name}_wraps` }),
    fixed = node(a.burst.eq(burstKind.fixed).andNot(fits), { name: `${name}_repeats` });
  const count = node(a.len.addGrow(constant(1, 8)), { name: `${name}_count` });
  const scaled = bySize(a.size, w.narrow + 1, w.wide, k => count.resize(n).shl(k - w.narrow)),
    each = bySize(a.size, w.narrow + 1, w.wide, k => constant(1n << BigInt(k - w.narrow), n));
  // The part of a beat, or of all that is wrapped, that lies before the address.
  const within = (bytes: UInt): UInt => bytes.shr(w.narrow).resize(n),
    low = a.addr.resize(PAGE).trunc(WRAPPED);
  const before = bySize(a.size, w.narrow + 1, w.wide, k => within(low.and(ones(k)))),
    around = bySize(a.size, w.narrow + 1, w.wide, k => a.len.trunc(4).zext(WRAPPED).shl(k).or(ones(k))),
    into = within(low.and(around));
  const base = cat(a.addr.shr(WRAPPED).trunc(w.addressBits - WRAPPED), low.andNot(around));
  return map(
    from,
    asked(w),
    () => ({
      addr: a.addr,
      base: mux(wrap, base, a.addr),
      id: a.id,
      size: mux(fits, a.size, constant(w.narrow, 3)),
      burst: mux(fits, a.burst, constant(burstKind.incr, 2)),
      wraps: wrap,
      more: priority([fixed, a.len.trunc(4)], [wrap, into.any().zext(4)], constant(0, 4)),
      beats: priority([fits, count.resize(n)], [fixed, each], scaled),
      cut: priority([fits, constant(0, n)], [wrap, into], before),
      below: bySize(a.size, 0, w.wide, k => constant(ones(Math.min(k, w.narrow)), w.wide)),
      mask: mux(fits, maskOf(w, a), constant(ones(w.wide), w.wide)),
      fill: bySize(a.size, 0, w.wide, k =>
        constant(k <= w.narrow ? ones(w.wide) : (ones(w.wide) ^ ones(k)) | ones(w.narrow), w.wide),
      ),
    }),
    { name },
  );
}

/**
 * A burst of beats that the narrow bus has goes on as it is. A wider one becomes INCR bursts of full narrow beats, of
 * 256 beats at most: one and more for INCR, two for WRAP (up to its end, and from its start), one for each beat of
 * FIXED. Latency 2 cycles, a part each cycle.
 */
export function downward(w: Widths, from: StreamIn<Axi4Address>, name: string): StreamIn<Part> {
  const next = stage(measure(w, from, `${name}_measured`), "forward", { name: `${name}_next` }),
    job = reg(asked(w), { name: `${name}_job` }),
    busy = reg(bit, { init: 0, name: `${name}_busy` }),
    n = countBits(w);
  const out: Stream<Part> = stream(partOf(w), { name });
  const left = job.beats;
  // Only where 4 KB are more than 256 beats can there be too many for one burst.
  const over = node(n > 9 ? left.gt(MOST) : constant(0, 1), { name: `${name}_over` }),
    final = node(over.not().and(job.more.eq(0)), { name: `${name}_final` });
  out.valid.set(busy);
  out.payload.set({
    address: {
      addr: job.addr,
      id: constant(0, w.idBits),
      len: mux(over, constant(MOST - 1, 8), left.sub(1).trunc(8)),
      size: job.size,
      burst: job.burst,
    },
    plan: {
      low: job.addr.trunc(w.wide),
      below: job.below,
      mask: job.mask,
      fill: job.fill,
      len: mux(over, constant(MOST - 1, 8), left.sub(1).trunc(8)),
      final,
      id: job.id,
    },
  });
  const free = node(busy.not().or(out.ready.and(final)), { name: `${name}_free` });
  next.ready.set(free);
  when(out.fire, () => {
    when(over, () => {
      left.set(left.sub(MOST));
      const page = job.addr
        .shr(w.narrow + 8)
        .add(1)
        .trunc(w.addressBits - w.narrow - 8);
      const within = [job.addr.bits(w.narrow, 8), ...(w.narrow === 0 ? [] : [constant(0, w.narrow)])];
      job.addr.set(cat(page, ...within));
    }).otherwise(() => {
      left.set(job.cut);
      job.addr.set(job.base);
      job.more.set(job.more.sub(1));
    });
  });
  when(free, () => busy.set(next.valid));
  when(next.fire, () => {
    const first = node(next.payload.beats.sub(next.payload.cut), { name: `${name}_first` });
    job.set({ ...next.payload, beats: first, cut: mux(next.payload.wraps, next.payload.cut, first) });
  });
  return out;
}
