import {
  assertAlways,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  Fifo,
  instance,
  module,
  mux,
  node,
  output,
  PacketFifo,
  ram,
  reg,
  sink,
  source,
  stage,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { frameBeats } from "./frames.ts";
import { sessionBits, type SessionParameters } from "./types.ts";
import { AxisBeat, keepAll, keepTo } from "../../frame/index.ts";

export interface GbnStoreParameters extends SessionParameters {
  readonly beatBytes: number;
  readonly frameBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** Where the frames lie in memory, bytes; a multiple of what they take. */
  readonly base: number;
  /** Bytes of a burst, at most: a power of two; default 4,096, which AXI4 allows. */
  readonly burstBytes?: number;
  /** `beats` go to `w` as they come, without registers between; default: registered both ways. */
  readonly direct?: boolean;
}
/** Bytes of memory for a frame: a power of two, so that an address is session, number and byte side by side. */
export const frameSpace = (p: Pick<GbnStoreParameters, "frameBytes">): number =>
  2 ** Math.ceil(Math.log2(p.frameBytes));
/** Bytes of memory for all: window x sessions x the largest frame, rounded up. */
export const gbnMemory = (p: Pick<GbnStoreParameters, "frameBytes" | "sessions" | "window">): number =>
  frameSpace(p) * p.sessions * p.window;
/** Names a frame: its session and its number's place in the window. */
export const FramePlace = (p: GbnStoreParameters) =>
  struct({ session: uint(sessionBits(p)), place: uint(Math.log2(p.window)) });
export const lengthBitsOf = (p: Pick<GbnStoreParameters, "frameBytes">): number => bitsFor(p.frameBytes);
/** Bits of the counts of frames written. */
export const writtenBits = 16;

/**
 * Frames kept in memory until they are acknowledged, `window` for each session, behind an AXI4 port of their own:
 * `gbnMemory` bytes from `base` (256 MB for 1,024 sessions, 128 frames and 1,536 bytes, with 2 KB for a frame). Lengths
 * are kept beside, on chip (11 bits for each frame: 1.4 Mbit then).
 *
 * `place` tells where a frame goes and how long it is, `beats` brings it; `written` counts the frames that the memory
 * has answered. `read` asks for one frame (one at a time: the next is taken when the one before is in), which comes out
 * whole on `frame`; `reading` is 0 when its last beat has come in. A frame that the memory reports an error for does
 * not come out; `errors` pulses for it, and for a write that failed. Bursts: up to 256 beats and `burst_bytes`, none
 * crosses 4 KB. Latency: 1 cycle from `place` to `aw`, 1 from `beats` to `w` (`direct`: 0), 2 from `read` to `ar`, 1
 * from the last `r` to `frame`. Initiation interval: one beat per cycle each way. Full: with 64 bursts unanswered no
 * more `aw` goes out, then `place` and `beats` wait; `read` waits while two frames wait at `frame`.
 */
export const GbnStore = module(
  "GbnStore",
  (p: GbnStoreParameters) => ({
    place: sink(struct({ at: FramePlace(p), bytes: uint(lengthBitsOf(p)) })),
    beats: sink(AxisBeat(p.beatBytes)),
    written: output(uint(writtenBits)),
    read: sink(FramePlace(p)),
    reading: output(bit),
    frame: source(AxisBeat(p.beatBytes)),
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    errors: output(bit),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
  }),
  (io, p) => {
    const { beatBytes } = p,
      laneBits = Math.log2(beatBytes),
      most = frameBeats(p),
      bytesBits = lengthBitsOf(p);
    const spaceBits = Math.log2(frameSpace(p)),
      placeBits = sessionBits(p) + Math.log2(p.window);
    const burst = Math.min(256, (p.burstBytes ?? 4096) / beatBytes),
      burstBits = Math.log2(burst),
      countBits = bitsFor(Math.max(most, burst));
    const depth = 2 ** placeBits;
    const lengths = ram(uint(bytesBits), { depth, collision: "undefined", style: depth >= 65536 ? "ultra" : "block" });
    const addressOf = (place: UInt): UInt =>
      cat(place, constant(0, spaceBits)).resize(p.addressBits).add(BigInt(p.base));
    const beatsOf = (bytes: UInt): UInt =>
      bytes
        .zext(bytesBits + 1)
        .add(beatBytes - 1)
        .shr(laneBits)
        .resize(countBits);

    // A run of bursts: the first `burst` beats, and so on.
    const runs = (start: Bit, address: UInt, beats: UInt, taken: Bit, name: string) => {
      const running = reg(bit, { init: 0, name: `${name}_running` });
      const at = reg(uint(p.addressBits), { name: `${name}_at` });
      const left = reg(uint(countBits), { name: `${name}_left` });
      const final = node(left.le(burst), { name: `${name}_final` });
      const now = node(mux(final, left.sub(1).resize(8), constant(burst - 1, 8)), { name: `${name}_len` });
      when(start, () => {
        running.set(1);
        at.set(address);
        left.set(beats);
      }).elseWhen(taken, () => {
        running.set(final.not());
        at.set(at.add(Math.min(4096, burst * beatBytes)));
        left.set(left.sub(Math.min(burst, most)));
      });
      return { running, final, address: { id: 0, addr: at, len: now, size: laneBits, burst: 1 } };
    };

    // To memory.
    const place = io.place.payload,
      writtenPlace = node(cat(place.at.session, place.at.place));
    const pending = instance("pending", Fifo({ shape: bit, depth: 64, style: "distributed" }));
    const awTaken = node(io.aw.fire);
    const writes = runs(io.place.fire, addressOf(writtenPlace), beatsOf(place.bytes), awTaken, "write");
    io.place.ready.set(writes.running.not().or(awTaken.and(writes.final)));
    lengths.write(io.place.fire, writtenPlace, place.bytes);
    // Room can only come while an address waits, so it stays.
    io.aw.valid.set(writes.running.and(pending.push.ready));
    io.aw.payload.set(writes.address);
    pending.push.valid.set(awTaken);
    pending.push.payload.set(writes.final);
    const beat = reg(uint(burstBits), { init: 0 });
    const beats = p.direct === true ? io.beats : stage(io.beats, "full");
    io.w.valid.set(beats.valid);
    io.w.payload.set({ data: beats.payload.data, strb: beats.payload.keep, last: beats.payload.last.or(beat.all()) });
    beats.ready.set(io.w.ready);
    when(io.w.fire, () => beat.set(mux(beats.payload.last, constant(0, burstBits), beat.add(1))));
    const written = reg(uint(writtenBits), { init: 0 });
    io.b.ready.set(1);
    pending.pop.ready.set(io.b.valid);
    when(io.b.fire.and(pending.pop.payload), () => written.set(written.add(1)));
    when(io.b.valid, () => assertAlways(pending.pop.valid, "an answer (B) belongs to a burst that was issued"));
    io.written.set(written);

    // From memory: the length first.
    const asked = reg(bit, { init: 0 });
    const coming = reg(bit, { init: 0 });
    const readPlace = reg(uint(placeBits));
    const length = lengths.readSync(node(cat(io.read.payload.session, io.read.payload.place)), { en: io.read.fire });
    const arTaken = node(io.ar.fire);
    const reads = runs(asked, addressOf(readPlace), beatsOf(length), arTaken, "read");
    /** Beats behind the next one; whether there are none comes from a register. */
    const behind = reg(uint(countBits));
    const last = reg(bit);
    const lastLane = reg(uint(laneBits));
    const bad = reg(bit, { init: 0 });
    const frames = instance(
      "frames",
      PacketFifo({
        shape: AxisBeat(beatBytes),
        depth: 2 ** Math.ceil(Math.log2(2 * most)),
        last: "last",
        drop: "user",
        style: "block",
      }),
    );
    const came = node(io.r.fire);
    const ends = node(came.and(last));
    // There is room for a largest frame beside one that waits, so `r` never has to wait.
    io.read.ready.set(coming.not().and(frames.packets.le(1)));
    asked.set(io.read.fire);
    when(io.read.fire, () => {
      coming.set(1);
      readPlace.set(cat(io.read.payload.session, io.read.payload.place));
    }).elseWhen(ends, () => coming.set(0));
    // Nothing comes before its address, which is asked for later.
    when(asked, () => {
      behind.set(beatsOf(length).sub(1));
      last.set(length.le(beatBytes));
      lastLane.set(length.sub(1).trunc(laneBits));
    }).elseWhen(came, () => {
      behind.set(behind.sub(1));
      last.set(behind.eq(1));
    });
    io.ar.valid.set(reads.running);
    io.ar.payload.set(reads.address);
    const failed = node(bad.or(io.r.payload.resp.any()));
    when(came, () => {
      bad.set(failed.and(last.not()));
    });
    io.r.ready.set(1);
    when(io.r.valid, () => assertAlways(frames.push.ready, "a frame that is read has room"));
    frames.push.valid.set(io.r.valid);
    frames.push.payload.set({
      data: io.r.payload.data,
      keep: mux(last, keepTo(lastLane, beatBytes), keepAll(beatBytes)),
      last,
      user: last.and(failed),
    });
    connect(frames.pop, io.frame);
    io.reading.set(coming);
    const errors = reg(bit, { init: 0 });
    errors.set(io.b.fire.and(io.b.payload.resp.any()).or(ends.and(failed)));
    io.errors.set(errors);
  },
  {
    nameOf: p =>
      `GbnStore_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_w${p.window}_a${p.addressBits}_o${p.base}${p.burstBytes === undefined ? "" : `_m${p.burstBytes}`}${p.direct === true ? "_d" : ""}`,
  },
);
