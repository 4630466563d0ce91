/** An operation ends: without a write, or with the memory's answer to it. */
import {
  arbiter,
  assertAlways,
  bit,
  constant,
  demux,
  fifo,
  mux,
  node,
  stream,
  struct,
} from "../../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../wire/index.ts";
import { plainOp, syncOpBits } from "../../records/records.ts";
import { fetchesPointer, syncOp } from "../sync-ops.ts";
import type { Build } from "./ports.ts";
import type { Reading } from "./read.ts";
import type { Working, writeWords } from "./work.ts";

function endsOf({ io, p, lane }: Build, { atWork, w, writes }: Working, writing: ReturnType<typeof writeWords>) {
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

  return ended;
}

/** It is answered, or goes on to what the pointer points at. */
export function endOperations(
  build: Build,
  { contexts, words }: Reading,
  working: Working,
  writing: ReturnType<typeof writeWords>,
): void {
  const { io } = build,
    { pointers } = working,
    ended = endsOf(build, working, writing);
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
}
