import {
  bit,
  type Bit,
  cat,
  fromBits,
  input,
  lowestSet,
  module,
  mux,
  node,
  onehotMux,
  ram,
  reg,
  sink,
  source,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { BufferBeat, BufferJob } from "./beats.ts";
import { claimedQueue } from "./claimed-queue.ts";
import { slotBeatBits, slotBeats, slotBits } from "./slots.ts";

export interface FrameBufferParameters {
  readonly slots: number;
  readonly beatBytes: number;
  readonly frameBytes: number;
}

/** A beat of a frame on its way into the buffer: always taken. */
export const BufferWrite = (p: FrameBufferParameters) =>
  struct({
    en: bit,
    slot: uint(slotBits(p)),
    beat: uint(slotBeatBits(p)),
    data: uint(p.beatBytes * 8),
  });

/** Beats kept ready for each reader: what one distributed memory of the FPGA holds at no more cost. */
const queueBeats = 16;

/**
 * The frames in flight: slots x slotBeats beats in block memory, one write port and one read port. Three readers give
 * jobs (a run of beats of one slot) and get the beats on a stream of their own: the write engine, the echo path of
 * net_tx, the slow path, in this order of priority, beat by beat. Every reader has a queue of 16 beats, and a beat is
 * read only when its queue has room: a reader that stalls costs the others nothing, so none can wait for another in a
 * circle. Each job takes one read per beat, and every slot is read at most once, so no reader starves for longer than
 * the frames ahead of it take.
 * Latency: 2 cycles from a job to its first beat; initiation interval: 1 beat per cycle, jobs of one reader back to
 * back without a bubble. A job is taken when its first beat is read. A beat must have been written at least one cycle
 * before the job that reads it.
 */
export const FrameBuffer = module(
  "FrameBuffer",
  (p: FrameBufferParameters) => ({
    write: input(BufferWrite(p)),
    writeJob: sink(BufferJob(p)),
    echoJob: sink(BufferJob(p)),
    slowJob: sink(BufferJob(p)),
    writeData: source(BufferBeat(p.beatBytes)),
    echoData: source(BufferBeat(p.beatBytes)),
    slowData: source(BufferBeat(p.beatBytes)),
  }),
  (io, p) => {
    const frames = ram(uint(p.beatBytes * 8), {
      depth: p.slots * slotBeats(p),
      collision: "undefined",
      style: "block",
    });
    frames.write(io.write.en, cat(io.write.slot, io.write.beat), io.write.data);

    const readers = [reader("writer", p, io.writeJob), reader("echo", p, io.echoJob), reader("slow", p, io.slowJob)];
    const wanted = node(fromBits(readers.map(r => r.wants)));
    const granted = node(lowestSet(wanted));
    const grants = readers.map((_, i) => granted.bit(i));
    const address = node(
      onehotMux(
        grants,
        readers.map(r => r.address),
      ),
    );
    const data = frames.readSync(address, { en: wanted.any() });
    const outputs = [io.writeData, io.echoData, io.slowData];
    readers.forEach((r, i) => r.serve(grants[i] as Bit, data, outputs[i] as StreamOut<ReturnType<typeof BufferBeat>>));
  },
);

interface Reader {
  /** A beat is to be read and has room. */
  readonly wants: Bit;
  readonly address: UInt;
  /** Given whether the beat is read in this cycle, and the memory's output. */
  serve(granted: Bit, data: UInt, out: StreamOut<ReturnType<typeof BufferBeat>>): void;
}

function reader(name: string, p: FrameBufferParameters, job: StreamIn<ReturnType<typeof BufferJob>>): Reader {
  const leftBits = slotBeatBits(p) + 1;
  const running = reg(bit, { init: 0, name: `${name}_running` });
  const slot = reg(uint(slotBits(p)), { name: `${name}_slot` });
  const beat = reg(uint(slotBeatBits(p)), { name: `${name}_beat` });
  const left = reg(uint(leftBits), { name: `${name}_left` });
  const queue = claimedQueue(name, BufferBeat(p.beatBytes), queueBeats);
  const nowSlot = node(mux(running, slot, job.payload.slot), { name: `${name}_now_slot` });
  const nowBeat = node(mux(running, beat, job.payload.first), { name: `${name}_now_beat` });
  const nowLeft = node(mux(running, left, job.payload.beats), { name: `${name}_now_left` });
  const wants = node(running.or(job.valid).and(queue.room), { name: `${name}_wants` });
  return {
    wants,
    address: cat(nowSlot, nowBeat),
    serve: (granted, data, out) => {
      const final = node(nowLeft.eq(1), { name: `${name}_final` });
      job.ready.set(granted.and(running.not()));
      when(granted, () => {
        running.set(final.not());
        slot.set(nowSlot);
        beat.set(nowBeat.add(1));
        left.set(nowLeft.sub(1));
      });
      const reading = reg(bit, { init: 0, name: `${name}_reading` });
      const readingLast = reg(bit, { name: `${name}_reading_last` });
      reading.set(granted);
      readingLast.set(final);
      queue.serve(granted, reading, { data, last: readingLast }, out);
    },
  };
}
