import {
  assertAlways,
  axi4Address,
  axi4Response,
  axi4Write,
  bit,
  connect,
  constant,
  Fifo,
  fork,
  type Inside,
  instance,
  map,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stage,
  type StreamIn,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { addressStage, type BurstParameters, bursts, windowBits } from "../../../shared/axi/index.ts";
import { Align, BufferBeat, BufferJob, lengthBits, slotBeatBits, slotBits } from "../../../shared/frame/index.ts";
import { statusBits } from "../../wire/index.ts";
import { dataOffset, Ending, replyForm, Translated, wordOf } from "../records/records.ts";

export interface AccessWriteParameters extends BurstParameters {
  readonly slots: number;
  readonly frameBytes: number;
  /** Bursts whose B is still to come, at most. */
  readonly outstanding: number;
}

/** One-cycle events for the counters; `writeBytes` is the number of bytes written in that cycle. */
export const WriteEvents = struct({ writes: bit, writesNoReply: bit, unanswered: bit, writeBytes: uint(lengthBits) });

const accessWritePorts = (p: AccessWriteParameters) => ({
  request: sink(Translated(p)),
  bufferJob: source(BufferJob(p)),
  buffer: sink(BufferBeat(p.beatBytes)),
  aw: source(axi4Address(p)),
  w: source(axi4Write(p.beatBytes)),
  b: sink(axi4Response(p)),
  ending: source(Ending(p)),
  events: output(WriteEvents),
});
type Io = Inside<ReturnType<typeof accessWritePorts>>;

/** Where a write's data stand in the frame: the lane of the first byte. */
const laneOf = (p: AccessWriteParameters): number => dataOffset % p.beatBytes;

/** Addresses, and for each burst what its answer will mean. */
function issueBursts(io: Io, p: AccessWriteParameters, toBursts: StreamIn<ReturnType<typeof Translated>>) {
  const [toAw, toPending] = fork(bursts(toBursts, p), 2, "lazy", { name: "burst_to" });
  addressStage(
    map(toAw, axi4Address(p), v => v.address, { name: "aw_next" }),
    io.aw,
    "aw_stage",
  );
  const Pending = struct({
    slot: uint(slotBits(p)),
    opcode: uint(8),
    length: uint(lengthBits),
    silent: bit,
    indirect: bit,
    last: bit,
  });
  const pending = instance(Fifo({ shape: Pending, depth: p.outstanding, style: "distributed" }));
  const asked = toBursts.payload;
  const pendingNext = map(
    toPending,
    Pending,
    v => ({
      slot: asked.slot,
      opcode: asked.replyOpcode,
      length: asked.length,
      silent: asked.silent,
      indirect: asked.indirect,
      last: v.last,
    }),
    { name: "pending_next" },
  );
  connect(pendingNext, pending.push);

  return pending;
}

/** Data, turned from the lanes of the frame to those of the memory. */
function turnData(
  io: Io,
  p: AccessWriteParameters,
  toBuffer: StreamIn<ReturnType<typeof Translated>>,
  toAlign: StreamIn<ReturnType<typeof Translated>>,
) {
  const lane = laneOf(p),
    laneBits = Math.log2(p.beatBytes),
    window = windowBits(p);
  const fromLane = node(toBuffer.payload.length.zext(lengthBits + 1).add(lane + p.beatBytes - 1));
  connect(
    map(
      toBuffer,
      BufferJob(p),
      v => ({
        slot: v.slot,
        first: constant(Math.floor(dataOffset / p.beatBytes), slotBeatBits(p)),
        beats: fromLane.shr(laneBits).resize(slotBeatBits(p) + 1),
      }),
      { name: "buffer_next" },
    ),
    io.bufferJob,
  );
  const align = instance(Align({ beatBytes: p.beatBytes, tagBits: window }));
  toAlign.ready.set(align.job.ready);
  align.job.valid.set(toAlign.valid);
  align.job.payload.set({
    from: constant(lane, laneBits),
    to: toAlign.payload.offset.trunc(laneBits),
    length: toAlign.payload.length,
    tag: toAlign.payload.offset.bits(laneBits, window),
  });
  align.input.valid.set(io.buffer.valid);
  align.input.payload.set({ data: io.buffer.payload.data, bad: 0 });
  io.buffer.ready.set(align.input.ready);
  when(io.buffer.fire, () =>
    assertAlways(io.buffer.payload.last.eq(align.inputLast), "the frame buffer's last beat is the write's last beat"),
  );

  return align;
}

/** The place of the beat in its 4 KB (or page) decides where bursts end, as for the addresses. */
function writeBeats(io: Io, p: AccessWriteParameters, align: ReturnType<typeof turnData>): void {
  const begun = reg(bit, { init: 0 });
  const nextBeat = reg(uint(windowBits(p)));
  const beat = node(mux(begun, nextBeat as typeof align.output.payload.tag, align.output.payload.tag));
  io.w.valid.set(align.output.valid);
  align.output.ready.set(io.w.ready);
  io.w.payload.set({
    data: align.output.payload.data,
    strb: align.output.payload.keep,
    last: align.output.payload.last.or(beat.all()),
  });
  when(io.w.fire, () => {
    begun.set(align.output.payload.last.not());
    nextBeat.set(beat.add(1));
  });
}

/** Answers come in the order of the bursts: all have one ID. */
function takeAnswers(io: Io, pending: ReturnType<typeof issueBursts>): void {
  const answered = pending.pop.payload;
  const failedBefore = reg(bit, { init: 0 });
  const failed = node(failedBefore.or(io.b.payload.resp.any()));
  const ends = node(answered.last);
  io.b.ready.set(pending.pop.valid.and(ends.not().or(io.ending.ready)));
  pending.pop.ready.set(io.b.valid.and(ends.not().or(io.ending.ready)));
  when(io.b.valid, () => assertAlways(pending.pop.valid, "an answer (B) belongs to a burst that was issued"));
  when(io.b.fire, () => failedBefore.set(failed.and(answered.last.not())));
  io.ending.valid.set(io.b.valid.and(pending.pop.valid).and(ends));
  io.ending.payload.set({
    slot: answered.slot,
    form: replyForm.short,
    word: wordOf(answered.indirect),
    opcode: answered.opcode,
    status: mux(failed, statusBits.FAIL, statusBits.OK),
    silent: answered.silent,
    done: 1,
  });
  const completes = node(io.b.fire.and(answered.last).and(failed.not()));
  io.events.set({
    writes: completes.and(answered.silent.not()),
    writesNoReply: completes.and(answered.silent),
    unanswered: io.b.fire.and(ends).and(answered.silent).and(failed),
    writeBytes: mux(completes, answered.length, 0),
  });
}

/**
 * Writes of any alignment and length (1 byte to what a frame holds) to AXI4, across pages. Data come from the frame
 * buffer as they arrived and are turned once. A write ends when the memory has answered the last of its bursts (status
 * FAIL when one failed).
 *
 * Latency: 2 cycles from `request` to `aw`; 0 to `buffer_job`; 1 from `buffer` to `w`; 0 from `b` to `ending`. `buffer`
 * to `w` takes 2 when a beat of `w` needs the next buffer beat too. The first buffer beat comes no sooner than the
 * cycle after its job. The first buffer beat is taken from the second cycle after the request on. Initiation interval:
 * one burst and one beat per cycle, no bubble between requests. A request takes as many cycles as its buffer beats or
 * its memory beats, whichever are more. Full: with `outstanding` bursts unanswered no more `aw` is issued and requests
 * wait. Order of `w` = order of `aw` = order of requests; `w` of a burst may come before its `aw` when `aw` stalls.
 */
export const AccessWrite = module("AccessWrite", accessWritePorts, (io, p) => {
  const [burstsOf, toBuffer, alignOf] = fork(io.request, 3, "eager", { name: "request_to" });
  // The data take longer from the frame buffer than these stages, which keep `request.ready` off what is worked out
  // of the length.
  const toBursts = stage(burstsOf, "full", { name: "bursts_of" });
  const toAlign = stage(alignOf, "full", { name: "align_of" });

  const pending = issueBursts(io, p, toBursts),
    align = turnData(io, p, toBuffer, toAlign);
  writeBeats(io, p, align);
  takeAnswers(io, pending);
});
