import { assignView, bit, cat, constant, module, mux, node, output, reg, repeat, sink, source, struct, uint, when, type UInt } from "../../../hdl-dsl/index.ts";
import { lengthBits } from "./slots.ts";

export interface AlignParameters {
  /** Bytes of a beat, a power of two. */
  readonly beatBytes: number;
  /** Bits that ride with a job, from `job` to each of its output beats. */
  readonly tagBits: number;
}

/** `length` bytes (1 or more) that begin on lane `from` of the job's first input beat go to the lanes from `to` of its first output beat. */
export const AlignJob = (p: AlignParameters) => struct({
  from: uint(Math.log2(p.beatBytes)), to: uint(Math.log2(p.beatBytes)), length: uint(lengthBits), tag: uint(p.tagBits),
});
export const AlignInput = (p: AlignParameters) => struct({ data: uint(p.beatBytes * 8), bad: bit });
/** `keep` marks the job's bytes; on the last beat `bad` tells that one of its input beats was. */
export const AlignOutput = (p: AlignParameters) => struct({ data: uint(p.beatBytes * 8), keep: uint(p.beatBytes), tag: uint(p.tagBits), bad: bit, last: bit });

/** Lanes turned upwards by `by`: lane i of the result is lane i - by of `data`, round the end. One multiplexer per address bit. */
function rotateLanes(data: UInt, by: UInt): UInt {
  let turned = data;
  for (let k = 0; k < by.width; k++) {
    const n = 8 * 2 ** k, w = data.width;
    turned = mux(by.bit(k), cat(turned.bits(0, w - n), turned.bits(w - n, n)), turned);
  }
  return turned;
}

/** Lanes from `first` up. */
const lanesFrom = (first: UInt, lanes: number): UInt => constant((1n << BigInt(lanes)) - 1n, lanes).shl(first);
/** Lanes up to `last`, itself too. */
const lanesTo = (last: UInt, lanes: number): UInt => constant((1n << BigInt(lanes)) - 1n, lanes).shr(last.not());

/**
 * Byte realigner. A job takes exactly ceil((from + length) / beatBytes) input beats and gives ceil((to + length) / beatBytes) output beats.
 *
 * Latency: a job is known one cycle after it is taken; from then on an input beat is an output beat one cycle later, or two cycles when the output
 * beat needs the next input beat too (`to` < `from`, more than one input beat). Initiation interval: one beat per cycle, no bubble between jobs. A
 * job costs max(input beats, output beats) cycles: the last output beat of a job that needs no more input leaves while the next job's first beat comes in. Only
 * a job with `to` < `from` and as many beats out as in, between two jobs that can hide neither its first nor its last cycle, costs one more; that is never more
 * than the beats of its frame, which has headers besides. Full: nothing is taken while the output stalls, except into the empty register stage.
 * `input_last` tells that the input beat now offered is its job's last one, for the owner to hold against what it knows.
 */
export const Align = module("Align",
  (p: AlignParameters) => ({ job: sink(AlignJob(p)), input: sink(AlignInput(p)), output: source(AlignOutput(p)), input_last: output(bit) }),
  (io, p) => {
    const lanes = p.beatBytes, laneBits = Math.log2(lanes), beatCount = lengthBits + 1 - laneBits;

    // The job, with all that follows from it.
    const job_valid = reg(bit, { init: 0 });
    const job_turn = reg(uint(laneBits));
    const job_to = reg(uint(laneBits));
    const job_end = reg(uint(laneBits));
    const job_beats = reg(uint(beatCount));      // input beats less one
    const job_prime = reg(bit);                  // the first input beat alone gives no output beat
    const job_flush = reg(bit);                  // one more output beat after the last input beat
    const job_single = reg(bit);                 // one beat in, one beat out
    const job_tag = reg(uint(p.tagBits));
    const given = io.job.payload;
    const input_end = node(given.length.zext(lengthBits + 1).add(given.from.zext(lengthBits + 1)).sub(1));
    const output_end = node(given.length.zext(lengthBits + 1).add(given.to.zext(lengthBits + 1)).sub(1));
    const wraps = node(given.to.lt(given.from));
    const one_beat = node(input_end.bits(laneBits, beatCount).eq(0));
    const same_beats = node(input_end.bits(laneBits, beatCount).eq(output_end.bits(laneBits, beatCount)));

    // What the register stage holds: a turned input beat, and how the output beat is put together from it and from the beat before.
    const turned_valid = reg(bit, { init: 0 });
    const turned_take = reg(bit);
    const turned_emit = reg(bit);
    const turned_data = reg(uint(lanes * 8));
    const turned_new = reg(uint(lanes));         // lanes from this beat; the others from the beat before
    const turned_keep = reg(uint(lanes));
    const turned_tag = reg(uint(p.tagBits));
    const turned_bad = reg(bit);
    const turned_last = reg(bit);
    const before = reg(uint(lanes * 8));
    const advance = node(turned_valid.not().or(turned_emit.not()).or(io.output.ready));

    // A last output beat still to come, made of `before` alone.
    const flush = reg(bit, { init: 0 });
    const flush_end = reg(uint(laneBits));
    const flush_tag = reg(uint(p.tagBits));
    const bad_so_far = reg(bit);

    const index = reg(uint(beatCount), { init: 0 });
    const first = node(index.eq(0));
    const prime = node(first.and(job_prime));
    const last_input = node(index.eq(job_beats));
    // While a flush leaves, only a beat that gives no output of its own may come in.
    io.input.ready.set(job_valid.and(advance).and(flush.not().or(prime)));
    io.input_last.set(last_input);
    const take = node(io.input.fire);
    const done = node(take.and(last_input));
    io.job.ready.set(job_valid.not().or(done));
    when(done, () => { job_valid.set(0); });
    when(io.job.fire, () => {
      job_valid.set(1);
      job_turn.set(given.to.sub(given.from));
      job_to.set(given.to);
      job_end.set(output_end.trunc(laneBits));
      job_beats.set(input_end.bits(laneBits, beatCount));
      job_prime.set(wraps.and(one_beat.not()));
      job_single.set(wraps.and(one_beat));
      job_flush.set(mux(wraps, same_beats.and(one_beat.not()), same_beats.not()));
      job_tag.set(given.tag);
    });
    when(take, () => { index.set(mux(last_input, constant(0, beatCount), index.add(1))); });

    const first_output = node(mux(job_prime, index.eq(1), first));
    const bad_now = node(io.input.payload.bad.or(bad_so_far.and(first.not())));
    when(take, () => { bad_so_far.set(bad_now); });
    when(advance, () => {
      turned_valid.set(take.or(flush));
      flush.set(done.and(job_flush));
      flush_end.set(job_end);
      flush_tag.set(job_tag);
      turned_take.set(take);
      turned_emit.set(flush.or(prime.not()));
      turned_data.set(rotateLanes(io.input.payload.data, job_turn));
      turned_last.set(flush.or(last_input.and(job_flush.not())));
      turned_new.set(mux(flush, constant(0, lanes), lanesFrom(job_turn, lanes).or(repeat(job_single, lanes))));
      turned_keep.set(mux(flush, lanesTo(flush_end, lanes), lanesFrom(job_to, lanes).or(repeat(first_output.not(), lanes))
        .and(lanesTo(job_end, lanes).or(repeat(last_input.and(job_flush.not()), lanes).not()))));
      turned_tag.set(mux(flush, flush_tag, job_tag));
      turned_bad.set(mux(flush, bad_so_far, bad_now));
    });
    when(turned_valid.and(turned_take).and(advance), () => { before.set(turned_data); });

    io.output.valid.set(turned_valid.and(turned_emit));
    const lane = (v: UInt, i: number): UInt => v.bits(8 * i, 8);
    const merged = Array.from({ length: lanes }, (_, i) => mux(turned_new.bit(i), lane(turned_data, i), lane(before, i)));
    assignView(io.output.payload, { data: cat(...merged.reverse()), keep: turned_keep, tag: turned_tag, bad: turned_bad, last: turned_last }, "output");
  });
