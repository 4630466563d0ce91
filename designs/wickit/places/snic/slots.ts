/** Requests that are worked on, and replies that are kept for clients who ask again. */
import {
  arbiter,
  assertAlways,
  type Bit,
  bit,
  bitsFor,
  cat,
  constant,
  decode,
  fifo,
  mux,
  node,
  ram,
  reg,
  scope,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { WicReply, Word } from "../../rtl/index.ts";
import { mostWords, snicLifeBits, snicTick } from "../../wire/index.ts";
import { Asked, Asker, Outcome, slotBitsOf, type SnicWicParameters } from "./records.ts";

const place = { collision: "undefined", style: "block" } as const;

/** One cycle each `life` units: what was old before it goes then. */
function tickOf(life: UInt): Bit {
  const cycle = reg(uint(Math.log2(snicTick)), { init: 0, name: "cycle_of_tick" }),
    left = reg(uint(snicLifeBits), { init: 0, name: "ticks_left" });
  cycle.set(cycle.add(1));
  when(cycle.all(), () => left.set(mux(left.any(), left.sub(1), life)));
  return node(cycle.all().andNot(left.any()), { name: "life_ends" });
}

/**
 * A slot is free, running, or done: its reply is kept for one to two lives. Besides, a slot may wait for its reply to
 * be sent, and stands in that queue once at most. `take`, `again` and `rename` are the packets' side, of one slot at a
 * time; replies of the engine come by themselves and always find a place.
 */
export function slotTable(
  p: SnicWicParameters,
  io: { readonly reply: StreamIn<typeof WicReply>; readonly replyData: StreamIn<typeof Word>; readonly life: UInt },
) {
  return scope("slots", () => {
    const slot = uint(slotBitsOf(p)),
      flags = (name: string) => reg(uint(p.slots), { init: 0, name });
    const running = flags("running"),
      done = flags("done"),
      old = flags("old"),
      queued = flags("queued"),
      level = reg(uint(bitsFor(p.slots)), { init: 0, name: "level" });
    const askers = ram(Asker, { depth: p.slots, ...place, name: "askers" }),
      // A packet may change numbers while they are read: then the reply has those of before.
      askeds = ram(Asked, { depth: p.slots, ...place, collision: "old", name: "askeds" }),
      outcomes = ram(Outcome, { depth: p.slots, ...place, style: "distributed", name: "outcomes" }),
      words = ram(uint(64), { depth: p.slots * mostWords, ...place, name: "words" });

    // A reply of the engine: its words, then how it ended.
    const open = reg(bit, { init: 0, name: "collects" }),
      reply = reg(io.reply.shape, { name: "collected" }),
      index = reg(uint(4), { name: "collected_words" }),
      at = reply.tag.resize(slotBitsOf(p)),
      all = node(index.eq(reply.words), { name: "all_collected" }),
      finish = node(open.and(all), { name: "finish" });
    io.reply.ready.set(open.not());
    io.replyData.ready.set(open.andNot(all));
    when(io.reply.fire, () => {
      open.set(1);
      index.set(0);
      reply.set(io.reply.payload);
    });
    when(io.replyData.fire, () => index.set(index.add(1)));
    when(finish, () => open.set(0));
    words.write(io.replyData.fire, cat(at, index.trunc(3)), io.replyData.payload);
    outcomes.write(finish, at, { status: reply.status, words: reply.words });

    // Replies that are to be sent.
    const finished = stream(slot, { name: "finished" }),
      again = stream(slot, { name: "asked_again" });
    finished.valid.set(finish);
    finished.payload.set(at);
    const toSend = fifo(arbiter([finished, again], { policy: "priority", name: "to_send" }), p.slots, {
      name: "replies",
      style: "distributed",
    });
    assertAlways(finish.and(finished.ready.not()).not(), "a reply finds its place");

    const tick = tickOf(io.life),
      none = constant(0, p.slots),
      bitAt = (en: Bit, i: UInt): UInt => mux(en, decode(i, p.slots), none);
    const loading = reg(bit, { init: 0, name: "loading" }),
      loadAt = reg(slot, { name: "load_at" });
    return {
      toSend,
      loading,
      loadAt,
      /** Its reply is being read. */
      loads: (i: UInt): Bit => loading.and(loadAt.eq(i)),
      askers,
      askeds,
      outcomes,
      words,
      again,
      /** No slot runs, and no reply waits. */
      idle: node(running.any().or(queued.any()).or(open).not(), { name: "idle" }),
      /** As many run as the engine has contexts. */
      full: node(level.ge(p.engine.contexts), { name: "full" }),
      is: (i: UInt) => {
        const one = decode(i, p.slots);
        return { running: running.and(one).any(), done: done.and(one).any(), queued: queued.and(one).any() };
      },
      /** `take`: the slot begins to run. */
      step: (take: Bit, takeAt: UInt): void => {
        const takes = node(bitAt(take, takeAt), { name: "takes" }),
          ends = node(bitAt(finish, at), { name: "ends" }),
          repeats = node(bitAt(again.fire, again.payload), { name: "repeats" }),
          leaves = node(bitAt(toSend.fire, toSend.payload), { name: "leaves" }),
          expires = node(mux(tick, old.and(queued.not()), none), { name: "expires" });
        running.set(running.or(takes).and(ends.not()));
        // Who is asked for again as its time ends, or just behind that, stays.
        done.set(done.and(expires.not()).and(takes.not()).or(ends).or(repeats));
        old.set(
          old
            .or(mux(tick, done, none))
            .and(ends.not())
            .and(repeats.not()),
        );
        queued.set(queued.and(leaves.not()).or(ends).or(repeats));
        when(toSend.fire, () => {
          loading.set(1);
          loadAt.set(toSend.payload);
        });
        assertAlways(running.and(done).any().not(), "a slot runs or is done");
        assertAlways(queued.and(done.not()).any().not(), "a reply that waits to be sent is kept");
        level.set(level.add(take.zext(level.width)).sub(finish.zext(level.width)));
      },
    };
  });
}
export type Slots = ReturnType<typeof slotTable>;
