import {
  assignView,
  bit,
  cat,
  constant,
  type Inside,
  module,
  mux,
  node,
  output,
  reg,
  repeat,
  sink,
  source,
  struct,
  uint,
  type UInt,
  when,
} from "../../../hdl-dsl/index.ts";
import { lengthBits as frameLengthBits } from "./slots.ts";

export interface AlignParameters {
  /** Bytes of a beat, a power of two. */
  readonly beatBytes: number;
  /** Bits that ride with a job, from `job` to each of its output beats. */
  readonly tagBits: number;
  /** Bits of a job's length; 14 unless given. */
  readonly lengthBits?: number;
}
const lengthBitsOf = (p: AlignParameters): number => p.lengthBits ?? frameLengthBits;

/**
 * `length` bytes (1 or more) that begin on lane `from` of the job's first input beat go to the lanes from `to` of its
 * first output beat.
 */
export const AlignJob = (p: AlignParameters) =>
  struct({
    from: uint(Math.log2(p.beatBytes)),
    to: uint(Math.log2(p.beatBytes)),
    length: uint(lengthBitsOf(p)),
    tag: uint(p.tagBits),
  });
export const AlignInput = (p: AlignParameters) => struct({ data: uint(p.beatBytes * 8), bad: bit });
/** `keep` marks the job's bytes; on the last beat `bad` tells that one of its input beats was. */
export const AlignOutput = (p: AlignParameters) =>
  struct({ data: uint(p.beatBytes * 8), keep: uint(p.beatBytes), tag: uint(p.tagBits), bad: bit, last: bit });

/**
 * Lanes turned upwards by `by`: lane i of the result is lane i - by of `data`, round the end. One multiplexer
 * per address bit.
 */
function rotateLanes(data: UInt, by: UInt): UInt {
  let turned = data;
  for (let k = 0; k < by.width; k++) {
    const n = 8 * 2 ** k,
      w = data.width;
    turned = mux(by.bit(k), cat(turned.bits(0, w - n), turned.bits(w - n, n)), turned);
  }
  return turned;
}

/** Lanes from `first` up. */
const lanesFrom = (first: UInt, lanes: number): UInt => constant((1n << BigInt(lanes)) - 1n, lanes).shl(first);
/** Lanes up to `last`, itself too. */
const lanesTo = (last: UInt, lanes: number): UInt => constant((1n << BigInt(lanes)) - 1n, lanes).shr(last.not());

const ports = (p: AlignParameters) => ({
  job: sink(AlignJob(p)),
  input: sink(AlignInput(p)),
  output: source(AlignOutput(p)),
  inputLast: output(bit),
});
type Io = Inside<ReturnType<typeof ports>>;

/** The job, with all that follows from it. */
function jobOf(io: Io, p: AlignParameters) {
  const laneBits = Math.log2(p.beatBytes),
    lengthBits = lengthBitsOf(p),
    beatCount = lengthBits + 1 - laneBits;
  const jobValid = reg(bit, { init: 0 });
  const jobTurn = reg(uint(laneBits));
  const jobTo = reg(uint(laneBits));
  const jobEnd = reg(uint(laneBits));
  const jobBeats = reg(uint(beatCount)); // input beats less one
  const jobPrime = reg(bit); // the first input beat alone gives no output beat
  const jobFlush = reg(bit); // one more output beat after the last input beat
  const jobSingle = reg(bit); // one beat in, one beat out
  const jobTag = reg(uint(p.tagBits));
  const given = io.job.payload;
  const inputEnd = node(
    given.length
      .zext(lengthBits + 1)
      .add(given.from.zext(lengthBits + 1))
      .sub(1),
  );
  const outputEnd = node(
    given.length
      .zext(lengthBits + 1)
      .add(given.to.zext(lengthBits + 1))
      .sub(1),
  );
  const wraps = node(given.to.lt(given.from));
  const oneBeat = node(inputEnd.bits(laneBits, beatCount).eq(0));
  const sameBeats = node(inputEnd.bits(laneBits, beatCount).eq(outputEnd.bits(laneBits, beatCount)));

  return {
    beatCount,
    jobValid,
    jobTurn,
    jobTo,
    jobEnd,
    jobBeats,
    jobPrime,
    jobFlush,
    jobSingle,
    jobTag,
    /** The next job is taken. */
    load(): void {
      jobValid.set(1);
      jobTurn.set(given.to.sub(given.from));
      jobTo.set(given.to);
      jobEnd.set(outputEnd.trunc(laneBits));
      jobBeats.set(inputEnd.bits(laneBits, beatCount));
      jobPrime.set(wraps.and(oneBeat.not()));
      jobSingle.set(wraps.and(oneBeat));
      jobFlush.set(mux(wraps, sameBeats.and(oneBeat.not()), sameBeats.not()));
      jobTag.set(given.tag);
    },
  };
}

/** The register stage. */
function stageOf(p: AlignParameters) {
  const lanes = p.beatBytes;
  // What the register stage holds: a turned input beat, and how the output beat is put together from it and from
  // the beat before.
  const turnedValid = reg(bit, { init: 0 });
  const turnedTake = reg(bit);
  const turnedEmit = reg(bit);
  const turnedData = reg(uint(lanes * 8));
  const turnedNew = reg(uint(lanes)); // lanes from this beat; the others from the beat before
  const turnedKeep = reg(uint(lanes));
  const turnedTag = reg(uint(p.tagBits));
  const turnedBad = reg(bit);
  const turnedLast = reg(bit);
  const before = reg(uint(lanes * 8));
  return {
    turnedValid,
    turnedTake,
    turnedEmit,
    turnedData,
    turnedNew,
    turnedKeep,
    turnedTag,
    turnedBad,
    turnedLast,
    before,
  };
}
type Turned = ReturnType<typeof stageOf>;

/** An output beat, put together. */
function putTogether(io: Io, { beatBytes: lanes }: AlignParameters, turned: Turned): void {
  const { turnedValid, turnedEmit, turnedData, turnedNew, turnedKeep, turnedTag, turnedBad, turnedLast, before } =
    turned;
  io.output.valid.set(turnedValid.and(turnedEmit));
  const lane = (v: UInt, i: number): UInt => v.bits(8 * i, 8);
  const merged = Array.from({ length: lanes }, (_, i) => mux(turnedNew.bit(i), lane(turnedData, i), lane(before, i)));
  assignView(
    io.output.payload,
    { data: cat(...merged.reverse()), keep: turnedKeep, tag: turnedTag, bad: turnedBad, last: turnedLast },
    "output",
  );
}

/**
 * Byte realigner. A job takes exactly ceil((from + length) / beatBytes) input beats and gives ceil((to + length) /
 * beatBytes) output beats.
 *
 * Latency: a job is known one cycle after it is taken; from then on an input beat is an output beat one cycle later, or
 * two cycles when the output beat needs the next input beat too (`to` < `from`, more than one input beat). Initiation
 * interval: one beat per cycle, no bubble between jobs. A job costs max(input beats, output beats) cycles: the last
 * output beat of a job that needs no more input leaves while the next job's first beat comes in. Only a job with `to` <
 * `from` and as many beats out as in, between two jobs that can hide neither its first nor its last cycle, costs one
 * more; that is never more than the beats of its frame, which has headers besides. Full: nothing is taken while the
 * output stalls, except into the empty register stage. `input_last` tells that the input beat now offered is its job's
 * last one, for the owner to hold against what it knows.
 */
export const Align = module("Align", ports, (io, p) => {
  const lanes = p.beatBytes,
    laneBits = Math.log2(lanes);
  const job = jobOf(io, p),
    { beatCount, jobValid, jobTurn, jobTo, jobEnd, jobBeats, jobPrime, jobFlush, jobSingle, jobTag } = job;
  const turned = stageOf(p),
    { turnedValid, turnedTake, turnedEmit, turnedData, turnedNew, turnedKeep, turnedTag, turnedBad, turnedLast } =
      turned;
  const advance = node(turnedValid.not().or(turnedEmit.not()).or(io.output.ready));

  // A last output beat still to come, made of `before` alone.
  const flush = reg(bit, { init: 0 });
  const flushEnd = reg(uint(laneBits));
  const flushTag = reg(uint(p.tagBits));
  const badSoFar = reg(bit);

  const index = reg(uint(beatCount), { init: 0 });
  const first = node(index.eq(0));
  const prime = node(first.and(jobPrime));
  const lastInput = node(index.eq(jobBeats));
  // While a flush leaves, only a beat that gives no output of its own may come in.
  io.input.ready.set(jobValid.and(advance).and(flush.not().or(prime)));
  io.inputLast.set(lastInput);
  const take = node(io.input.fire);
  const done = node(take.and(lastInput));
  io.job.ready.set(jobValid.not().or(done));
  when(done, () => jobValid.set(0));
  when(io.job.fire, () => job.load());
  when(take, () => index.set(mux(lastInput, constant(0, beatCount), index.add(1))));

  const firstOutput = node(mux(jobPrime, index.eq(1), first));
  const badNow = node(io.input.payload.bad.or(badSoFar.and(first.not())));
  when(take, () => badSoFar.set(badNow));
  when(advance, () => {
    turnedValid.set(take.or(flush));
    flush.set(done.and(jobFlush));
    flushEnd.set(jobEnd);
    flushTag.set(jobTag);
    turnedTake.set(take);
    turnedEmit.set(flush.or(prime.not()));
    turnedData.set(rotateLanes(io.input.payload.data, jobTurn));
    turnedLast.set(flush.or(lastInput.and(jobFlush.not())));
    turnedNew.set(mux(flush, constant(0, lanes), lanesFrom(jobTurn, lanes).or(repeat(jobSingle, lanes))));
    turnedKeep.set(
      mux(
        flush,
        lanesTo(flushEnd, lanes),
        lanesFrom(jobTo, lanes)
          .or(repeat(firstOutput.not(), lanes))
          .and(lanesTo(jobEnd, lanes).or(repeat(lastInput.and(jobFlush.not()), lanes).not())),
      ),
    );
    turnedTag.set(mux(flush, flushTag, jobTag));
    turnedBad.set(mux(flush, badSoFar, badNow));
  });
  when(turnedValid.and(turnedTake).and(advance), () => turned.before.set(turnedData));

  putTogether(io, p, turned);
});
