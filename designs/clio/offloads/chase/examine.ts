import {
  assertAlways,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  fsm,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { BodyBeat, MemoryReply } from "../../offload/index.ts";
import { statusBits } from "../../wire/index.ts";
import {
  type ChaseParameters,
  contextBits,
  Ending,
  Fetch,
  Found,
  indexBits,
  Job,
  JobWrite,
  laneBits,
  NodeBeat,
  placeBits,
  Visit,
  visitBits,
  wordBytes,
} from "./types.ts";

/** The eight bytes of `window` from byte `first` on; the window has 7 bytes more than `first` has values. */
function wordAt(window: UInt, first: UInt): UInt<64> {
  let rest = window;
  for (let k = first.width - 1; k >= 0; k--) {
    const kept = (2 ** k + wordBytes - 1) * 8;
    rest = mux(first.bit(k), rest.bits(2 ** k * 8, kept), rest.bits(0, kept));
  }
  return rest.is(64);
}

/** Set in the tag of the READ of a value; the low bits are the context. */
export const valueTag = 7;

const examinePorts = (p: ChaseParameters) => ({
  memoryReply: sink(MemoryReply),
  memoryReplyData: sink(BodyBeat(p)),
  job: input(JobWrite(p)),
  visit: input(Visit(p)),
  beat: output(NodeBeat(p)),
  found: output(Found(p)),
  fetch: source(Fetch(p)),
  ended: source(Ending(p)),
  passing: source(Ending(p)),
  value: source(BodyBeat(p)),
});
type Io = Inside<ReturnType<typeof examinePorts>>;

/** The reply at hand: its request, as it was told, and the node's address. */
const Work = (p: ChaseParameters) =>
  struct({ context: uint(contextBits(p)), va: uint(64), left: uint(visitBits), job: Job });

/** Whose reply it is, and where its beats go. */
function takeReplies(io: Io, p: ChaseParameters) {
  const jobs = ram(Job, { depth: p.contexts, collision: "undefined", style: "distributed" });
  jobs.write(io.job.en, io.job.context, io.job.job);
  const lefts = ram(uint(visitBits), { depth: p.contexts, collision: "undefined", style: "distributed" });
  lefts.write(io.visit.en, io.visit.context, io.visit.left);

  const head = io.memoryReply.payload,
    replyContext = node(head.tag.trunc(contextBits(p)));
  const work = reg(Work(p));
  const index = reg(uint(indexBits(p)));
  const passes = node(head.tag.bit(valueTag).or(head.status.ne(statusBits.OK)));
  const data = io.memoryReplyData;
  const passing = stream(Ending(p));
  io.memoryReply.ready.set(0);
  passing.valid.set(0);
  io.value.valid.set(0);
  data.ready.set(0);
  const state = fsm(["idle", "node", "value"], "idle", s => ({
    idle: () => {
      index.set(0);
      work.set({
        context: replyContext,
        va: head.va,
        left: lefts.readAsync(replyContext),
        job: jobs.readAsync(replyContext),
      });
      passing.valid.set(io.memoryReply.valid.and(passes));
      io.memoryReply.ready.set(passes.not().or(passing.ready));
      when(io.memoryReply.fire.and(head.status.eq(statusBits.OK)), () => {
        s.go("node");
        when(passes, () => s.go("value"));
      });
    },
    node: () => {
      data.ready.set(1);
      when(data.valid, () => {
        index.set(index.add(1));
        when(data.payload.last, () => s.go("idle"));
      });
    },
    value: () => {
      io.value.valid.set(data.valid);
      data.ready.set(io.value.ready);
      when(data.fire.and(data.payload.last), () => s.go("idle"));
    },
  }));
  passing.payload.set({ context: replyContext, status: head.status, streamed: head.status.eq(statusBits.OK) });
  connect(stage(passing), io.passing);
  io.value.payload.set(data.payload);

  return { state, work, index };
}
type Reply = ReturnType<typeof takeReplies>;

/** A beat of a node, and the seven bytes before it. */
function beatOf(io: Io, p: ChaseParameters, { state, work, index }: Reply) {
  const width = p.beatBytes * 8,
    tail = (wordBytes - 1) * 8,
    data = io.memoryReplyData;
  const beatValid = reg(bit, { init: 0 });
  const beatLast = reg(bit);
  const beatIndex = reg(uint(indexBits(p)));
  const beatData = reg(uint(width));
  const before = reg(uint(tail));
  beatValid.set(state.is("node").and(data.valid));
  beatLast.set(data.payload.last);
  beatIndex.set(index);
  beatData.set(data.payload.data);
  const window = cat(beatData, before);
  when(beatValid, () => before.set(beatData.bits(width - tail, tail)));
  io.beat.set({ en: beatValid, context: work.context, index: beatIndex, data: beatData });

  return { beatValid, beatLast, beatIndex, beatData, window };
}
type Beat = ReturnType<typeof beatOf>;

/** The words of the node that count, as they pass. */
function wordsOf(p: ChaseParameters, { work }: Reply, { beatValid, beatIndex, beatData, window }: Beat) {
  const lanes = laneBits(p);
  const here = (place: UInt): Bit => beatValid.and(place.bits(lanes, indexBits(p)).eq(beatIndex));
  const key = reg(uint(64)),
    next = reg(uint(64)),
    pointer = reg(uint(64));
  when(here(work.job.keyEnd), () => key.set(wordAt(window, work.job.keyEnd.trunc(lanes))));
  when(here(work.job.pointerEnd), () => pointer.set(wordAt(window, work.job.pointerEnd.trunc(lanes))));
  const nextPlace = cat(work.job.next, constant(0, 3)).zext(placeBits);
  const words = Array.from({ length: p.beatBytes / wordBytes }, (_, i) => beatData.bits(i * 64, 64));
  when(here(nextPlace), () =>
    next.set(words.length === 1 ? (words[0] as UInt<64>) : choose(words, work.job.next.trunc(lanes - 3))),
  );

  return { key, next, pointer };
}

/** The node as a whole, of which the next one's first beat may already have come. */
function judgeNode(
  io: Io,
  p: ChaseParameters,
  { work }: Reply,
  { beatValid, beatLast }: Beat,
  { key, next, pointer }: ReturnType<typeof wordsOf>,
): void {
  const seenValid = reg(bit, { init: 0 });
  const seen = reg(Work(p));
  seenValid.set(beatValid.and(beatLast));
  seen.set(work);
  const lastOne = node(seen.left.eq(1));
  const answers = node(mux(seen.job.useKey, key.eq(seen.job.key), lastOne.or(seen.job.useDepth.not())));

  const stepValid = reg(bit, { init: 0 });
  const stepFound = reg(bit);
  const stepEnds = reg(bit);
  const step = reg(Fetch(p));
  const stepVa = reg(uint(64));
  stepValid.set(seenValid);
  stepFound.set(answers);
  stepEnds.set(mux(answers, seen.job.follows.not(), lastOne.or(next.eq(0))));
  stepVa.set(seen.va);
  step.set({
    context: seen.context,
    value: answers,
    va: mux(answers, pointer, next),
    length: mux(answers, seen.job.valueBytes, seen.job.nodeBytes),
    left: seen.left.sub(1),
  });
  io.found.set({ en: stepValid.and(stepFound), context: step.context, va: stepVa });
  io.fetch.valid.set(stepValid.and(stepEnds.not()));
  io.fetch.payload.set(step);
  io.ended.valid.set(stepValid.and(stepEnds));
  io.ended.payload.set({
    context: step.context,
    status: mux(stepFound, statusBits.OK, statusBits.FAIL),
    streamed: 0,
  });
  assertAlways(
    io.fetch.valid.not().or(io.fetch.ready).and(io.ended.valid.not().or(io.ended.ready)),
    "there is room for what becomes of every node",
  );
}

/**
 * Takes what memory replies. A node's beats are kept (`beat`), and key, next pointer and pointer to the value are
 * picked out of them wherever they lie. Then one of four cases holds. Then one of these follows: the node answers the
 * request (`ended`, `found`), its value is read, or the next node is read (`fetch`). At the end of the list or the
 * depth, the request fails (`ended`, FAIL). The beats of a value pass through to `value`, once its ending was taken
 * (`passing`). A reply with another status than OK ends its request with it.
 *
 * The node that answers: with `useKey` the first with the requested key; else with `useDepth` node number `depth`;
 * else the first.
 *
 * Latency: from a node's last beat to `fetch` or `ended` 3 cycles, from another reply to `passing` 1. Initiation
 * interval: a cycle more than the beats of the node. Full: `fetch` and `ended` must have room for all contexts
 * (asserted), so that replies with nodes are always taken. A value and a failure wait until `passing` fires, and the
 * replies behind them wait too. Reset: no reply under way.
 */
export const ChaseExamine = module(
  "ChaseExamine",
  examinePorts,
  (io, p) => {
    const reply = takeReplies(io, p),
      beat = beatOf(io, p, reply),
      words = wordsOf(p, reply, beat);
    judgeNode(io, p, reply, beat, words);
  },
  { nameOf: p => `ChaseExamine_b${p.beatBytes}_c${p.contexts}_d${p.maxData}` },
);

/** One of a power of two of words. */
function choose(words: readonly UInt<64>[], index: UInt): UInt<64> {
  let left = words;
  for (let k = 0; k < index.width; k++)
    left = Array.from({ length: left.length / 2 }, (_, i) =>
      mux(index.bit(k), left[2 * i + 1] as UInt<64>, left[2 * i] as UInt<64>),
    );
  return left[0] as UInt<64>;
}
