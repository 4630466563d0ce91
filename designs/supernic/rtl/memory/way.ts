import {
  assertAlways,
  assignView,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fifoWithLevel,
  fsm,
  type Given,
  input,
  module,
  mux,
  node,
  output,
  reg,
  type Shape,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  type Var,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import {
  memoryAddressBits,
  MemoryAsk,
  MemoryError,
  MemoryGot,
  memoryLengthBits,
  MemoryPut,
  MemoryWrote,
  payloadBits,
} from "../tasks/index.ts";
import {
  againCycles,
  beatsBits,
  busOf,
  Look,
  memoryBeatBytes,
  type MemoryParameters,
  mostAccesses,
  pageBits,
  Verdict,
  wayBeats,
  WayState,
  windowBits,
} from "./records.ts";

const laneBits = Math.log2(memoryBeatBytes),
  atBits = memoryAddressBits + 1,
  levelBits = Math.log2(wayBeats) + 1;
/** Pieces of accesses that have not been answered, at most: an access meets one end of a window at most. */
const mostPieces = 2 * mostAccesses;
const Beats = uint(beatsBits),
  Lane = uint(laneBits);
/** A piece of an access on its way: `last` of its access. */
const Piece = struct({ denied: bit, last: bit });
/** Beats that go to the bus, or nowhere. */
const PutJob = struct({ beats: Beats, firstLane: Lane, lastLane: Lane, drop: bit });

/** A number that goes up and down by what is said. */
function sumOf(
  name: string,
  bits: number,
  init: number,
): { readonly n: Var<ReturnType<typeof uint>>; change(up: UInt, down: UInt): void } {
  const n = reg(uint(bits), { init, name });
  return { n, change: (up, down) => n.set(n.add(up.zext(bits)).sub(down.zext(bits)).is(bits)) };
}
function counted(name: string, event: Bit): UInt<32> {
  const n = reg(uint(32), { init: 0, name: `count_${name}` });
  when(event, () => n.set(n.add(1)));
  return n;
}
/** A queue that has room for all that can come. */
function roomy<S extends Shape>(name: string, shape: S, depth: number, valid: Bit, payload: Given<S>) {
  const from = stream(shape, { name: `${name}_in` });
  from.valid.set(valid);
  assignView(from.payload, payload, "payload");
  const { out, level } = fifoWithLevel(from, depth, { name, style: "distributed" });
  assertAlways(valid.not().or(from.ready), `${name} has room for all that can come`);
  return { out, level };
}

/**
 * A task's way to memory (docs/supernic/memory.md): accesses come from the task, are cut at 4 KB, which pages are
 * multiples of, looked up piece by piece, and sent to the bus. A piece goes to the bus only when its beats are here, or
 * room for them is kept: so the bus never waits for a task. Reads are answered in order, and writes in order.
 *
 * Latency: 9 cycles from `ask` to `ar` or `aw` with a page that is present; initiation interval 10 cycles a piece. Full:
 * with 8 accesses that were not answered `ask` waits; with 32 beats `put` waits; a read waits for room for its beats.
 * `off`: the task is gone. What it asks is taken and forgotten, and so is what has not gone to the bus. Whoever is
 * behind takes what still comes back; `off` stays until `idle`.
 * Reset: nothing is under way.
 */
export const MemoryWay = module(
  "MemoryWay",
  (p: MemoryParameters) => ({
    ask: sink(MemoryAsk),
    put: sink(MemoryPut),
    got: source(MemoryGot),
    wrote: source(MemoryWrote),
    /** The task is off. */
    off: input(bit),
    /** Nothing of it is under way; the memory lets the task wait. */
    idle: output(bit),
    held: output(bit),
    look: source(Look(p)),
    verdict: input(Verdict(p)),
    /** It waits for a free page. */
    wanting: output(bit),
    ar: source(axi4Address(busOf(p))),
    r: sink(axi4Read(busOf(p))),
    aw: source(axi4Address(busOf(p))),
    w: source(axi4Write(memoryBeatBytes)),
    b: sink(axi4Response(busOf(p))),
    /** From now on; whether all that was looked up before has left the memory. */
    fence: input(bit),
    fenced: output(bit),
    state: output(WayState(p)),
  }),
  (io, p) => {
    const { off, verdict } = io;
    // The access, and its next piece.
    const isWrite = reg(bit, { name: "is_write" }),
      at = reg(uint(atBits), { name: "at" }),
      left = reg(uint(memoryLengthBits), { name: "left" }),
      rest = reg(Beats, { name: "rest_beats" }),
      beats = reg(Beats, { name: "piece_beats" }),
      lastLane = reg(Lane, { name: "last_lane" }),
      crosses = reg(bit, { name: "crosses" }),
      leftBehind = reg(uint(memoryLengthBits), { name: "left_behind" }),
      ppn = reg(uint(p.ppnBits), { name: "ppn" }),
      page = reg(uint(pageBits(p)), { name: "page" }),
      remote = reg(bit, { init: 0, name: "remote" }),
      wanting = reg(bit, { init: 0, name: "wanting_q" });
    const accesses = sumOf("accesses", 4, 0),
      room = sumOf("room", levelBits, wayBeats),
      here = sumOf("beats_here", levelBits, 0);
    const may = node(accesses.n.lt(mostAccesses).andNot(off), { name: "may_ask" });
    const mapped = wire(bit, { name: "is_mapped" }),
      refused = wire(bit, { name: "is_refused" }),
      looks = wire(bit, { name: "looks" }),
      goes = wire(bit, { name: "goes" }),
      asks = wire(bit, { name: "asks" });
    mapped.set(0);
    refused.set(0);
    looks.set(0);
    goes.set(0);
    asks.set(0);
    const wentOut = node(mux(isWrite, io.aw.ready, io.ar.ready), { name: "went_out" }),
      enough = node(mux(isWrite, here.n.ge(rest.zext(levelBits)), room.n.ge(beats.zext(levelBits))), {
        name: "enough",
      });
    const phase = fsm(["Idle", "Cut", "Need", "Look", "Verdict", "Later", "Go", "Refuse"], "Idle", s => ({
      Idle: () => {
        asks.set(may);
        when(io.ask.valid.and(may), () => {
          isWrite.set(io.ask.payload.write);
          at.set(io.ask.payload.address.zext(atBits));
          left.set(io.ask.payload.lastByte);
          s.go("Cut");
        });
      },
      Cut: () => {
        const end = node(at.trunc(windowBits).addGrow(left.zext(windowBits)), { name: "end" }),
          over = end.bit(windowBits),
          endBeat = mux(
            over,
            constant((1 << (windowBits - laneBits)) - 1, windowBits - laneBits),
            end.bits(laneBits, windowBits - laneBits),
          );
        beats.set(
          endBeat
            .sub(at.bits(laneBits, windowBits - laneBits))
            .add(1)
            .trunc(beatsBits),
        );
        rest.set(
          at
            .trunc(laneBits)
            .zext(memoryLengthBits + 1)
            .add(left.zext(memoryLengthBits + 1))
            .shr(laneBits)
            .add(1)
            .trunc(beatsBits),
        );
        lastLane.set(mux(over, constant(memoryBeatBytes - 1, laneBits), end.trunc(laneBits)));
        crosses.set(over);
        leftBehind.set(end.trunc(memoryLengthBits));
        s.go("Need");
      },
      Need: () => {
        when(off, () => s.go("Idle")).elseWhen(enough, () => s.go("Look"));
      },
      Look: () => {
        looks.set(1);
        when(io.look.ready, () => s.go("Verdict"));
      },
      Verdict: () => {
        when(verdict.valid, () => {
          ppn.set(verdict.ppn);
          page.set(verdict.page);
          remote.set(verdict.kind.is("remote"));
          wanting.set(verdict.kind.is("noPage"));
          mapped.set(verdict.kind.is("mapped"));
          s.go("Later");
          when(verdict.kind.is("mapped"), () => s.go("Go"));
          when(verdict.kind.is("denied"), () => s.go("Refuse"));
          when(verdict.kind.is("again"), () => s.go("Look"));
        });
      },
      Later: () => {
        s.after(againCycles, "Look");
        when(off, () => {
          wanting.set(0);
          s.go("Idle");
        });
      },
      Go: () => {
        goes.set(1);
        when(wentOut, () => {
          at.set(cat(at.bits(windowBits, atBits - windowBits).add(1), constant(0, windowBits)).is(atBits));
          left.set(leftBehind);
          when(crosses.andNot(off), () => s.go("Cut")).otherwise(() => s.go("Idle"));
        });
      },
      Refuse: () => {
        refused.set(1);
        s.go("Idle");
      },
    }));
    io.ask.ready.set(asks.or(off));
    io.look.valid.set(looks);
    io.look.payload.set({ vpn: at.shr(p.pageShift).trunc(atBits - p.pageShift), write: isWrite });
    const address = {
      addr: cat(ppn, at.bits(laneBits, p.pageShift - laneBits), constant(0, laneBits)),
      id: 0,
      len: beats.sub(1).zext(8),
      size: laneBits,
      burst: 1,
    } as const;
    io.ar.valid.set(goes.andNot(isWrite));
    io.ar.payload.set(address);
    io.aw.valid.set(goes.and(isWrite));
    io.aw.payload.set(address);

    // What is written.
    const puts = stream(MemoryPut, { name: "puts" });
    puts.valid.set(io.put.valid.andNot(off));
    puts.payload.set(io.put.payload);
    io.put.ready.set(puts.ready.or(off));
    const { out: data, level: kept } = fifoWithLevel(puts, wayBeats, { name: "put_beats", style: "distributed" });
    const writes = node(mapped.or(refused).and(isWrite), { name: "job_begins" }),
      used = node(mux(refused, rest, beats), { name: "job_beats" });
    const { out: job } = roomy("put_jobs", PutJob, mostPieces, writes, {
      beats: used,
      firstLane: at.trunc(laneBits),
      lastLane,
      drop: refused,
    });
    const done = reg(Beats, { init: 0, name: "put_done" }),
      isFirst = node(done.any().not(), { name: "put_is_first" }),
      isLast = node(done.add(1).eq(job.payload.beats), { name: "put_is_last" }),
      sends = node(job.valid.andNot(job.payload.drop), { name: "put_sends" });
    io.w.valid.set(sends.and(data.valid));
    io.w.payload.set({
      data: data.payload.data,
      strb: lanesFrom(mux(isFirst, job.payload.firstLane, constant(0, laneBits))).and(
        lanesTo(mux(isLast, job.payload.lastLane, constant(memoryBeatBytes - 1, laneBits))),
      ),
      last: isLast,
    });
    const moves = node(data.valid.and(job.valid).and(job.payload.drop.or(io.w.ready)), { name: "put_moves" });
    // What nobody will send goes away with the task.
    data.ready.set(mux(job.valid, job.payload.drop.or(io.w.ready), off.and(phase.is("Idle"))));
    job.ready.set(moves.and(isLast));
    when(moves, () => done.set(mux(isLast, constant(0, beatsBits), done.add(1))));

    // What comes back: reads, and writes.
    const reads = node(mapped.or(refused).andNot(isWrite), { name: "read_begins" }),
      piece = { denied: refused, last: refused.or(crosses.not()) } as const;
    const { out: reading } = roomy("read_pieces", Piece, mostPieces, reads, piece),
      { out: writing } = roomy("write_pieces", Piece, mostPieces, writes, piece);
    const came = roomy("read_beats", struct({ ...MemoryPut.fields, last: bit, bad: bit }), wayBeats, io.r.valid, {
      data: io.r.payload.data.is(payloadBits),
      last: io.r.payload.last,
      bad: io.r.payload.resp.any(),
    });
    io.r.ready.set(1);
    const answers = roomy("write_answers", bit, mostPieces, io.b.valid, io.b.payload.resp.any());
    io.b.ready.set(1);

    const beat = stream(MemoryGot, { name: "read_answer" }),
      failedRead = reg(bit, { init: 0, name: "read_failed" }),
      readBad = node(failedRead.or(came.out.payload.bad), { name: "read_is_bad" }),
      endsPiece = node(reading.payload.denied.or(came.out.payload.last), { name: "piece_ends" }),
      endsRead = node(endsPiece.and(reading.payload.last), { name: "read_ends" });
    beat.valid.set(reading.valid.and(reading.payload.denied.or(came.out.valid)));
    const nothing = node(reading.payload.denied.or(came.out.payload.bad), { name: "read_shows_nothing" });
    beat.payload.set({
      data: mux(nothing, constant(0, payloadBits), came.out.payload.data),
      last: endsRead,
      error: mux(reading.payload.denied, MemoryError.denied, mux(readBad, MemoryError.failed, MemoryError.none)),
    });
    came.out.ready.set(beat.ready.and(reading.valid).andNot(reading.payload.denied));
    reading.ready.set(beat.fire.and(endsPiece));
    when(beat.fire, () => failedRead.set(readBad.andNot(endsRead).andNot(reading.payload.denied)));
    const shown = stage(beat, "forward", { name: "got_stage" });
    connect(shown, io.got);

    const failedWrite = reg(bit, { init: 0, name: "write_failed" }),
      writeBad = node(failedWrite.or(answers.out.payload), { name: "write_is_bad" }),
      wroteOne = node(writing.valid.and(writing.payload.denied.or(answers.out.valid)), { name: "wrote_one" }),
      tells = node(wroteOne.and(writing.payload.last), { name: "wrote_tells" }),
      gone = node(wroteOne.and(writing.payload.last.not().or(io.wrote.ready)), { name: "wrote_goes" });
    io.wrote.valid.set(tells);
    io.wrote.payload.set({
      error: mux(writing.payload.denied, MemoryError.denied, mux(writeBad, MemoryError.failed, MemoryError.none)),
    });
    writing.ready.set(gone);
    answers.out.ready.set(gone.andNot(writing.payload.denied));
    when(gone, () => failedWrite.set(writeBad.andNot(writing.payload.last)));

    // Bounds: accesses, beats to come, beats that are here.
    const one = (event: Bit): UInt => event.zext(2),
      many = (event: Bit, n: UInt): UInt => mux(event, n, constant(0, n.width));
    const clear = wire(bit, { name: "clears" });
    accesses.change(
      one(io.ask.fire.andNot(off)),
      one(shown.fire.and(shown.payload.last)).add(one(gone.and(writing.payload.last))),
    );
    room.change(one(came.out.fire), many(mapped.andNot(isWrite), beats));
    here.change(one(puts.fire), many(writes, used));
    const nothingOut = node(phase.is("Idle").andNot(reading.valid).andNot(writing.valid), { name: "nothing_out" }),
      nothingHere = node(shown.valid.or(job.valid).or(kept.any()).not(), { name: "nothing_here" }),
      idle = node(nothingOut.and(nothingHere), { name: "is_idle" });
    clear.set(off.and(idle));
    when(clear, () => {
      accesses.n.set(0);
      here.n.set(0);
      failedRead.set(0);
      failedWrite.set(0);
    });
    io.idle.set(idle);
    const waitsRead = node(reading.valid.andNot(reading.payload.denied).andNot(came.out.valid), { name: "read_held" }),
      waitsWrite = node(writing.valid.andNot(writing.payload.denied).andNot(answers.out.valid), { name: "write_held" });
    io.held.set(waitsRead.or(waitsWrite).or(looks).or(goes).or(phase.is("Verdict")).or(phase.is("Later")));
    io.wanting.set(wanting);

    // The fence: pieces of before it that the memory still has.
    const readsOut = sumOf("reads_out", 5, 0),
      writesOut = sumOf("writes_out", 5, 0),
      oldReads = sumOf("old_reads", 5, 0),
      oldWrites = sumOf("old_writes", 5, 0),
      oldPiece = reg(bit, { init: 0, name: "old_piece" });
    const sent = node(goes.and(wentOut), { name: "piece_sent" }),
      cameLast = node(io.r.valid.and(io.r.payload.last), { name: "read_came" });
    readsOut.change(one(sent.andNot(isWrite)), one(cameLast));
    writesOut.change(one(sent.and(isWrite)), one(io.b.valid));
    oldReads.change(one(sent.andNot(isWrite).and(oldPiece)), one(cameLast.and(oldReads.n.any())));
    oldWrites.change(one(sent.and(isWrite).and(oldPiece)), one(io.b.valid.and(oldWrites.n.any())));
    when(sent.or(refused).or(phase.is("Later")).or(looks), () => oldPiece.set(0));
    when(io.fence, () => {
      oldPiece.set(phase.is("Verdict").or(goes.andNot(wentOut)));
      oldReads.n.set(readsOut.n.add(sent.andNot(isWrite).zext(5)).sub(cameLast.zext(5)));
      oldWrites.n.set(writesOut.n.add(sent.and(isWrite).zext(5)).sub(io.b.valid.zext(5)));
    });
    io.fenced.set(oldPiece.or(oldReads.n.any()).or(oldWrites.n.any()).not());

    io.state.set({
      waits: phase.is("Later"),
      remote,
      page,
      idle,
      denied: counted("denied", refused),
      failed: counted(
        "failed",
        beat.fire
          .and(endsRead)
          .and(readBad)
          .andNot(reading.payload.denied)
          .or(gone.and(writing.payload.last).and(writeBad).andNot(writing.payload.denied)),
      ),
    });
  },
  { nameOf: p => `MemoryWay_w${p.ways}_e${p.pages}_a${p.pageShift}_${p.ppnBits}` },
);
/** Lanes from this one on, and up to this one. */
const lanesFrom = (first: UInt): UInt =>
  cat(...Array.from({ length: memoryBeatBytes }, (_, i) => first.le(i)).toReversed());
const lanesTo = (last: UInt): UInt =>
  cat(...Array.from({ length: memoryBeatBytes }, (_, i) => last.ge(i)).toReversed());
