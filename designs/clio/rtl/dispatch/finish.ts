import {
  bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { RetryDone } from "../retry/retry-results.ts";
import { wordBits } from "../sync/sync-ops.ts";
import { Ending, Reply, replyWord } from "../records/records.ts";
import { Release, slotBits } from "../../../shared/frame/index.ts";

/**
 * The one place that every request passes when it ends. A reply goes on to net_tx; a request without one gives its slot
 * back. The retry buffer gets a `done` for each request that memory had. `word` is what the sync unit has left for the
 * slot `word_slot`, in the same cycle. For a request that found no word, `done` carries 0. The sync unit's word of that
 * slot belongs to the request that had the slot before, perhaps of another process.
 *
 * Latency: 0 from `ending` to `reply`, 1 to `done` and `release`. So an operation is known as done before its slot is
 * reused and before its reply has left. Initiation interval 1; one without a reply is taken at once, one with a reply
 * when `reply` takes it.
 */
export const Finish = module(
  "Finish",
  (p: { readonly slots: number }) => ({
    ending: sink(Ending(p)),
    reply: source(Reply(p)),
    release: output(Release(p)),
    wordSlot: output(uint(slotBits(p))),
    word: input(uint(wordBits)),
    done: output(RetryDone({ ...p, wordBits })),
  }),
  (io, p) => {
    const e = io.ending.payload;
    io.reply.valid.set(io.ending.valid.and(e.silent.not()));
    io.reply.payload.set({ slot: e.slot, form: e.form, word: e.word, opcode: e.opcode, status: e.status });
    io.ending.ready.set(node(e.silent.or(io.reply.ready), { name: "reply_room" }));

    const toldValid = reg(bit, { init: 0 });
    const told = reg(struct({ silent: bit, done: bit, found: bit, slot: uint(slotBits(p)), status: uint(4) }));
    toldValid.set(io.ending.fire);
    told.set({ silent: e.silent, done: e.done, found: e.word.ne(replyWord.none), slot: e.slot, status: e.status });
    io.wordSlot.set(told.slot);
    io.done.set({
      valid: toldValid.and(told.done),
      slot: told.slot,
      status: told.status,
      word: mux(told.found, io.word, constant(0, wordBits)),
    });
    io.release.set({ valid: toldValid.and(told.silent), slot: told.slot });
  },
);
