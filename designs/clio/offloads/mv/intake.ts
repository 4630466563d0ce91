import {
  type Bit,
  bit,
  bitsFor,
  constant,
  fsm,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  struct,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { mvBody, mvCreateBody, opcodeBits, type OpcodeName } from "../../wire/index.ts";
import { BodyBeat, bodyLengthBits, OffloadRequest } from "../../offload/index.ts";
import { Asked, bodyBeats, contextBits, headBytes, kind, kindBits, type MultiVersionParameters } from "./types.ts";

/** A beat of a request's body: always taken. */
export const BodyWrite = (p: MultiVersionParameters) =>
  struct({
    en: bit,
    context: uint(contextBits(p)),
    beat: uint(Math.log2(bodyBeats(p))),
    data: uint(p.beatBytes * 8),
  });
const kinds = [
  ["MV_CREATE", kind.create],
  ["MV_APPEND", kind.append],
  ["MV_READ", kind.read],
  ["MV_READ_LATEST", kind.latest],
  ["MV_DELETE", kind.remove],
] as const;

/**
 * Takes requests, their bodies into the buffers of their contexts. MALFORMED are another opcode, and a body of another
 * length than 8 bytes (of an append: 9 to 8 + `maxData`). So is a create of values of no bytes or more than `maxData`.
 * The word that stands unused in a create, append or delete, and in a read of the latest version, means nothing.
 *
 * Latency from `request` to `asked`: 1 cycle and its beats. Initiation interval: 2 cycles and its beats. Full: one
 * request at a time. Reset drops the request.
 */
export const MvIntake = module(
  "MvIntake",
  (p: MultiVersionParameters) => ({
    request: sink(OffloadRequest(p)),
    requestData: sink(BodyBeat(p)),
    asked: source(Asked(p)),
    written: output(BodyWrite(p)),
  }),
  (io, p) => {
    const head = reg(uint(headBytes * 8));
    const request = reg(OffloadRequest(p));
    const beat = reg(uint(bitsFor(bodyBeats(p))));
    const taken = node(io.requestData.fire);
    const s = fsm(["idle", "body", "offer"], "idle", go => ({
      idle: () => {
        request.set(io.request.payload);
        beat.set(0);
        when(io.request.valid, () => {
          go.go("body");
          when(io.request.payload.length.eq(0), () => go.go("offer"));
        });
      },
      body: () => {
        when(taken, () => {
          when(beat.eq(0), () => head.set(io.requestData.payload.data.trunc(headBytes * 8)));
          beat.set(mux(beat.eq(bodyBeats(p)), beat, beat.add(1)));
          when(io.requestData.payload.last, () => go.go("offer"));
        });
      },
      offer: () => when(io.asked.ready, () => go.go("idle")),
    }));
    io.request.ready.set(s.is("idle"));
    io.requestData.ready.set(s.is("body"));
    const beatBits = Math.log2(bodyBeats(p));
    io.written.set({
      en: taken.and(beat.ne(bodyBeats(p))),
      context: request.context,
      beat: beat.trunc(beatBits),
      data: io.requestData.payload.data,
    });

    const object = head.bits(8 * mvBody.at.object.byteOffset, 32),
      version = head.bits(8 * mvBody.at.version.byteOffset, 32);
    const is = (name: OpcodeName): Bit => request.opcode.eq(opcodeBits[name]);
    const known = node(kinds.map(([code]) => is(code)).reduce((a, b) => a.or(b)));
    const lengthIs = node(request.length.eq(headBytes)),
      valueBytes = head.bits(8 * mvCreateBody.at.valueBytes.byteOffset, 32);
    const valueFits = node(request.length.gt(headBytes).and(request.length.le(headBytes + p.maxData)));
    const sizeFits = node(valueBytes.any().and(valueBytes.le(p.maxData)));
    const wellFormed = node(mux(is("MV_APPEND"), valueFits, lengthIs.and(is("MV_CREATE").not().or(sizeFits))));
    const code = kinds.reduce<UInt>(
      (k, [c, value]) => mux(is(c), constant(value, kindBits), k),
      constant(kind.remove, kindBits),
    );
    io.asked.valid.set(s.is("offer"));
    io.asked.payload.set({
      context: request.context,
      opcode: request.opcode,
      kind: code,
      malformed: known.and(wellFormed).not(),
      object,
      version,
      length: request.length.trunc(bodyLengthBits),
    });
  },
  { nameOf: p => `MvIntake_b${p.beatBytes}_c${p.contexts}_d${p.maxData}` },
);
