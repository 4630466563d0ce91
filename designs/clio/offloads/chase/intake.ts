import {
  bit,
  constant,
  fsm,
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
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits, pointerChaseBody, statusBits } from "../../wire/index.ts";
import { BodyBeat, bodyLengthBits, OffloadRequest } from "../../offload/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import {
  bodyBytes,
  type ChaseParameters,
  contextBits,
  Ending,
  Fetch,
  JobWrite,
  largestNode,
  mostNodes,
  placeBits,
  visitBits,
  wordBytes,
} from "./types.ts";

/**
 * Takes requests apart, checks them and sends the READ of the first node. MALFORMED: another opcode, a body that is not
 * `pointerChaseBody`, a node of no bytes or of more than `largestNode`, a value of more than `maxData`. A node is
 * MALFORMED too when its next pointer, its compared key, its pointer to the value or its value is not whole inside it.
 * A list without nodes and a depth of 0 FAIL at once.
 *
 * Latency: 3 cycles + the beats of the body from `request` to `first` or `ended`. Initiation interval: one more. Full:
 * one request at a time, the others wait; it waits while the reply under the same context is still being sent (`busy`).
 * Reset drops the request.
 */
export const ChaseIntake = module(
  "ChaseIntake",
  (p: ChaseParameters) => ({
    request: sink(OffloadRequest(p)),
    requestData: sink(BodyBeat(p)),
    busy: input(struct({ valid: bit, context: uint(contextBits(p)) })),
    job: output(JobWrite(p)),
    first: source(Fetch(p)),
    ended: source(Ending(p)),
  }),
  (io, p) => {
    const beats = Math.ceil(bodyBytes / p.beatBytes),
      lane = p.beatBytes * 8,
      sizeBits = 17;
    const context = reg(uint(contextBits(p)));
    const wrong = reg(bit);
    const body = reg(uint(Math.max(bodyBytes * 8, beats * lane)));
    const index = reg(uint(Math.ceil(Math.log2(beats + 1))));
    const q = cutFields(pointerChaseBody, body.trunc(bodyBytes * 8));

    const wide = (v: UInt): UInt<17> => v.zext(sizeBits),
      past = (end: UInt) => end.gt(wide(q.structSize));
    const after = (v: UInt): UInt<17> => wide(v).add(wordBytes);
    const keyMissing = node(q.useKey.and(past(after(q.keyOffset))));
    const nextMissing = node(past(wide(q.nextOffset).add(1).shl(3)));
    const valueMissing = node(
      past(wide(q.valueOffset).add(mux(q.useValuePtr, constant(wordBytes, sizeBits), wide(q.valueSize)))),
    );
    const tooLarge = node(q.structSize.gt(largestNode(p)).or(q.valueSize.gt(p.maxData)));
    const malformed = reg(bit);
    const empty = reg(bit);

    io.request.ready.set(0);
    io.requestData.ready.set(0);
    io.first.valid.set(0);
    io.ended.valid.set(0);
    const waits = node(io.busy.valid.and(io.busy.context.eq(context)));
    const state = fsm(["idle", "body", "check", "wait", "start"], "idle", s => ({
      idle: () => {
        io.request.ready.set(1);
        index.set(0);
        when(io.request.valid, () => {
          const r = io.request.payload;
          context.set(r.context);
          wrong.set(r.length.ne(bodyBytes).or(r.opcode.ne(opcodeBits.POINTER_CHASE)));
          s.go("body");
          when(r.length.eq(0), () => s.go("check"));
        });
      },
      body: () => {
        io.requestData.ready.set(1);
        when(io.requestData.valid, () => {
          for (let i = 0; i < beats; i++) when(index.eq(i), () => body.setBits(i * lane, io.requestData.payload.data));
          when(index.ne(beats), () => index.set(index.add(1)));
          when(io.requestData.payload.last, () => s.go("check"));
        });
      },
      check: () => {
        malformed.set(wrong.or(tooLarge).or(keyMissing).or(nextMissing).or(valueMissing));
        empty.set(q.addr.eq(0).or(q.useDepth.and(q.depth.eq(0))));
        s.go("wait");
      },
      wait: () => when(waits.not(), () => s.go("start")),
      start: () => {
        const ends = malformed.or(empty);
        io.first.valid.set(ends.not());
        io.ended.valid.set(ends);
        when(mux(ends, io.ended.ready, io.first.ready), () => s.go("idle"));
      },
    }));

    const left = mux(q.useDepth, q.depth.zext(visitBits), constant(mostNodes(p), visitBits));
    io.first.payload.set({ context, value: 0, va: q.addr, length: q.structSize.trunc(bodyLengthBits), left });
    io.ended.payload.set({ context, status: mux(malformed, statusBits.MALFORMED, statusBits.FAIL), streamed: 0 });
    const end = (offset: UInt): UInt => offset.zext(placeBits).add(wordBytes - 1);
    io.job.set({
      en: state.is("start"),
      context,
      job: {
        key: q.key,
        useKey: q.useKey,
        useDepth: q.useDepth,
        keyEnd: end(q.keyOffset).is(placeBits),
        next: q.nextOffset,
        follows: q.useValuePtr.and(q.valueSize.any()),
        pointerEnd: end(q.valueOffset).is(placeBits),
        nodeBytes: q.structSize.trunc(bodyLengthBits),
        valueBytes: q.valueSize.trunc(bodyLengthBits),
        valueOffset: q.valueOffset,
      },
    });
  },
  { nameOf: p => `ChaseIntake_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_n${mostNodes(p)}` },
);
