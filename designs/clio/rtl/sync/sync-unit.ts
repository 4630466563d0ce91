import {
  arbiter,
  assertAlways,
  axi4Address,
  axi4Read,
  axi4Response,
  axi4Write,
  bit,
  cat,
  constant,
  decode,
  demux,
  Fifo,
  fifo,
  fork,
  input,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../wire/index.ts";
import {
  fetchesPointer,
  newWord,
  syncOp,
  SyncReply,
  SyncRequest,
  SyncResult,
  wordBits,
  wordBytes,
} from "./sync-ops.ts";
import { laneBits, SyncWords } from "./sync-words.ts";
import { Access, operandBits, plainOp, syncOpBits } from "../records/records.ts";
import { lengthBits, slotBits } from "../../../shared/frame/index.ts";

export interface SyncUnitParameters {
  readonly slots: number;
  readonly beatBytes: number;
  readonly addressBits: number;
  readonly idBits: number;
  /** The AXI ID of all its accesses; no other block uses it. */
  readonly id: number;
  /** Operations in flight, a power of two. */
  readonly lanes: number;
}

/**
 * Atomics and pointer fetches on aligned 8-byte words (paper §4.4.5, T3): TAS, CAS, FAA, STORE, and the first half of
 * DEREF_READ and DEREF_WRITE.
 *
 * Operations on different words overlap, `lanes` of them at a time. Operations on one word are done strictly one
 * after another, in the order of arrival. The next one begins when the one before has fired at `reply` or `access`.
 * An operation that must wait stalls those behind it. A word is read with its whole beat and written alone, by
 * strobes. STORE reads nothing; a TAS or CAS whose comparison fails writes nothing. The memory's error at either
 * access ends an operation with FAIL; nothing is written after a read that failed. The pointer of a DEREF goes out as
 * an access to its target.
 *
 * The operands of the slot at `operand_slot` are read in the same cycle, once per operation, before its `reply`. The
 * operands stay as long as the slot is taken.
 *
 * Latency from `request` to `reply`, L the memory's: 2 L + 5 cycles for an operation that reads and writes. L + 5 for
 * STORE, for a TAS or CAS that writes nothing, and for DEREF to `access`. Initiation interval: 1 cycle while lanes are
 * left; on one word the latency. So `lanes` operations every 2 L + 5 cycles. Full (all lanes taken): `request` waits.
 * `r` stalls for at most 1 cycle (for a STORE), `b` for at most 1 more each time another operation ends. Both hold
 * whatever `reply` and `access` do: there is room for every operation in flight. Reset: all operations are dropped; the
 * memory must not answer accesses from before it.
 */
export const SyncUnit = module(
  "SyncUnit",
  (p: SyncUnitParameters) => ({
    request: sink(SyncRequest(p)),
    operandSlot: output(uint(slotBits(p))),
    operands: input(uint(operandBits)),
    ar: source(axi4Address(p)),
    r: sink(axi4Read(p)),
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    result: output(SyncResult(p)),
    reply: source(SyncReply(p)),
    /** The second half of a DEREF: the access to what the pointer points at. */
    access: source(Access(p)),
  }),
  (io, p) => {
    const beatShift = Math.log2(p.beatBytes),
      wordShift = Math.log2(wordBytes),
      lanesOfBeat = p.beatBytes / wordBytes;
    const lane = uint(laneBits(p)),
      word = uint(p.addressBits - wordShift);
    const address = (wordNumber: UInt) => ({
      addr: cat(wordNumber.bits(beatShift - wordShift, p.addressBits - beatShift), constant(0, beatShift)),
      id: constant(p.id, p.idBits),
      len: constant(0, 8),
      size: constant(beatShift, 3),
      burst: constant(1, 2),
    });

    // ---- In: a lane for each operation, when no other lane has its word.
    const arrived = stage(io.request, "forward");
    const q = arrived.payload,
      qWord = q.address.bits(wordShift, word.width);
    // A lane has one address bit at least: both of its values name a word.
    const laneWords = Math.max(2, p.lanes);
    const words = instance("words", SyncWords({ lanes: p.lanes, numberBits: word.width }));
    words.word.set(qWord);
    arrived.ready.set(words.free);
    const begins = node(arrived.fire);
    words.claim.set(begins);
    const isStore = node(q.op.eq(syncOp.store));
    assertAlways(arrived.valid.not().or(q.op.ne(plainOp)), "no plain access comes here");
    assertAlways(arrived.valid.not().or(q.address.trunc(wordShift).any().not()), "words are aligned");

    // Fields needed at the word, and fields needed at the end.
    const work = ram(struct({ slot: uint(slotBits(p)), op: uint(syncOpBits), word }), {
      depth: laneWords,
      collision: "undefined",
      style: "distributed",
    });
    work.write(begins, words.lane, { slot: q.slot, op: q.op, word: qWord });
    const Context = struct({
      slot: uint(slotBits(p)),
      op: uint(syncOpBits),
      pid: uint(16),
      length: uint(lengthBits),
      silent: bit,
      replyOpcode: uint(8),
    });
    const contexts = ram(Context, { depth: laneWords, collision: "undefined", style: "distributed" });
    contexts.write(begins, words.lane, {
      slot: q.slot,
      op: q.op,
      pid: q.pid,
      length: q.length,
      silent: q.silent,
      replyOpcode: q.replyOpcode,
    });

    // ---- Read. Answers come in the order of the addresses: all have one ID.
    const reads = node(begins.and(isStore.not()));
    const asked = pulse("asked", word, reads, qWord, p.lanes);
    const reading = pulse("reading", lane, reads, words.lane, p.lanes);
    const storing = pulse("storing", lane, begins.and(isStore), words.lane, p.lanes);
    io.ar.valid.set(asked.valid);
    asked.ready.set(io.ar.ready);
    io.ar.payload.set(address(asked.payload));

    // A word that was read, or a STORE, which needs none; by turns when both are there, so that neither waits for long.
    const storedLast = reg(bit, { init: 0 });
    const takesStore = node(storing.valid.and(storedLast.not().or(reading.valid.not())));
    storedLast.set(takesStore);
    storing.ready.set(takesStore);
    io.r.ready.set(takesStore.not());
    reading.ready.set(io.r.fire);
    assertAlways(io.r.fire.not().or(reading.valid), "a word that comes was asked for");
    assertAlways(
      io.r.valid.not().or(io.r.payload.id.eq(p.id).and(io.r.payload.last)),
      "only single beats of the unit's ID come here",
    );

    // ---- Work on the word: its lane of the beat and the operands in one cycle, the new value in the next.
    const nextLane = node(mux(takesStore, storing.payload, reading.payload));
    const next = work.readAsync(nextLane);
    io.operandSlot.set(next.slot);
    const beat = io.r.payload.data;
    const laneOfBeat = lanesOfBeat === 1 ? undefined : next.word.trunc(beatShift - wordShift);
    const found = node(laneOfBeat === undefined ? beat : selectWord(beat, laneOfBeat));
    const atWork = reg(bit, { init: 0 });
    atWork.set(takesStore.or(io.r.fire));
    const w = reg(
      struct({
        lane,
        slot: uint(slotBits(p)),
        op: uint(syncOpBits),
        word,
        old: uint(wordBits),
        operands: uint(operandBits),
        failed: bit,
      }),
    );
    w.set({
      lane: nextLane,
      slot: next.slot,
      op: next.op,
      word: next.word,
      old: found,
      operands: io.operands,
      failed: takesStore.not().and(io.r.payload.resp.any()),
    });

    const becomes = newWord(w.op, w.old, w.operands);
    const writes = node(becomes.writes.and(w.failed.not()));
    const fetched = node(atWork.and(fetchesPointer(w.op)));
    io.result.set({ valid: atWork.and(w.failed.not()).and(w.op.ne(syncOp.store)), slot: w.slot, word: w.old });
    const pointers = ram(uint(wordBits), { depth: laneWords, collision: "undefined", style: "distributed" });
    pointers.write(fetched, w.lane, w.old);

    // ---- Write: that word alone.
    const Write = struct({ word, value: uint(wordBits) });
    const written = stream(Write);
    written.valid.set(atWork.and(writes));
    written.payload.set({ word: w.word, value: becomes.word });
    assertAlways(written.valid.and(written.ready.not()).not(), "there is room for every write");
    const toWrite = fifo(written, p.lanes, { style: "distributed" });
    const writing = pulse("writing", lane, atWork.and(writes), w.lane, p.lanes);
    const [toAw, toW] = fork(toWrite, 2, "eager", { name: "write_to" });
    io.aw.valid.set(toAw.valid);
    toAw.ready.set(io.aw.ready);
    io.aw.payload.set(address(toAw.payload.word));
    io.w.valid.set(toW.valid);
    toW.ready.set(io.w.ready);
    const strobes =
      lanesOfBeat === 1 ? constant(1, 1) : decode(toW.payload.word.trunc(beatShift - wordShift), lanesOfBeat);
    io.w.payload.set({
      data: repeat(toW.payload.value, lanesOfBeat),
      last: constant(1, 1),
      strb: cat(...Array.from({ length: lanesOfBeat }, (_, i) => repeat(strobes.bit(lanesOfBeat - 1 - i), wordBytes))),
    });

    // ---- Ends: without a write, or with the memory's answer to it.
    const Ended = struct({ lane, failed: bit });
    const unwritten = stream(Ended),
      confirmed = stream(Ended);
    unwritten.valid.set(atWork.and(writes.not()));
    unwritten.payload.set({ lane: w.lane, failed: w.failed });
    assertAlways(
      unwritten.valid.and(unwritten.ready.not()).not(),
      "there is room for every operation that does not write",
    );
    confirmed.valid.set(io.b.valid);
    confirmed.payload.set({ lane: writing.payload, failed: io.b.payload.resp.any() });
    io.b.ready.set(confirmed.ready);
    writing.ready.set(io.b.fire);
    assertAlways(io.b.fire.not().or(writing.valid), "an answer (B) belongs to a word that was written");
    assertAlways(io.b.valid.not().or(io.b.payload.id.eq(p.id)), "only answers to the unit's ID come here");
    const withoutWrite = fifo(unwritten, p.lanes, { style: "distributed" });
    const ended = fifo(arbiter([withoutWrite, confirmed], { name: "ends" }), p.lanes, { style: "distributed" });

    const e = ended.payload;
    const context = contexts.readAsync(e.lane);
    const goesOn = node(fetchesPointer(context.op).and(e.failed.not()));
    const [toReply, toAccess] = demux(ended, goesOn, 2, { name: "end_to" });
    words.release.set({ valid: ended.fire, lane: e.lane });
    io.reply.valid.set(toReply.valid);
    toReply.ready.set(io.reply.ready);
    io.reply.payload.set({
      slot: context.slot,
      op: context.op,
      status: mux(e.failed, statusBits.FAIL, statusBits.OK),
      silent: context.silent,
      replyOpcode: context.replyOpcode,
    });
    io.access.valid.set(toAccess.valid);
    toAccess.ready.set(io.access.ready);
    io.access.payload.set({
      slot: context.slot,
      pid: context.pid,
      va: pointers.readAsync(e.lane),
      length: context.length,
      write: context.op.eq(syncOp.derefWrite),
      silent: context.silent,
      replyOpcode: context.replyOpcode,
      op: constant(plainOp, syncOpBits),
      indirect: constant(1, 1),
    });
  },
  { nameOf: p => `SyncUnit_l${p.lanes}_n${p.slots}_b${p.beatBytes}_a${p.addressBits}_i${p.idBits}_${p.id}` },
);

/** A queue of `depth` that is pushed when `valid` and always has room. */
function pulse(name: string, shape: ReturnType<typeof uint>, valid: UInt<1>, value: UInt, depth: number) {
  const queue = instance(name, Fifo({ shape, depth, style: "distributed" }));
  queue.push.valid.set(valid);
  queue.push.payload.set(value);
  assertAlways(valid.and(queue.push.ready.not()).not(), `the queue ${name} has room for every operation in flight`);
  return queue.pop;
}

/** One word of a beat: a tree of muxes. */
function selectWord(beat: UInt, index: UInt): UInt {
  if (beat.width === wordBits) return beat;
  const half = beat.width / 2,
    top = index.width - 1;
  const pick = (v: UInt): UInt => (top === 0 ? v : selectWord(v, index.trunc(top)));
  return mux(index.bit(top), pick(beat.bits(half, half)), pick(beat.trunc(half)));
}
