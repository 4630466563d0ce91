import {
  bit,
  connect,
  input,
  instance,
  module,
  output,
  sink,
  source,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../../shared/hash/index.ts";
import { reduced, type RetryBufferParameters, RetryRequest, whole } from "./retry-request.ts";
import { RetryAnswer, RetryDone, RetryResults } from "./retry-results.ts";
import { RetryVerdict } from "./retry-verdict.ts";
import { Access, waitBits } from "../records/records.ts";
import { slotBits } from "../../../shared/frame/index.ts";

export { RetryRequest, type RetryBufferParameters } from "./retry-request.ts";

/** One-cycle pulses for the counters. */
export const retryEvents = [
  "retriesAnswered",
  "retriesBusy",
  "retriesExpired",
  "retryEvictions",
  "retryClientsReplaced",
] as const;

/**
 * Retry buffer (paper §4.4.5, T4; ../model/rules.md, section 7): it remembers which operations have been passed on. So
 * none is done twice, however often it is repeated, and a repetition is answered with the result of the first.
 *
 * A request that is not tracked, or not kept, passes. A tracked and kept operation passes when it is not known and is
 * newer than all forgotten ones of its client. The operation is then remembered, in its set in place of another
 * (retry-turn.ts).
 * Known: `answer`, replayed or busy (still under way). Neither: `answer` expired. So forgetting never leads to a second
 * execution. An unknown client is made known by a request that `introduces`; operations before that request count as
 * forgotten. When no place is free, such a request is answered busy, if it is kept or a fence. The client silent for
 * longest is then forgotten, if it has been silent for longer than 3 x TIMEOUT. So a later try succeeds, after a sweep
 * of 16 x sets cycles at most. `wait_ns` says how long, for all who are refused so.
 *
 * Latency: 3 cycles from `request` to `pass` or `fence`, 5 to `answer`; initiation interval 1, whatever is found (an
 * introduction takes a cycle more). `pass` and `fence` keep the order of the requests. Full: there is always room for
 * answers; when `pass` or `fence` stalls, what comes behind waits. Memory lost by `reset`: no client is known; the
 * memories are cleared in `sets` cycles, for which tracked requests wait.
 *
 * A request that passed with `keeps` must get `done` once, after it passed and before its slot is used again: however
 * late, also when its client has been forgotten. Other requests may get it; only the number for `word` is then kept.
 * Serial numbers: a client's numbers in flight lie within an eighth of a round (2^29). No frame lives for longer than
 * 3 x TIMEOUT of its client's silence.
 */
export const RetryBuffer = module(
  "RetryBuffer",
  (p: RetryBufferParameters) => ({
    request: sink(RetryRequest(p)),
    /** Random, once after each reset, before the first tracked request; later values do not count. */
    hashKey: input(uint(hashKeyBits)),
    pass: source(Access(p)),
    fence: source(struct({ slot: uint(slotBits(p)) })),
    answer: source(RetryAnswer(p)),
    done: input(RetryDone(whole(p))),
    wordSlot: input(uint(slotBits(p))),
    word: output(uint(whole(p).wordBits)),
    /** Nanoseconds after which a client that finds no place (`answer` of kind `full`) had better ask again. */
    waitNs: output(uint(waitBits)),
    events: output(
      struct(Object.fromEntries(retryEvents.map(n => [n, bit])) as Record<(typeof retryEvents)[number], typeof bit>),
    ),
  }),
  (io, given) => {
    const p = whole(given);
    const verdict = instance("verdict", RetryVerdict(given));
    const results = instance("results", RetryResults({ slots: p.slots, entries: p.entries, wordBits: p.wordBits }));
    connect(io.request, verdict.request);
    verdict.hashKey.set(io.hashKey);
    connect(verdict.pass, io.pass);
    connect(verdict.fence, io.fence);
    results.finding.set(verdict.finding);
    results.done.set(io.done);
    results.wordSlot.set(io.wordSlot);
    io.word.set(results.word);
    io.waitNs.set(verdict.waitNs);
    connect(results.answer, io.answer);
    io.events.set({
      retriesAnswered: results.events.answered,
      retriesBusy: results.events.busy,
      retriesExpired: results.events.expired,
      retryEvictions: verdict.evicted,
      retryClientsReplaced: verdict.replaced,
    });
  },
  { nameOf: p => `RetryBuffer_e${p.entries}_c${p.clients}_n${p.slots}_t${p.timeoutCycles}${reduced(p)}` },
);
