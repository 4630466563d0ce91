import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  type FsmControl,
  instance,
  match,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { accessBody, clioHeader, opcodeBits } from "../../../clio/wire/index.ts";
import { type AxisBeat, HeaderInsert } from "../../../shared/frame/index.ts";
import { contextBits } from "../../config/index.ts";
import { wordsOf } from "../engine/sends.ts";
import { AccessKind, Word } from "../engine/types.ts";
import { wordsToBeats } from "../words/words.ts";
import { addressSum, headerBytes, lengthSum, requestHeader } from "./header.ts";
import type { Slots } from "./slots.ts";
import { type ClientConfig, type ClientParameters, greetingTag } from "./types.ts";

/** A context whose access is to be sent; `again` when it has been sent before. */
export const ToSend = (p: ClientParameters) => struct({ context: uint(contextBits(p)), again: bit });

interface Sending {
  readonly config: Val<typeof ClientConfig>;
  readonly slots: Slots;
  readonly queue: StreamIn<ReturnType<typeof ToSend>>;
  /** The node has answered the greeting. */
  readonly greeted: Bit;
  readonly now: UInt;
  readonly tx: StreamOut<ReturnType<typeof AxisBeat>>;
}

const opcodeOf = (kind: Val<typeof AccessKind>): UInt =>
  match(kind, {
    load: () => opcodeBits.READ,
    store: () => opcodeBits.WRITE,
    tas: () => opcodeBits.ATOMIC_TAS,
    cas: () => opcodeBits.ATOMIC_CAS,
    faa: () => opcodeBits.ATOMIC_FAA,
    put: () => opcodeBits.ATOMIC_STORE,
  });

/** The access that is sent, and how far it is. */
function turnOf(p: ClientParameters) {
  const turn = reg(ToSend(p), { name: "turn" }),
    greets = reg(bit, { init: 1, name: "greets" }),
    started = reg(bit, { init: 0, name: "started" }),
    id = reg(uint(32), { name: "id" }),
    greeting = reg(uint(24), { name: "greeting_due" }),
    ask = reg(struct({ kind: AccessKind, va: uint(64), words: uint(4), sends: uint(4) }), { name: "ask" }),
    before = reg(struct({ first: uint(32), tries: uint(8) }), { name: "before" }),
    size = reg(uint(16), { name: "size" }),
    sum = reg(uint(17), { name: "sum" }),
    index = reg(uint(4), { name: "index" });
  return { turn, greets, started, id, greeting, ask, before, size, sum, index };
}
type Turn = ReturnType<typeof turnOf>;
type Control = FsmControl<"idle" | "load" | "size" | "sum" | "head" | "words">;

/** The next access, or a greeting. */
function takeStep(io: Sending, { turn, greets, started, id, index }: Turn, expired: Bit, go: Control) {
  return {
    idle: () => {
      turn.set(io.queue.payload);
      index.set(0);
      when(io.config.on, () => {
        when(started.not(), () => {
          started.set(1);
          id.set(io.config.firstId);
          go.go("load");
        })
          .elseWhen(io.greeted, () => {
            greets.set(0);
            when(io.queue.valid.and(greets.not()), () => go.go("load"));
          })
          .elseWhen(expired, () => go.go("load"));
      });
    },
  };
}

/** The request's header, for which its length and checksum are worked out. */
function headerOf(io: Sending, { turn, greets, id, ask, size, sum }: Turn, first: UInt): UInt {
  return requestHeader(
    io.config,
    {
      size,
      tag: mux(greets, constant(greetingTag, 8), turn.context.zext(8)),
      opcode: mux(greets, opcodeBits.FENCE, opcodeOf(ask.kind)),
      id,
      repeats: turn.again.and(greets.not()),
      first,
      va: ask.va,
      length: ask.words.zext(32).shl(3),
    },
    sum,
  );
}

/**
 * Sends accesses as Clio requests: first a FENCE until it is answered, which makes the client known to the node's retry
 * buffer, then whatever the queue names. Each frame has a number of its own; a repetition names the first. Latency 4
 * cycles from the queue to the header, 2 to the frame; interval 5 cycles and the words, or the frame's beats.
 */
export function sendRequests(p: ClientParameters, io: Sending) {
  return scope("sender", () => {
    const own = turnOf(p),
      { turn, greets, started, id, greeting, ask, before, size, sum, index } = own;
    const addresses = addressSum(io.config),
      insert = instance("request_header", HeaderInsert({ beatBytes: p.beatBytes, headerBytes })),
      words = stream(Word, { name: "words" });
    const kept = io.slots.asks.readAsync(turn.context),
      sent = io.slots.sent.readAsync(turn.context);
    const sends = wordsOf({ ...kept, context: turn.context, tag: constant(0, 8) });
    const expired = node(greeting.eq(io.now), { name: "greeting_expired" });
    const data = wordsToBeats(words, { en: insert.head.fire.and(greets.not()), words: ask.sends }, p.beatBytes);

    const s = fsm(
      ["idle", "load", "size", "sum", "head", "words"],
      "idle",
      go => ({
        ...takeStep(io, own, expired, go),
        load: () => {
          ask.set({ kind: kept.kind, va: kept.va, words: kept.words, sends });
          before.set({ first: sent.first, tries: sent.tries });
          go.go("size");
        },
        size: () => {
          const body = accessBody.bytes + clioHeader.bytes;
          size.set(mux(greets, constant(clioHeader.bytes, 16), ask.sends.zext(16).shl(3).add(body)));
          go.go("sum");
        },
        sum: () => {
          sum.set(lengthSum(addresses, size).is(17));
          go.go("head");
        },
        head: () => {
          when(insert.head.fire, () => {
            id.set(id.add(1));
            greeting.set(io.now.add(io.config.timeout));
            go.go("words");
            when(greets.or(ask.sends.eq(0)), () => go.go("idle"));
          });
        },
        words: () => {
          when(words.fire, () => {
            index.set(index.add(1));
            when(index.add(1).eq(ask.sends), () => go.go("idle"));
          });
        },
      }),
      { name: "state" },
    );
    io.queue.ready.set(s.is("idle").and(io.config.on).and(started).and(io.greeted).and(greets.not()));
    words.valid.set(s.is("words"));
    words.payload.set(io.slots.words.readAsync(cat(turn.context, index.trunc(3))));
    const first = node(mux(turn.again, before.first, id), { name: "first" });
    insert.head.valid.set(s.is("head").and(data.busy.not()));
    const header = headerOf(io, own, first);
    insert.head.payload.set({ header, length: mux(greets, constant(0, 14), ask.sends.zext(14).shl(3)) });
    insert.data.valid.set(data.beats.valid);
    insert.data.payload.set(data.beats.payload);
    data.beats.ready.set(insert.data.ready);
    io.tx.valid.set(insert.frame.valid);
    io.tx.payload.set(insert.frame.payload);
    insert.frame.ready.set(io.tx.ready);

    const goes = node(insert.head.fire.and(greets.not()), { name: "goes" });
    return {
      goes,
      context: turn.context,
      again: node(goes.and(turn.again), { name: "repeats" }),
      record: {
        first,
        newest: id,
        tries: node(mux(turn.again, before.tries, constant(0, 8)).add(1), { name: "tries" }),
        due: node(io.now.add(io.config.timeout), { name: "due" }).is(24),
      },
    };
  });
}
