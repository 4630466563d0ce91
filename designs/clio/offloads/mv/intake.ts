import { bit, bitsFor, constant, fsm, module, mux, node, output, reg, sink, source, struct, uint, when, type UInt } from "../../../../hdl-dsl/index.ts";
import { mvBody, mvCreateBody, opcode } from "../../wire/index.ts";
import { BodyBeat, bodyLengthBits, OffloadRequest } from "../../offload/index.ts";
import { Asked, bodyBeats, contextBits, headBytes, kind, kindBits, type MultiVersionParameters } from "./types.ts";

/** A beat of a request's body: always taken. */
export const BodyWrite = (p: MultiVersionParameters) => struct({
  en: bit, context: uint(contextBits(p)), beat: uint(Math.log2(bodyBeats(p))), data: uint(p.beatBytes * 8),
});
const kinds = [[opcode.MV_CREATE, kind.create], [opcode.MV_APPEND, kind.append], [opcode.MV_READ, kind.read], [opcode.MV_READ_LATEST, kind.latest], [opcode.MV_DELETE, kind.remove]] as const;

/**
 * Takes requests, their bodies into the buffers of their contexts. What is wrong is MALFORMED: another opcode, a body of another length than 8 bytes (of an append: 9 to 8 + `maxData`),
 * a create of values of no bytes or more than `maxData`. The word that stands unused in a create, append or delete, and in a read of the latest version, means nothing.
 *
 * Latency from `request` to `asked`: 1 cycle and its beats. Initiation interval: 2 cycles and its beats. Full: one request at a time. Reset forgets it.
 */
export const MvIntake = module("MvIntake",
  (p: MultiVersionParameters) => ({ request: sink(OffloadRequest(p)), request_data: sink(BodyBeat(p)), asked: source(Asked(p)), written: output(BodyWrite(p)) }),
  (io, p) => {
    const head = reg(uint(headBytes * 8));
    const request = reg(OffloadRequest(p));
    const beat = reg(uint(bitsFor(bodyBeats(p))));
    const taken = node(io.request_data.fire);
    const s = fsm(["idle", "body", "offer"], "idle", go => ({
      idle: () => {
        request.set(io.request.payload);
        beat.set(0);
        when(io.request.valid, () => {
          go.go("body");
          when(io.request.payload.length.eq(0), () => { go.go("offer"); });
        });
      },
      body: () => {
        when(taken, () => {
          when(beat.eq(0), () => { head.set(io.request_data.payload.data.trunc(headBytes * 8)); });
          beat.set(mux(beat.eq(bodyBeats(p)), beat, beat.add(1)));
          when(io.request_data.payload.last, () => { go.go("offer"); });
        });
      },
      offer: () => { when(io.asked.ready, () => { go.go("idle"); }); },
    }));
    io.request.ready.set(s.is("idle"));
    io.request_data.ready.set(s.is("body"));
    const beatBits = Math.log2(bodyBeats(p));
    io.written.set({ en: taken.and(beat.ne(bodyBeats(p))), context: request.context, beat: beat.trunc(beatBits), data: io.request_data.payload.data });

    const object = head.bits(8 * mvBody.at.object.byteOffset, 32), version = head.bits(8 * mvBody.at.version.byteOffset, 32);
    const is = (code: number) => request.opcode.eq(code);
    const known = node(kinds.map(([code]) => is(code)).reduce((a, b) => a.or(b)));
    const length_is = node(request.length.eq(headBytes)), value_bytes = head.bits(8 * mvCreateBody.at.valueBytes.byteOffset, 32);
    const value_fits = node(request.length.gt(headBytes).and(request.length.le(headBytes + p.maxData)));
    const size_fits = node(value_bytes.any().and(value_bytes.le(p.maxData)));
    const well_formed = node(mux(is(opcode.MV_APPEND), value_fits, length_is.and(is(opcode.MV_CREATE).not().or(size_fits))));
    const code = kinds.reduce<UInt>((k, [c, value]) => mux(is(c), constant(value, kindBits), k), constant(kind.remove, kindBits));
    io.asked.valid.set(s.is("offer"));
    io.asked.payload.set({
      context: request.context, opcode: request.opcode, kind: code, malformed: known.and(well_formed).not(), object, version, length: request.length.trunc(bodyLengthBits),
    });
  },
  { nameOf: p => `MvIntake_b${p.beatBytes}_c${p.contexts}_d${p.maxData}` });
