/** Records into their rings. Page: docs/supernic/spill.md. */
import {
  assertAlways,
  axi4Address,
  type axi4Response,
  type axi4Write,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  encodeOnehot,
  enumOf,
  fifo,
  mux,
  node,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { Waits } from "./divert.ts";
import {
  burstBeats,
  busOf,
  chunkBits,
  firstRing,
  frameBeatBits,
  keptBeats,
  mostBursts,
  ringBeatBits,
  type SpillParameters,
} from "./records.ts";
import { ofRing, type Ring } from "./rings.ts";

const lenBits = Math.log2(burstBeats) + 1;
/** Idle; where the ring is; how long the burst is; it goes when it may. */
const BurstState = enumOf("WriteState", ["idle", "place", "length", "goes"]);
/** A burst whose beats have not all gone: with the word of its chunk first, and what that one says. */
const Burst = struct({ len: uint(lenBits), begins: bit, first: uint(8) });
/** A burst that has not been answered. */
const Asked = (p: SpillParameters) => struct({ ring: uint(p.rings), len: uint(lenBits) });

/** The address of a beat of a ring. */
export const addressOf = (p: SpillParameters, ring: UInt, place: UInt): UInt => {
  const bits = Math.log2(p.memoryBytes / p.ringBytes),
    number = encodeOnehot(ring).resize(bits).add(firstRing(p));
  return cat(number, place.trunc(ringBeatBits(p)), constant(0, 6)).is(busOf(p).addressBits);
};
export const burstOf = (p: SpillParameters, ring: UInt, place: UInt, len: UInt) =>
  ({
    addr: addressOf(p, ring, place),
    id: 0,
    len: len.sub(1).zext(8),
    size: 6,
    burst: 1,
  }) as const;

export interface Bandwidth {
  /** Asks for a burst of so many beats in this cycle. @returns whether it has it */
  readonly wants: Bit;
  readonly len: UInt;
}
export interface Writer extends Bandwidth {
  /** The last burst of a record of this ring has been asked for. */
  readonly done: UInt;
  /** What it is at, for proofs: beats of its record that no burst has, those of its burst, and where that begins. */
  readonly at: {
    readonly ring: UInt;
    readonly left: UInt;
    readonly own: UInt;
    readonly place: UInt;
    readonly len: UInt;
  } & Readonly<Record<"idle" | "places" | "lengths" | "goes", Bit>>;
}

/** Where a burst goes: to the bus, and to who gives its data and takes its answer. */
const burstStreams = (p: SpillParameters) => ({
  bursts: stream(Burst, { name: "bursts" }),
  asked: stream(Asked(p), { name: "writes_asked" }),
  aw: stream(axi4Address(busOf(p)), { name: "write_addresses" }),
});

/**
 * Bursts of at most 16 beats, which end where 16 beats end, so that none leaves its chunk. The first beat of a chunk
 * says how many beats behind it a record begins. A burst goes out when its beats are here: nobody else on the bus waits
 * for them. `comes`: one more is here.
 */
export function cutRecords(
  p: SpillParameters,
  rings: readonly Pick<Ring, "written">[],
  records: StreamIn<ReturnType<typeof Waits>>,
  comes: Bit,
  mayGo: Bit,
) {
  const place = uint(ringBeatBits(p) + 1),
    state = reg(BurstState, { init: "idle", name: "write_state" }),
    ring = reg(uint(p.rings), { init: 0, name: "write_ring" }),
    left = reg(uint(frameBeatBits(p) + 1), { init: 0, name: "write_left" }),
    at = reg(place, { name: "write_at" }),
    len = reg(uint(lenBits), { name: "write_len" }),
    own = reg(uint(lenBits), { name: "write_own" }),
    begins = reg(bit, { name: "write_begins" }),
    /** Beats that are here, and that no burst has. */
    here = reg(uint(bitsFor(2 * keptBeats(p))), { init: 0, name: "write_here" });
  const to = burstStreams(p),
    { bursts, asked, aw } = to;

  const low = at.trunc(Math.log2(burstBeats)),
    isFirst = node(at.trunc(chunkBits).any().not(), { name: "chunk_begins" }),
    room = constant(burstBeats, lenBits).sub(low.zext(lenBits)),
    rest = node(left.zext(lenBits + left.width).add(isFirst.zext(lenBits + left.width)), { name: "write_rest" }),
    fits = node(rest.le(room.zext(rest.width)), { name: "write_fits" }),
    most = node(mux(fits, rest.trunc(lenBits), room), { name: "write_most" });
  // Who shares the bus never waits for a class queue.
  const enough = node(here.ge(own.resize(here.width)), { name: "write_enough" });
  const wants = node(state.is("goes").and(enough).and(bursts.ready).and(asked.ready).and(aw.ready), {
      name: "write_wants",
    }),
    goes = node(wants.and(mayGo), { name: "write_goes" }),
    ends = node(left.eq(own.resize(left.width)), { name: "record_ends" });
  when(state.is("idle"), () => {
    ring.set(records.payload.ring);
    left.set(records.payload.beats);
    when(records.valid, () => state.set("place"));
  });
  records.ready.set(state.is("idle"));
  when(state.is("place"), () => {
    at.set(ofRing(ring, rings, r => r.written));
    state.set("length");
  });
  when(state.is("length"), () => {
    len.set(most);
    own.set(most.sub(isFirst.zext(lenBits)));
    begins.set(isFirst);
    state.set("goes");
  });
  here.set(here.add(comes.zext(here.width)).sub(mux(goes, own.resize(here.width), constant(0, here.width))));
  when(goes, () => {
    left.set(left.sub(own.resize(left.width)));
    state.set(mux(ends, BurstState.idle, BurstState.place));
  });
  rings.forEach((r, j) => {
    when(goes.and(ring.bit(j)), () => r.written.set(r.written.add(len.resize(place.width))));
  });

  for (const s of [bursts, asked, aw]) s.valid.set(goes);
  bursts.payload.set({ len, begins, first: mux(left.resize(9).gt(62), constant(63, 8), left.resize(8)).is(8) });
  asked.payload.set({ ring, len });
  aw.payload.set(burstOf(p, ring, at, len));
  const writer: Writer = {
    wants,
    len,
    at: {
      ...{ ring, left, own, place: at, len },
      ...{ idle: state.is("idle"), places: state.is("place"), lengths: state.is("length"), goes: state.is("goes") },
    },
    done: node(mux(goes.and(ends), ring, constant(0, p.rings)).is(p.rings), { name: "record_done" }),
  };
  return { ...to, writer };
}
/**
 * Records into their rings, by bursts of `cutRecords`. A write that fails spoils its ring from there on.
 */
export function writeRecords(
  p: SpillParameters,
  rings: readonly Ring[],
  records: StreamIn<ReturnType<typeof Waits>>,
  beats: StreamIn<ReturnType<typeof uint>>,
  comes: Bit,
  bus: {
    readonly aw: StreamOut<ReturnType<typeof axi4Address>>;
    readonly w: StreamOut<ReturnType<typeof axi4Write>>;
    readonly b: StreamIn<ReturnType<typeof axi4Response>>;
  },
  mayGo: Bit,
): Writer {
  const { bursts, asked, aw, writer } = cutRecords(p, rings, records, comes, mayGo);
  // Behind a queue: so data is offered whether the memory has taken their address or not.
  const addresses = fifo(aw, 2, { name: "aw_queue", style: "distributed" });
  bus.aw.valid.set(addresses.valid);
  bus.aw.payload.set(addresses.payload);
  addresses.ready.set(bus.aw.ready);

  const now = fifo(bursts, mostBursts, { name: "burst_queue", style: "distributed" }),
    gone = reg(uint(lenBits), { init: 0, name: "beats_gone" }),
    opens = node(now.payload.begins.and(gone.any().not()), { name: "writes_chunk" }),
    last = node(gone.add(1).eq(now.payload.len), { name: "burst_ends" });
  bus.w.valid.set(now.valid.and(opens.or(beats.valid)));
  bus.w.payload.set({
    data: mux(opens, now.payload.first.zext(512), beats.payload),
    strb: constant(0, 64).not(),
    last,
  });
  beats.ready.set(now.valid.and(bus.w.ready).andNot(opens));
  const moves = node(bus.w.valid.and(bus.w.ready), { name: "beat_goes" });
  now.ready.set(moves.and(last));
  when(moves, () => gone.set(mux(last, constant(0, lenBits), gone.add(1))));

  const answers = fifo(asked, mostBursts, { name: "asked_queue", style: "distributed" });
  bus.b.ready.set(1);
  answers.ready.set(bus.b.valid);
  assertAlways(bus.b.valid.not().or(answers.valid), "an answer is that of a burst");
  const bad = node(bus.b.payload.resp.any(), { name: "write_failed" });
  rings.forEach((r, j) => {
    const here = node(bus.b.valid.and(answers.payload.ring.bit(j)), { name: `answers_${j}` });
    when(here, () => {
      r.answered.set(r.answered.add(answers.payload.len.resize(r.answered.width)));
      when(bad, () => r.spoiled.set(1));
      when(bad.or(r.spoiled).not(), () => r.safe.set(r.safe.add(answers.payload.len.resize(r.safe.width))));
    });
  });
  return writer;
}
/** A record is on its way to the memory when its last burst has been asked for. */
export function countQueued(rings: readonly Ring[], taken: UInt, done: UInt): void {
  rings.forEach((r, j) => {
    const bits = r.queued.width;
    r.queued.set(r.queued.add(taken.bit(j).zext(bits)).sub(done.bit(j).zext(bits)));
  });
}
