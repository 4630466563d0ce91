import {
  axi4Master,
  type Axi4Parameters,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  fifo,
  fork,
  fsm,
  gate,
  instance,
  map,
  module,
  mux,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "mnemosyne";
import { BurstSplitter, type SplitterParameters } from "./burst-splitter.ts";

export interface DmaParameters {
  readonly addressBits: number;
  /** Bytes of a beat: 2, 4 ... 128. */
  readonly beatBytes: number;
  /** Bits of a job's number of bytes. */
  readonly lengthBits: number;
  /** Beats of the longest burst: a power of two; as many bytes are 4 KB at most. */
  readonly longest: number;
  /** Beats that are read and not written yet, at most: twice `longest` or more. */
  readonly depth: number;
}

/** `bytes` bytes from one address to another, of any alignment; the two must not overlap. */
export const jobOf = (p: DmaParameters) =>
  struct({ source: uint(p.addressBits), destination: uint(p.addressBits), bytes: uint(p.lengthBits) });
/** `error`: memory refused a read or a write; then what the destination holds means nothing. */
export const Done = struct({ error: bit });

const busOf = (p: DmaParameters): Axi4Parameters => ({
  addressBits: p.addressBits,
  idBits: 1,
  beatBytes: p.beatBytes,
});
/** Bursts whose answer may be outstanding. */
const openBursts = 15;

/**
 * Copies bytes within memory, job by job. It reads ahead by up to `depth` beats, shifts what it has read to the
 * destination's lanes, and writes exactly the bytes of the job. A beat is read and a beat is written each cycle. A job
 * is done when memory has answered all of its writes; the next one begins then. Reset forgets the job under way, and
 * must come to the memory as well.
 */
export const Dma = module(
  "Dma",
  (p: DmaParameters) => ({ job: sink(jobOf(p)), done: source(Done), ...axi4Master("m", busOf(p)) }),
  (io, p) => {
    if (p.longest * p.beatBytes > 4096)
      throw new RangeError(`longest = ${p.longest}: a burst has 4 KB at most, ${4096 / p.beatBytes} beats`);
    if (p.depth < 2 * p.longest)
      throw new RangeError(`depth = ${p.depth}: two bursts have room, ${2 * p.longest} beats or more`);
    const laneBits = Math.log2(p.beatBytes),
      beatBits = p.addressBits - laneBits,
      countBits = p.lengthBits - laneBits + 1;
    const splitting: SplitterParameters = { beatBits, countBits, longest: p.longest };
    const job = reg(jobOf(p)),
      readsLeft = reg(uint(countBits), { init: 0 }),
      writesLeft = reg(uint(countBits), { init: 0 }),
      first = reg(bit),
      primes = reg(bit, { init: 0 }),
      failed = reg(bit, { init: 0 }),
      open = reg(uint(bitsFor(openBursts)), { init: 0 });
    const from = job.source.trunc(laneBits),
      to = job.destination.trunc(laneBits);
    const beatOf = (address: UInt): UInt => address.bits(laneBits, beatBits);
    /** Beats that hold bytes of the job, when it begins at this lane. */
    const beatsFrom = (lane: UInt): UInt => {
      const width = p.lengthBits + 1,
        ends = job.bytes.zext(width).add(lane.zext(width));
      return ends.add(p.beatBytes - 1).bits(laneBits, countBits);
    };
    const reads = instance(BurstSplitter(splitting)),
      writes = instance(BurstSplitter(splitting));

    // Reads: a burst is asked for when all of it has room.
    const room = reg(uint(bitsFor(p.depth)), { init: p.depth }),
      asked = gate(reads.burst, room.ge(p.longest));
    const address = (burst: { readonly beat: UInt; readonly beats: UInt }) => ({
      addr: cat(burst.beat, constant(0, laneBits)),
      id: 0,
      len: burst.beats.sub(1).resize(8),
      size: laneBits,
      burst: 1,
    });
    connect(map(asked, io.mAr.shape, address), io.mAr);
    const came = fifo(
      map(io.mR, uint(8 * p.beatBytes), r => r.data),
      p.depth,
    );
    const asks = mux(asked.fire, asked.payload.beats.resize(room.width), constant(0, room.width));
    room.set(room.sub(asks).add(came.fire.zext(room.width)));

    // What was read, shifted to the lanes of the destination: bytes of two neighbours make one beat.
    const before = reg(uint(8 * p.beatBytes)),
      shift = from.sub(to),
      both = cat(came.payload, before);
    const bytesAt = (n: number): UInt => both.bits(8 * n, 8 * p.beatBytes);
    const choices = Array.from({ length: p.beatBytes }, (_, n) => (n === 0 ? came.payload : bytesAt(n)));
    const shifted = choose(shift, choices);
    when(came.fire, () => before.set(came.payload));

    // Writes: an address for each burst, beats with strobes at both ends.
    const bounded = gate(writes.burst, open.ne(openBursts)),
      [addressed, filled] = fork(bounded, 2);
    connect(map(addressed, io.mAw.shape, address), io.mAw);
    const inBurst = reg(uint(bitsFor(p.longest)), { init: 0 }),
      ends = inBurst.add(1).eq(filled.payload.beats),
      last = writesLeft.eq(1);
    // Lanes from the job's first byte on, and lanes before the one behind its last byte.
    const all = constant(2n ** BigInt(p.beatBytes) - 1n, p.beatBytes),
      end = to.add(job.bytes.trunc(laneBits));
    const begins = mux(first, all.shl(to), all),
      stops = mux(last.and(end.any()), all.shl(end).not(), all);
    const beats = stream(io.mW.shape),
      there = came.valid.or(readsLeft.eq(0)).andNot(primes);
    beats.valid.set(filled.valid.and(there));
    beats.payload.set({ data: shifted, strb: begins.and(stops), last: ends });
    filled.ready.set(beats.fire.and(ends));
    came.ready.set(primes.or(filled.valid.and(beats.ready)));
    connect(stage(beats, "full"), io.mW);
    when(beats.fire, () => {
      first.set(0);
      writesLeft.set(writesLeft.sub(1));
      inBurst.set(mux(ends, constant(0, inBurst.width), inBurst.add(1)));
    });
    when(came.fire, () => {
      primes.set(0);
      readsLeft.set(readsLeft.sub(1));
    });
    const opens = bounded.fire.zext(open.width),
      closes = io.mB.fire.zext(open.width);
    open.set(open.add(opens).sub(closes));
    io.mB.ready.set(1);
    const readFails = io.mR.fire.and(io.mR.payload.resp.any()),
      writeFails = io.mB.fire.and(io.mB.payload.resp.any());
    when(readFails.or(writeFails), () => failed.set(1));

    const settled = writesLeft.eq(0).and(writes.busy.not()).and(open.eq(0)),
      drained = readsLeft.eq(0);
    const step = fsm(["Idle", "Start", "Run", "Done"], "Idle", s => ({
      Idle: () => {
        when(io.job.fire, () => {
          job.set(io.job.payload);
          failed.set(0);
          s.go("Start");
          when(io.job.payload.bytes.eq(0), () => s.go("Done"));
        });
      },
      Start: () => {
        readsLeft.set(beatsFrom(from));
        writesLeft.set(beatsFrom(to));
        first.set(1);
        primes.set(from.gt(to));
        s.go("Run");
      },
      Run: () => when(settled.and(drained), () => s.go("Done")),
      Done: () => when(io.done.fire, () => s.go("Idle")),
    }));
    const starts = step.is("Start");
    reads.run.valid.set(starts);
    reads.run.payload.set({ beat: beatOf(job.source), beats: beatsFrom(from) });
    writes.run.valid.set(starts);
    writes.run.payload.set({ beat: beatOf(job.destination), beats: beatsFrom(to) });
    io.job.ready.set(step.is("Idle"));
    io.done.valid.set(step.is("Done"));
    io.done.payload.set({ error: failed });
  },
);

/** Element number `index`, in log2 steps of two. */
function choose(index: UInt, all: readonly UInt[]): UInt {
  let left = all;
  for (let b = 0; b < index.width; b++)
    left = left.flatMap((v, i) => (i % 2 === 0 ? [mux(index.bit(b), left[i + 1] as UInt, v)] : []));
  return left[0] as UInt;
}
