import {
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  cat,
  constant,
  fifoWithLevel,
  input,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stream,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { MemoryPut } from "../tasks/index.ts";
import { busOf, framesName, isBeyond, memoryBeatBytes, type MemoryParameters, Move, Moved } from "./records.ts";

/** Beats of a burst, and bursts that have not been answered, at most: so the tasks' bursts wait for few others. */
const burstBeats = 16,
  mostBursts = 4,
  keptBeats = 2 * burstBeats;
const burstShift = Math.log2(burstBeats * memoryBeatBytes);

/**
 * Moves whole pages (docs/supernic/memory.md): writes zeros into one, which is then free for a first touch; gives
 * one's bytes out, or takes a page's bytes in. One at a time, in the order asked. A page that could not be zeroed is
 * not free, and is told as bad; so are those of which a beat could not be read or written, one that is to be zeroed
 * while `free` is full, and one beyond `frames`: of these no beat moves.
 *
 * Latency: from `move` to the first burst 1 cycle. A page takes 16 cycles for each 1,024 bytes, when the memory answers
 * in 64; one that goes out, if it answers in 16, as two bursts have room. Full: `move` waits for the one before, `out`
 * and `in` may wait for ever, and hold no one else: bursts go out when their beats, or room for them, are here. Reset:
 * what is under way is lost; so the bus must be reset, too.
 */
export const PageMover = module(
  "PageMover",
  (p: MemoryParameters) => ({
    move: sink(Move(p)),
    moved: source(Moved(p)),
    free: source(uint(p.ppnBits)),
    /** It has room for one more. */
    freeRoom: input(bit),
    out: source(MemoryPut),
    in: sink(MemoryPut),
    busy: output(bit),
    ar: source(axi4Address(busOf(p))),
    r: sink(axi4Read(busOf(p))),
    aw: source(axi4Address(busOf(p))),
    w: source(axi4Write(memoryBeatBytes)),
    b: sink(axi4Response(busOf(p))),
  }),
  (io, p) => {
    const countBits = p.pageShift - burstShift,
      count = uint(countBits + 1),
      pageBeatBits = p.pageShift - Math.log2(memoryBeatBytes),
      level = uint(6);
    const busy = reg(bit, { init: 0, name: "busy_q" }),
      move = reg(Move(p), { name: "move_q" }),
      bad = reg(bit, { name: "bad" }),
      asked = reg(count, { name: "bursts_asked" }),
      answered = reg(count, { name: "bursts_answered" }),
      given = reg(count, { name: "bursts_given" }),
      beat = reg(uint(4), { init: 0, name: "burst_beat" }),
      under = reg(uint(3), { init: 0, name: "bursts_out" }),
      /** Beats taken of a page that comes in: who offers the next page's has to wait. */
      taken = reg(uint(pageBeatBits + 1), { name: "beats_taken" }),
      /** Of a page that goes out: places that no burst has; of one that comes in: beats that no burst has. */
      rest = reg(level, { name: "rest" });
    const zero = node(move.kind.is("zero"), { name: "is_zero" }),
      goesOut = node(move.kind.is("out"), { name: "is_out" }),
      comesIn = node(move.kind.is("in"), { name: "is_in" });

    /** There is no room for it among the free pages, or it is no page of tasks: nothing is done. */
    const full = reg(bit, { name: "was_full" });

    // Beats on their way, either way.
    const into = stream(MemoryPut, { name: "into" }),
      takes = node(busy.and(comesIn).andNot(taken.bit(pageBeatBits)), { name: "takes_beats" });
    into.valid.set(mux(comesIn, io.in.valid.and(takes), io.r.valid));
    into.payload.set({ data: mux(comesIn, io.in.payload.data, io.r.payload.data) });
    io.in.ready.set(into.ready.and(takes));
    when(io.in.fire, () => taken.set(taken.add(1)));
    io.r.ready.set(1);
    const { out: kept, level: inside } = fifoWithLevel(into, keptBeats, { name: "page_beats", style: "distributed" });

    // Bursts.
    const more = node(busy.andNot(asked.bit(countBits)), { name: "more_bursts" }),
      may = node(under.lt(mostBursts), { name: "may_burst" }),
      enough = node(rest.ge(burstBeats), { name: "enough" }),
      reads = node(more.and(goesOut).and(may).and(enough), { name: "asks_to_read" }),
      writes = node(more.andNot(goesOut).and(may).and(zero.or(enough)), { name: "asks_to_write" });
    const address = {
      addr: cat(move.ppn, asked.trunc(countBits), constant(0, burstShift)),
      id: 0,
      len: burstBeats - 1,
      size: Math.log2(memoryBeatBytes),
      burst: 1,
    } as const;
    io.ar.valid.set(reads);
    io.ar.payload.set(address);
    io.aw.valid.set(writes);
    io.aw.payload.set(address);
    const asks = node(mux(goesOut, io.ar.fire, io.aw.fire), { name: "asks" }),
      ends = node(mux(goesOut, io.r.fire.and(io.r.payload.last), io.b.fire), { name: "burst_ends" });
    // A write's beats are offered as soon as its address is: the memory may want them first.
    const due = node(given.lt(asked).or(given.eq(asked).and(writes)), { name: "beats_due" });
    io.w.valid.set(busy.andNot(goesOut).and(due).and(zero.or(kept.valid)));
    io.w.payload.set({
      data: mux(zero, constant(0, 512), kept.payload.data).is(512),
      strb: constant(0, 64).not(),
      last: beat.all(),
    });
    io.b.ready.set(1);
    io.out.valid.set(kept.valid.and(goesOut));
    io.out.payload.set(kept.payload);
    kept.ready.set(mux(goesOut, io.out.ready, io.w.fire));
    when(io.w.fire, () => {
      beat.set(beat.add(1));
      when(beat.all(), () => given.set(given.add(1)));
    });
    when(asks, () => asked.set(asked.add(1)));
    when(ends, () => answered.set(answered.add(1)));
    under.set(under.add(asks.zext(3)).sub(ends.zext(3)));
    const gains = node(mux(goesOut, io.out.fire, io.in.fire), { name: "rest_gains" });
    rest.set(rest.add(gains.zext(6)).sub(mux(asks.andNot(zero), constant(burstBeats, 6), constant(0, 6))));
    const wrong = node(io.r.fire.and(io.r.payload.resp.any()).or(io.b.fire.and(io.b.payload.resp.any())), {
      name: "answer_is_bad",
    });
    when(wrong, () => bad.set(1));

    // From one move to the next.
    const done = node(busy.and(full.or(answered.bit(countBits).andNot(inside.any()))), { name: "page_done" }),
      frees = node(done.and(zero).andNot(bad).andNot(full), { name: "page_is_free" });
    io.free.valid.set(frees);
    io.free.payload.set(move.ppn);
    io.moved.valid.set(done.andNot(frees));
    io.moved.payload.set({ ...move, bad: bad.or(full) });
    io.move.ready.set(busy.not());
    when(io.move.fire, () => {
      const { kind } = io.move.payload,
        noRoom = node(kind.is("zero").andNot(io.freeRoom).or(isBeyond(p, io.move.payload.ppn)), { name: "no_room" }),
        // Of what is refused no burst is left to ask for, and no beat to give.
        none = mux(noRoom, constant(1 << countBits, countBits + 1), constant(0, countBits + 1));
      busy.set(1);
      move.set(io.move.payload);
      bad.set(0);
      full.set(noRoom);
      asked.set(none);
      answered.set(0);
      given.set(none);
      taken.set(mux(noRoom, constant(1 << pageBeatBits, pageBeatBits + 1), constant(0, pageBeatBits + 1)));
      rest.set(mux(kind.is("out"), constant(keptBeats, 6), constant(0, 6)));
    }).elseWhen(io.free.fire.or(io.moved.fire), () => busy.set(0));
    io.busy.set(busy);
  },
  { nameOf: p => `PageMover_w${p.ways}_a${p.pageShift}_${p.ppnBits}${framesName(p)}` },
);
