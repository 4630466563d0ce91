import {
  arbiter,
  bit,
  cat,
  constant,
  fifo,
  fsm,
  input,
  module,
  mux,
  node,
  output,
  reg,
  scope,
  sink,
  source,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { contextBits } from "../../config/index.ts";
import { wordsOf } from "../engine/sends.ts";
import { MemoryAnswer, MemoryAsk, Word } from "../engine/types.ts";
import { receiveReplies } from "./receiver.ts";
import { sendRequests, ToSend } from "./sender.ts";
import { accessSlots, type Slots } from "./slots.ts";
import { ClientConfig, ClientEvents, type ClientParameters } from "./types.ts";

/**
 * Takes an access of the engine: what is asked and its words, then its context is to be sent. Latency 1 and the
 * words.
 */
function takeAccesses(
  p: ClientParameters,
  slots: Slots,
  ask: StreamIn<ReturnType<typeof MemoryAsk>>,
  data: StreamIn<typeof Word>,
) {
  return scope("accesses", () => {
    const context = reg(uint(contextBits(p)), { name: "context" }),
      left = reg(uint(4), { name: "left" }),
      index = reg(uint(3), { name: "index" }),
      out = stream(ToSend(p), { name: "new_ones" });
    const s = fsm(
      ["idle", "words", "queue"],
      "idle",
      go => ({
        idle: () => {
          context.set(ask.payload.context);
          left.set(wordsOf(ask.payload).is(4));
          index.set(0);
          when(ask.valid, () => {
            go.go("words");
            when(wordsOf(ask.payload).eq(0), () => go.go("queue"));
          });
        },
        words: () => {
          when(data.valid, () => {
            index.set(index.add(1));
            left.set(left.sub(1));
            when(left.eq(1), () => go.go("queue"));
          });
        },
        queue: () => when(out.ready, () => go.go("idle")),
      }),
      { name: "state" },
    );
    ask.ready.set(s.is("idle"));
    data.ready.set(s.is("words"));
    const { kind, va, words } = ask.payload;
    slots.asks.write(ask.fire, ask.payload.context, { kind, va, words });
    slots.words.write(data.fire, cat(context, index), data.payload);
    out.valid.set(s.is("queue"));
    out.payload.set({ context, again: 0 });
    return out;
  });
}

/**
 * Looks at one context after another whether its time is over: then it is sent again, or its access ends with EXPIRED,
 * since nobody knows whether it was done. A context is looked at every `contexts` cycles or so, so a repetition is up
 * to that much late. Waits while the receiver decides, so that only one of them ends a wait.
 */
function watchTimes(
  p: ClientParameters,
  slots: Slots,
  o: { readonly now: UInt; readonly open: UInt<1>; readonly tries: UInt },
) {
  return scope("watch", () => {
    const at = reg(uint(contextBits(p)), { init: 0, name: "at" }),
      over = reg(bit, { init: 0, name: "over" }),
      last = reg(bit, { name: "last" }),
      again = stream(ToSend(p), { name: "again" }),
      expired = stream(MemoryAnswer(p), { name: "expired" });
    const sent = slots.sent.readAsync(at);
    // Up to half a round of the clock late counts as late.
    const late = node(o.now.sub(sent.due).bit(23).not(), { name: "late" }),
      waits = slots.isWaiting(at);
    const s = fsm(
      ["look", "decide", "again", "expire"],
      "look",
      go => ({
        look: () => {
          over.set(late.and(waits));
          last.set(sent.tries.ge(o.tries));
          go.go("decide");
        },
        decide: () => {
          // The receiver may have ended the wait since.
          when(over.and(waits).and(o.open), () => {
            go.go("again");
            when(last, () => go.go("expire"));
          }).elseWhen(over.and(waits).not(), () => {
            at.set(p.contexts === 1 ? constant(0, 1) : at.add(1));
            go.go("look");
          });
        },
        again: () => when(again.ready, () => go.go("look")),
        expire: () => when(expired.ready, () => go.go("look")),
      }),
      { name: "state" },
    );
    again.valid.set(s.is("again"));
    again.payload.set({ context: at, again: 1 });
    expired.valid.set(s.is("expire"));
    expired.payload.set({ context: at, status: statusBits.EXPIRED, words: 0 });
    return { again, expired, ends: node(s.is("decide").and(over).and(waits).and(o.open), { name: "ends" }), at };
  });
}

/**
 * The engine's memory port as a client of a Clio node (docs/clio/wire-format.md): READ, WRITE and the atomics as frames
 * on `tx`, the replies on `rx`. A request without a reply for `timeout` cycles, or one answered NACK or BUSY, is sent
 * again under a number of its own, and names the first: so the node does no write or atomic twice. After `tries` the
 * access ends with EXPIRED. Any other status is the access's. A FENCE comes first, and nothing else before its reply.
 *
 * Latency: 8 cycles and the words that are sent from `memory` to the frame's first beat, 5 from a reply's last beat to
 * `memory_reply` (6 when its last data come behind it). Initiation interval: 5 cycles and the words, or the frame's
 * beats. Bounds: one access for each context. Full: `memory` waits while the sender is behind; frames wait for
 * `memory_reply`. Reset: nothing under way, and the node is greeted anew.
 */
export const ClioRequester = module(
  "ClioRequester",
  (p: ClientParameters) => ({
    config: input(ClientConfig),
    memory: sink(MemoryAsk(p)),
    memoryData: sink(Word),
    memoryReply: source(MemoryAnswer(p)),
    memoryReplyData: source(Word),
    tx: source(AxisBeat(p.beatBytes)),
    rx: sink(AxisBeat(p.beatBytes)),
    events: output(ClientEvents),
    /** The node has answered the greeting. */
    greeted: output(bit),
  }),
  (io, p) => {
    const slots = accessSlots(p),
      now = reg(uint(24), { init: 0, name: "now" }),
      greeted = reg(bit, { init: 0, name: "has_greeted" });
    now.set(now.add(1));
    const fresh = takeAccesses(p, slots, io.memory, io.memoryData),
      answers = stream(MemoryAnswer(p), { name: "answers" });
    const receiver = receiveReplies(p, {
      config: io.config,
      slots,
      rx: io.rx,
      answer: answers,
      answerData: io.memoryReplyData,
    });
    const watch = watchTimes(p, slots, { now, open: receiver.settled, tries: io.config.tries });
    // A NACK names a context once; its place in the queue is free, since it waits for an answer.
    const refused = stream(ToSend(p), { name: "refused" });
    refused.valid.set(receiver.again);
    refused.payload.set({ context: receiver.context, again: 1 });
    const queue = fifo(arbiter([refused, watch.again, fresh], { policy: "priority", name: "to_send" }), p.contexts, {
      style: "distributed",
    });
    const sender = sendRequests(p, { config: io.config, slots, queue, greeted, now, tx: io.tx });
    slots.sent.write(sender.goes, sender.context, sender.record);
    slots.change(
      sender.goes,
      sender.context,
      receiver.ended.or(watch.ends),
      mux(receiver.ended, receiver.context, watch.at),
    );
    when(receiver.greets, () => greeted.set(1));

    // Expired accesses have no words, so they may stand between an answer and its words only if nobody else's follow.
    const merged = arbiter([answers, watch.expired], { policy: "priority", name: "merged" });
    io.memoryReply.valid.set(merged.valid);
    io.memoryReply.payload.set(merged.payload);
    merged.ready.set(io.memoryReply.ready);
    io.greeted.set(greeted);
    io.events.set({
      sent: sender.goes,
      repeated: sender.again,
      stray: receiver.stray,
      expired: node(watch.expired.fire),
    });
  },
  { nameOf: p => `ClioRequester_b${p.beatBytes}_c${p.contexts}` },
);
