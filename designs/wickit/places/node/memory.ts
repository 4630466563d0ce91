import {
  fsm,
  match,
  mux,
  node,
  reg,
  scope,
  type StreamIn,
  type StreamOut,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits, statusBits } from "../../../clio/wire/index.ts";
import { type BodyBeat, bodyLengthBits, type MemoryReply, type MemoryRequest } from "../../../clio/offload/index.ts";
import { contextBits } from "../../config/index.ts";
import { beatsToWords, type MemoryAnswer, type MemoryAsk, type Word, wordsOf, wordsToBeats } from "../../rtl/index.ts";
import type { NodeWicParameters } from "./parameters.ts";

interface MemorySide {
  readonly ask: StreamIn<ReturnType<typeof MemoryAsk>>;
  readonly askData: StreamIn<typeof Word>;
  readonly answer: StreamOut<ReturnType<typeof MemoryAnswer>>;
  readonly answerData: StreamOut<typeof Word>;
  readonly memory: StreamOut<ReturnType<typeof MemoryRequest>>;
  readonly memoryData: StreamOut<ReturnType<typeof BodyBeat>>;
  readonly memoryReply: StreamIn<typeof MemoryReply>;
  readonly memoryReplyData: StreamIn<ReturnType<typeof BodyBeat>>;
}

/** Accesses of the engine as requests to the node's virtual memory. Latency 0; the next waits for this one's beats. */
export function memoryRequests(p: NodeWicParameters, io: MemorySide): void {
  scope("to_memory", () => {
    const { kind, words, tag, context, va } = io.ask.payload;
    const sends = wordsOf(io.ask.payload);
    const packed = wordsToBeats(io.askData, { en: io.memory.fire, words: sends }, p.beatBytes);
    io.memory.valid.set(io.ask.valid.and(packed.busy.not()));
    io.ask.ready.set(io.memory.ready.and(packed.busy.not()));
    io.memory.payload.set({
      tag: context.zext(8),
      opcode: match(kind, {
        load: () => opcodeBits.READ,
        store: () => opcodeBits.WRITE,
        tas: () => opcodeBits.ATOMIC_TAS,
        cas: () => opcodeBits.ATOMIC_CAS,
        faa: () => opcodeBits.ATOMIC_FAA,
        put: () => opcodeBits.ATOMIC_STORE,
      }),
      client: p.space === "client" ? 1 : 0,
      context: tag.trunc(Math.log2(p.contexts)),
      va,
      length: bytes(words, 32),
      data: bytes(sends, bodyLengthBits),
    });
    io.memoryData.valid.set(packed.beats.valid);
    io.memoryData.payload.set(packed.beats.payload);
    packed.beats.ready.set(io.memoryData.ready);
  });
}
const bytes = (words: UInt, width: number): UInt => words.zext(width).shl(3);

/**
 * Answers of memory as the engine's. An error's data, if any came, are taken and dropped. They wait for the engine's
 * register writes alone (rule 2 of docs/clio/offloads.md). Latency 1 cycle; initiation interval the words and 2.
 */
export function memoryAnswers(p: NodeWicParameters, io: MemorySide): void {
  scope("from_memory", () => {
    const held = reg(io.memoryReply.shape, { name: "held" }),
      ok = node(held.status.eq(statusBits.OK), { name: "ok" }),
      count = node(held.data.shr(3).trunc(4), { name: "count" });
    const offered = node(io.answer.fire, { name: "offered" });
    const taken = beatsToWords(io.memoryReplyData, { en: offered, words: count }, p.beatBytes);
    const s = fsm(
      ["idle", "offer", "words"],
      "idle",
      go => ({
        idle: () => {
          held.set(io.memoryReply.payload);
          when(io.memoryReply.valid, () => go.go("offer"));
        },
        offer: () => {
          when(io.answer.ready, () => {
            go.go("words");
            when(count.eq(0), () => go.go("idle"));
          });
        },
        words: () => when(taken.ends, () => go.go("idle")),
      }),
      { name: "state" },
    );
    io.memoryReply.ready.set(s.is("idle"));
    io.answer.valid.set(s.is("offer"));
    io.answer.payload.set({
      context: held.tag.resize(contextBits(p.engine)),
      status: held.status,
      words: mux(ok, count, count.sub(count)),
    });
    io.answerData.valid.set(taken.words.valid.and(ok));
    io.answerData.payload.set(taken.words.payload);
    taken.words.ready.set(io.answerData.ready.or(ok.not()));
  });
}
