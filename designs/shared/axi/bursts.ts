import {
  axi4Address,
  bit,
  type Bit,
  cat,
  constant,
  mux,
  node,
  reg,
  scope,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { lengthBits as frameLengthBits } from "../frame/index.ts";

export interface BurstParameters {
  readonly beatBytes: number;
  readonly pageShift: number;
  readonly ppnBits: number;
  readonly pagesPerRequest: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** Bits of a request's length; 14 unless given. */
  readonly lengthBits?: number;
}
/** A request as far as its bursts go: a stream whose payload has these fields among others. */
export interface PagedRequest {
  readonly valid: Bit;
  readonly ready: { set(value: Bit): void };
  readonly payload: {
    /** Byte offset in the first page. */
    readonly offset: UInt;
    /** Bytes, 1 or more. */
    readonly length: UInt;
    /** Physical page numbers, first page in the low bits. */
    readonly ppns: UInt;
  };
}

/**
 * Bytes that a burst's end never crosses: 4 KB (AXI), no more than 256 beats, and no more than a page. Every page size
 * is a multiple of it.
 */
export const burstWindow = ({ beatBytes, pageShift }: Pick<BurstParameters, "beatBytes" | "pageShift">): number =>
  Math.min(4096, 256 * beatBytes, 2 ** pageShift);
/** Bits of a beat's number within that window. */
export const windowBits = (p: Pick<BurstParameters, "beatBytes" | "pageShift">): number =>
  Math.log2(burstWindow(p) / p.beatBytes);

/** A burst of a request; `last` marks the request's last one. */
export const Burst = (p: BurstParameters) => struct({ address: axi4Address(p), last: bit });

/**
 * The AXI bursts of a request: INCR, full beats from an address on a beat, never across 4 KB, 256 beats or a page;
 * from page to page the request's next `ppn` is used. No latency; one burst per cycle; the request is taken with
 * its last burst.
 */
export function bursts(request: PagedRequest, p: BurstParameters): StreamIn<ReturnType<typeof Burst>> {
  return scope("burst", () => {
    const laneBits = Math.log2(p.beatBytes),
      lengthBits = p.lengthBits ?? frameLengthBits,
      beatBits = p.pageShift - laneBits,
      window = windowBits(p),
      countBits = lengthBits + 1 - laneBits;
    const v = request.payload;
    const out = stream(Burst(p), { name: "stream" });
    const further = reg(bit, { init: 0 });
    const nextBeat = reg(uint(beatBits));
    const nextLeft = reg(uint(countBits));
    const nextPpns = reg(uint(p.pagesPerRequest * p.ppnBits));
    // Beats less one, from the beat of the first byte to that of the last.
    const endOffset = node(
      v.length
        .zext(lengthBits + 1)
        .add(v.offset.trunc(laneBits).zext(lengthBits + 1))
        .sub(1),
    );
    const beat = node(mux(further, nextBeat, v.offset.bits(laneBits, beatBits)));
    const left = node(mux(further, nextLeft, endOffset.bits(laneBits, countBits)));
    const ppns = node(mux(further, nextPpns, v.ppns));
    const room = node(beat.trunc(window).not());
    const wide = Math.max(window, countBits);
    const last = node(left.zext(wide).le(room.zext(wide)));
    const length = node(mux(last, left.resize(window), room));
    out.valid.set(request.valid);
    request.ready.set(out.ready.and(last));
    out.payload.last.set(last);
    out.payload.address.set({
      addr: cat(ppns.trunc(p.ppnBits), beat, constant(0, laneBits)),
      id: constant(0, p.idBits),
      len: length.resize(8),
      size: constant(laneBits, 3),
      burst: constant(1, 2),
    });
    when(out.fire, () => {
      further.set(last.not());
      // What follows begins where the window ends: in the next page when this was the page's last.
      const high = beatBits > window ? beat.bits(window, beatBits - window).addGrow(1) : constant(1, 1);
      const pageDone = high.bit(high.width - 1);
      nextBeat.set(beatBits > window ? cat(high.trunc(beatBits - window), constant(0, window)) : constant(0, beatBits));
      nextLeft.set(left.sub(room.resize(countBits)).sub(1));
      nextPpns.set(mux(pageDone, ppns.shr(p.ppnBits), ppns));
    });
    return out;
  });
}

/** Address channel with a register stage: latency 1. */
export function addressStage(
  from: StreamIn<ReturnType<typeof axi4Address>>,
  to: StreamOut<ReturnType<typeof axi4Address>>,
  name: string,
): void {
  const staged = stage(from, "forward", { name });
  to.valid.set(staged.valid);
  to.payload.set(staged.payload);
  staged.ready.set(to.ready);
}
