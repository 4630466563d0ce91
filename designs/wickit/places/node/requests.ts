import {
  fsm,
  mux,
  node,
  reg,
  scope,
  stream,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcode, opcodeBits, replyCode, statusBits } from "../../../clio/wire/index.ts";
import { type BodyBeat, OffloadReply, OffloadRequest } from "../../../clio/offload/index.ts";
import { beatsToWords, type ProgramWrite, type WicRequest, type Word } from "../../rtl/index.ts";
import { loadProgram, mostWords, wordBytes } from "../../wire/index.ts";
import type { NodeWicParameters } from "./parameters.ts";

interface RequestSide {
  readonly request: StreamIn<ReturnType<typeof OffloadRequest>>;
  readonly requestData: StreamIn<ReturnType<typeof BodyBeat>>;
  readonly toEngine: StreamOut<typeof WicRequest>;
  readonly words: StreamOut<typeof Word>;
  readonly load: StreamOut<typeof ProgramWrite>;
}

/**
 * Requests of the network as requests of the engine: the head's word, then the arguments' words. MALFORMED: another
 * opcode, a body of no head, of more than 8 arguments or of part of a word, and an image from a process that may not
 * load. A word of an image is an instruction (the low 32 bits) and its place (the next 16). Latency 3 cycles from a
 * request to the engine's; initiation interval its words and 4. Full: the engine takes none, and requests wait.
 */
export function wicRequests(p: NodeWicParameters, io: RequestSide): StreamIn<ReturnType<typeof OffloadReply>> {
  return scope("requests", () => {
    const held = reg(OffloadRequest(p), { name: "held" }),
      program = reg(uint(16), { name: "program" }),
      wrong = reg(uint(1), { name: "wrong" }),
      answer = stream(OffloadReply(p), { name: "answer" });
    const r = io.request.payload,
      words = node(held.length.shr(3).sub(1).trunc(4), { name: "words" });
    const begins = node(io.request.fire, { name: "begins" });
    const whole = node(r.length.bits(0, 3).eq(0).and(r.length.any()), { name: "whole" }),
      fits = node(r.length.le((mostWords + 1) * wordBytes), { name: "fits" });
    const wanted = node(r.opcode.eq(opcodeBits.WIC).and(whole).and(fits), { name: "wanted" });
    // The beats of a request that is refused are taken like those of any other, whatever they say.
    const beats = stream(io.requestData.shape, { name: "beats" });
    const taken = beatsToWords(beats, { en: begins.and(wanted), words: r.length.shr(3).trunc(4) }, p.beatBytes);
    const isLoad = node(program.eq(loadProgram), { name: "is_load" }),
      mayLoad = node(p.loader === undefined ? wrong.and(0) : held.pid.eq(p.loader), { name: "may_load" });
    const s = fsm(
      ["idle", "head", "judge", "offer", "words", "load", "skip", "answer"],
      "idle",
      go => ({
        idle: () => {
          held.set(r);
          wrong.set(wanted.not());
          when(io.request.valid, () => {
            go.go("skip");
            when(wanted, () => go.go("head"));
            when(r.length.eq(0), () => go.go("answer"));
          });
        },
        head: () => {
          program.set(taken.words.payload.bits(0, 16));
          when(taken.words.valid, () => go.go("judge"));
        },
        judge: () => {
          go.go("offer");
          when(isLoad, () => {
            go.go("load");
            when(words.eq(0), () => go.go("answer"));
            wrong.set(mayLoad.not());
          });
        },
        offer: () => {
          when(io.toEngine.ready, () => {
            go.go("words");
            when(words.eq(0), () => go.go("idle"));
          });
        },
        words: () => when(taken.ends, () => go.go("idle")),
        load: () => when(taken.ends, () => go.go("answer")),
        skip: () => when(io.requestData.fire.and(io.requestData.payload.last), () => go.go("answer")),
        answer: () => when(answer.ready, () => go.go("idle")),
      }),
      { name: "state" },
    );
    io.request.ready.set(s.is("idle"));
    const skips = s.is("skip");
    beats.valid.set(io.requestData.valid.and(skips.not()));
    beats.payload.set(io.requestData.payload);
    io.requestData.ready.set(skips.or(beats.ready));
    io.toEngine.valid.set(s.is("offer"));
    io.toEngine.payload.set({ tag: held.context.zext(8), program, words });
    io.words.valid.set(s.is("words").and(taken.words.valid));
    io.words.payload.set(taken.words.payload);
    io.load.valid.set(s.is("load").and(taken.words.valid).and(wrong.not()));
    io.load.payload.set({
      address: taken.words.payload.bits(32, 16),
      instruction: taken.words.payload.bits(0, 32),
    });
    const takes: UInt<1> = node(s.is("head").or(s.is("load")).or(s.is("words").and(io.words.ready)), { name: "takes" });
    taken.words.ready.set(takes);
    answer.valid.set(s.is("answer"));
    answer.payload.set({
      context: held.context,
      status: mux(wrong, statusBits.MALFORMED, statusBits.OK),
      opcode: mux(wrong, held.opcode, replyCode(opcode.WIC)),
      length: 0,
      more: 0,
    });
    return answer;
  });
}
