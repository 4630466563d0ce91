import {
  assertAlways,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  decode,
  enumOf,
  Fifo,
  input,
  instance,
  match,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  source,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../wire/index.ts";
import { slotBits } from "../../../shared/frame/index.ts";

export interface RetryResultsParameters {
  readonly slots: number;
  /** Operations remembered: places of results. */
  readonly entries: number;
  readonly wordBits: number;
}

/** Why a request is answered and not done. */
export const AnswerKind = enumOf("AnswerKind", [
  /** Done before: the status of then, and an atomic's number at `word`. */
  "replayed",
  /** Still under way. */
  "busy",
  /** It is no longer known whether the operation was done. */
  "expired",
  /** No place for its client: busy, and for how long is known. */
  "full",
  /** It is its client's turn to give up its place: the operation was not done and never will be. */
  "yields",
]);
/** What the pipeline finds out about a request. Who is `entered` passes; the others are answered. */
export const FindingKind = enumOf("FindingKind", ["found", "busy", "expired", "entered", "yields"]);

interface Places {
  readonly slots: number;
  readonly entries: number;
}
/**
 * Finding about the request in `slot`; `entry` is its operation's, put there by the
 * request in `entrySlot`. Of who is `entered`, it is the entry that the request puts there.
 */
export const RetryFinding = (p: Places) =>
  struct({
    valid: bit,
    kind: FindingKind,
    slot: uint(slotBits(p)),
    entry: uint(Math.log2(p.entries)),
    entrySlot: uint(slotBits(p)),
    silent: bit,
    replyOpcode: uint(8),
  });
export const RetryAnswer = (p: { readonly slots: number }) =>
  struct({ slot: uint(slotBits(p)), kind: AnswerKind, status: uint(4), silent: bit, replyOpcode: uint(8) });
/** An operation that was passed on has been done (or failed): its status, and what an atomic found. */
export const RetryDone = (p: { readonly slots: number; readonly wordBits: number }) =>
  struct({ valid: bit, slot: uint(slotBits(p)), status: uint(4), word: uint(p.wordBits) });

/**
 * Results of the operations that the retry buffer remembers, by place in the buffer, and which of them
 * are still awaited.
 *
 * `finding`, `entered`: the operation at `entry` is done by the request in `slot`; from the next cycle on its `done`
 * is awaited. The operation that stood at `entry` before (of `entrySlot`) has been pushed out. A `done` of that
 * operation that is still to come is ignored.
 * `found`: the request in `slot` repeats the operation at `entry`, put there by the request in `entrySlot`. The answer
 * is BUSY while the `done` of `entrySlot` is awaited, and the result otherwise.
 *
 * Latency from `finding` to `answer` 2 cycles, from `done` to being known as done 1; one of each per cycle. There is
 * always room for answers, since each stands for a slot. `word` is the number for the reply of `word_slot`, in the same
 * cycle: its own `done`'s, or the remembered one. Reset: nothing is awaited, no answers.
 */
export const RetryResults = module(
  "RetryResults",
  (p: RetryResultsParameters) => {
    const slot = uint(slotBits(p));
    return {
      finding: input(RetryFinding(p)),
      done: input(RetryDone(p)),
      answer: source(RetryAnswer(p)),
      wordSlot: input(slot),
      word: output(uint(p.wordBits)),
      events: output(struct({ answered: bit, busy: bit, expired: bit })),
    };
  },
  (io, p) => {
    const none = constant(0, p.slots);
    const mark = (valid: Bit, slot: UInt): UInt => mux(valid, decode(slot, p.slots), none);
    const entryOf = ram(uint(Math.log2(p.entries)), { depth: p.slots, collision: "undefined", style: "distributed" });
    const awaited = reg(uint(p.slots), { init: 0 });

    // Who is entered is told here, a cycle after its verdict: that is late. Its own finding asks nothing about it, the
    // next one comes behind, and `done` does not come before the request has passed.
    const f = io.finding;
    const starts = node(f.valid.and(f.kind.eq(FindingKind.entered)));
    entryOf.write(starts, f.slot, f.entry);

    // Whether the request that put the entry there is still doing it.
    const underWay = node(awaited.shr(f.entrySlot).bit(0).and(entryOf.readAsync(f.entrySlot).eq(f.entry)));
    const own = f.entrySlot.eq(f.slot);
    const orphaned = node(starts.and(underWay).and(own.not()));
    const finished = node(io.done.valid.and(awaited.shr(io.done.slot).bit(0)));
    awaited.set(
      awaited.and(mark(io.done.valid, io.done.slot).or(mark(orphaned, f.entrySlot)).not()).or(mark(starts, f.slot)),
    );

    const results = ram(struct({ status: uint(4), word: uint(p.wordBits) }), {
      depth: p.entries,
      collision: "undefined",
      style: "block",
    });
    // A signal of its own: Yosys makes registers of a memory that is read to address another.
    const doneEntry = node(entryOf.readAsync(io.done.slot));
    results.write(finished, doneEntry, { status: io.done.status, word: io.done.word });
    const result = results.readSync(f.entry);

    // The answer, one cycle later with the result.
    const kind = node(
      match(f.kind, {
        found: () => mux(underWay, AnswerKind.busy, AnswerKind.replayed),
        busy: () => AnswerKind.full,
        yields: () => AnswerKind.yields,
        otherwise: () => AnswerKind.expired,
      }),
    );
    const asks = reg(
      struct({ valid: bit, slot: uint(slotBits(p)), kind: AnswerKind, silent: bit, replyOpcode: uint(8) }),
      { init: 0, resets: ["valid"] },
    );
    asks.set({
      valid: f.valid.and(f.kind.ne(FindingKind.entered)),
      slot: f.slot,
      kind,
      silent: f.silent,
      replyOpcode: f.replyOpcode,
    });
    const replays = node(asks.valid.and(asks.kind.eq(AnswerKind.replayed)));
    const answers = instance("answers", Fifo({ shape: RetryAnswer(p), depth: p.slots, style: "distributed" }));
    answers.push.valid.set(asks.valid);
    answers.push.payload.set({
      slot: asks.slot,
      kind: asks.kind,
      silent: asks.silent,
      replyOpcode: asks.replyOpcode,
      status: match(asks.kind, {
        replayed: () => result.status,
        busy: () => statusBits.BUSY,
        full: () => statusBits.BUSY,
        yields: () => statusBits.YIELD,
        expired: () => statusBits.EXPIRED,
      }),
    });
    connect(answers.pop, io.answer);

    // Two sides give a slot its number, so each has a memory.
    const word = uint(p.wordBits);
    const foundWords = ram(word, { depth: p.slots, collision: "undefined", style: "distributed" });
    const rememberedWords = ram(word, { depth: p.slots, collision: "undefined", style: "distributed" });
    foundWords.write(io.done.valid, io.done.slot, io.done.word);
    rememberedWords.write(replays, asks.slot, result.word);
    // Choice between the two memories: the bits differ when the remembered word was written last. Neither side needs
    // the other's port for that. The turn bits begin with a known value: a memory read at two places is two memories,
    // which need not begin alike.
    const turns = {
      depth: p.slots,
      collision: "undefined",
      style: "distributed",
      init: Array.from({ length: p.slots }, () => 0),
    } as const;
    const foundTurn = ram(bit, turns),
      rememberedTurn = ram(bit, turns);
    foundTurn.write(io.done.valid, io.done.slot, rememberedTurn.readAsync(io.done.slot));
    rememberedTurn.write(replays, asks.slot, foundTurn.readAsync(asks.slot).not());
    const remembered = foundTurn.readAsync(io.wordSlot).xor(rememberedTurn.readAsync(io.wordSlot));
    io.word.set(mux(remembered, rememberedWords.readAsync(io.wordSlot), foundWords.readAsync(io.wordSlot)));

    io.events.set({
      answered: replays,
      busy: asks.valid.andNot(asks.kind.eq(AnswerKind.replayed).or(asks.kind.eq(AnswerKind.expired))),
      expired: asks.valid.and(asks.kind.eq(AnswerKind.expired)),
    });
    assertAlways(asks.valid.not().or(answers.push.ready), "there is an answer for each slot at most");
    assertAlways(starts.and(awaited.shr(f.slot).bit(0)).not(), "a slot does one operation at a time");
    assertAlways(
      cat(io.done.valid, starts).all().and(io.done.slot.eq(f.slot)).not(),
      "a request is done after it passed",
    );
    assertAlways(
      cat(io.done.valid, replays).all().and(io.done.slot.eq(asks.slot)).not(),
      "a request is done or answered, not both",
    );
  },
  { nameOf: p => `RetryResults_e${p.entries}_n${p.slots}_w${p.wordBits}` },
);
