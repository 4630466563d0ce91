import {
  assertAlways,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  encodeOnehot,
  input,
  instance,
  module,
  mux,
  node,
  output,
  PacketFifo,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat, slotBeatBits } from "../../frame/index.ts";

export interface GbnFramesParameters {
  readonly beatBytes: number;
  /** Largest frame kept, bytes without FCS. */
  readonly frameBytes: number;
  /** Bytes from the frame's first that are given with its end. */
  readonly headerBytes: number;
  /**
   * A frame for which there is no room waits (`rx.ready` is 0 at its first beat); without this it is taken
   * and not stored.
   */
  readonly waits: boolean;
}

/** Whole frames kept at most. */
export const gbnFramesKept = 32;
export const frameBeats = (p: { readonly beatBytes: number; readonly frameBytes: number }): number =>
  Math.ceil(p.frameBytes / p.beatBytes);
/**
 * Beats kept: a largest frame that leaves, one that waits for its verdict, room for the next, and what
 * comes in meanwhile.
 */
const depthOf = (p: GbnFramesParameters): number => 2 ** Math.ceil(Math.log2(3 * frameBeats(p) + 20));

/** A frame at its end, with all that the shims judge it by. */
export const FrameEnd = (p: { readonly headerBytes: number }) =>
  struct({
    /** The frame's first `headerBytes`, byte 0 lowest; those behind a shorter frame's end are the last one's. */
    header: uint(p.headerBytes * 8),
    /** Number of its last byte, less than the largest frame or `long`. */
    lastByte: uint(16),
    /** Longer than the largest frame; its FCS was wrong. Both are never kept. */
    long: bit,
    bad: bit,
    /** There was room for it. */
    stored: bit,
  });

/**
 * Keeps frames whole until their fate is known. `ends` is 1 in the cycle after a frame's last beat came, with the
 * frame's header; in that same cycle `discard` tells that its beats are not needed. Kept frames come out on `beats`,
 * whole and in order.
 * Latency: 2 cycles from a frame's last beat to its first on `beats`; initiation interval 1 beat per cycle, no
 * bubble between frames.
 * Full: see `waits`; room is looked for at the first beat, for a largest frame, so a frame that has begun never stalls.
 * `hold` keeps the next frame out.
 */
export const GbnFrames = module(
  "GbnFrames",
  (p: GbnFramesParameters) => ({
    rx: sink(AxisBeat(p.beatBytes)),
    hold: input(bit),
    ends: output(bit),
    end: output(FrameEnd(p)),
    discard: input(bit),
    beats: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const { beatBytes, headerBytes } = p,
      laneBits = Math.log2(beatBytes),
      beatBits = slotBeatBits(p),
      depth = depthOf(p),
      most = frameBeats(p),
      lastLanes = p.frameBytes - (most - 1) * beatBytes;
    const store = instance(
      "store",
      PacketFifo({ shape: AxisBeat(beatBytes), depth, last: "last", drop: "user", style: "block" }),
    );
    connect(store.pop, io.beats);

    // Room for one more largest frame, one cycle old: a beat may have come since.
    const used = reg(uint(bitsFor(depth)), { init: 0 });
    const room = reg(bit, { init: 0 });
    room.set(used.le(depth - most - 4).and(store.packets.lt(gbnFramesKept - 2)));

    const first = reg(bit, { init: 1 });
    const beat = reg(uint(beatBits + 1), { init: 0 });
    const storing = reg(bit);
    const storedNow = node(mux(first, room, storing));
    io.rx.ready.set(first.not().or(io.hold.not().and(p.waits ? room : constant(1, 1))));
    const taken = node(io.rx.fire),
      rx = io.rx.payload;
    const past = beat.bit(beatBits);

    // The beat at hand, one cycle later; the header is complete with the last one.
    const heldValid = reg(bit, { init: 0 });
    const held = reg(AxisBeat(beatBytes));
    const heldOver = reg(bit);
    const long = reg(bit);
    const heldStored = reg(bit);
    const header = reg(uint(headerBytes * 8));
    const lastByte = reg(uint(beatBits + 1 + laneBits));
    heldValid.set(taken);
    // It goes on after one cycle, so what stands there without a beat matters to nobody.
    held.set(rx);
    when(taken, () => {
      const over = node(beat.ge(most));
      heldOver.set(over);
      // A beat's bytes are side by side from the lowest, so one that is there says that those below are.
      long.set(lastLanes === beatBytes ? over : over.or(beat.eq(most - 1).and(rx.keep.bit(lastLanes))));
      heldStored.set(storedNow);
      storing.set(storedNow);
      first.set(rx.last);
      for (let b = 0; b * beatBytes < headerBytes; b++) {
        const bytes = Math.min(beatBytes, headerBytes - b * beatBytes);
        when(beat.eq(b), () => header.setBits(b * beatBytes * 8, rx.data.bits(0, bytes * 8)));
      }
      const edge = node(rx.keep.and(rx.keep.shr(1).not()));
      lastByte.set(cat(beat, encodeOnehot(edge)));
      when(rx.last, () => beat.set(0)).elseWhen(past.not(), () => beat.set(beat.add(1)));
    });

    const ends = node(heldValid.and(held.last));
    io.ends.set(ends);
    io.end.set({ header, lastByte: lastByte.resize(16), long, bad: held.user, stored: heldStored });
    const dropped = node(io.discard.or(long).or(held.user));
    // Room was looked for, so the store takes each beat: no count hangs on its `ready`.
    const pushed = node(heldValid.and(heldStored).and(heldOver.not().or(held.last)));
    store.push.valid.set(pushed);
    store.push.payload.set({ data: held.data, keep: held.keep, last: held.last, user: ends.and(dropped) });
    assertAlways(pushed.not().or(store.push.ready), "a frame that has begun finds room");

    // Beats in the store. Those of a frame that is dropped come back at its end; one that leaves a cycle later.
    const coming = reg(uint(bitsFor(depth)), { init: 0 });
    const popped = reg(bit, { init: 0 });
    popped.set(store.pop.fire);
    when(pushed, () => coming.set(mux(held.last, constant(0, coming.width), coming.add(1))));
    const comesBack = node(pushed.and(held.last).and(dropped)),
      left = node(used.sub(popped.zext(used.width)));
    used.set(mux(comesBack, left.sub(coming), left.add(pushed.zext(used.width))));
  },
  { nameOf: p => `GbnFrames_b${p.beatBytes * 8}_u${p.frameBytes}${p.waits ? "_waits" : ""}` },
);
