/** Work on the word: its lane of the beat and the operands in one cycle, the new value in the next. */
import {
  assertAlways,
  bit,
  cat,
  constant,
  decode,
  fifo,
  fork,
  mux,
  node,
  ram,
  reg,
  repeat,
  stream,
  struct,
  type UInt,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import { slotBits } from "../../../../shared/frame/index.ts";
import { operandBits, syncOpBits } from "../../records/records.ts";
import { fetchesPointer, newWord, syncOp, wordBits, wordBytes } from "../sync-ops.ts";
import type { Build } from "./ports.ts";
import { pulse } from "./pulse.ts";
import type { Reading } from "./read.ts";

/** One word of a beat: a tree of muxes. */
function selectWord(beat: UInt, index: UInt): UInt {
  if (beat.width === wordBits) return beat;
  const half = beat.width / 2,
    top = index.width - 1;
  const pick = (v: UInt): UInt => (top === 0 ? v : selectWord(v, index.trunc(top)));
  return mux(index.bit(top), pick(beat.bits(half, half)), pick(beat.trunc(half)));
}

export function workOnWords(
  { io, p, lane, word, laneWords, lanesOfBeat, beatShift, wordShift }: Build,
  { work, takesStore, reading, storing }: Reading,
) {
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

  return { atWork, w, becomes, writes, pointers };
}
export type Working = ReturnType<typeof workOnWords>;

/** Write: that word alone. */
export function writeWords(
  { io, p, lane, word, lanesOfBeat, beatShift, wordShift, address }: Build,
  { atWork, w, becomes, writes }: Working,
) {
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

  return writing;
}
