import {
  bit,
  cat,
  constant,
  Fifo,
  fsm,
  input,
  instance,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  source as sourceOf,
  type UInt,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { accessBody, allocBody, opcodeBits, vmFlag } from "../../wire/index.ts";
import { beatsOf, BodyBeat, bodyLengthBits, MemoryRequest, memoryTagBits } from "../../offload/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { BodyWrite } from "./intake.ts";
import {
  bodyBeats,
  contextBits,
  Entry,
  entryLayout,
  event,
  headBytes,
  type MultiVersionParameters,
  source,
  Wanted,
} from "./types.ts";

/** Bytes of an ALLOC behind its first 12: the upper half of its length, region and flags. */
const allocationRest = allocBody.bytes - accessBody.bytes,
  smallBytes = 32;

/**
 * Makes memory requests. The bytes of a WRITE come from the context's map entry (`entry`, of the context
 * `entry_context` in the same cycle). Otherwise they come from its request's body, without the 8 bytes in front
 * of the value.
 *
 * Latency: 2 cycles from `wanted` to `memory`, one more to the first beat, two more for a value. Initiation interval: 3
 * cycles and the beats. Never full: there is room for two of each context. Reset drops all requests.
 */
export const MvRequests = module(
  "MvRequests",
  (p: MultiVersionParameters) => ({
    wanted: sink(Wanted(p)),
    written: input(BodyWrite(p)),
    entryContext: output(uint(contextBits(p))),
    entry: input(Entry(p)),
    memory: sourceOf(MemoryRequest(p)),
    memoryData: sourceOf(BodyBeat(p)),
  }),
  (io, p) => {
    const width = p.beatBytes * 8,
      beatBits = Math.log2(bodyBeats(p)),
      headBits = headBytes * 8;
    const bodies = ram(uint(width), { depth: p.contexts * bodyBeats(p), collision: "undefined", style: "block" });
    bodies.write(io.written.en, cat(io.written.context, io.written.beat), io.written.data);

    const queue = instance("queue", Fifo({ shape: Wanted(p), depth: 2 * p.contexts, style: "distributed" }));
    queue.push.valid.set(io.wanted.valid);
    queue.push.payload.set(io.wanted.payload);
    io.wanted.ready.set(queue.push.ready);

    const w = reg(Wanted(p));
    const small = reg(uint(smallBytes * 8));
    const data = reg(uint(bodyLengthBits));
    const left = reg(uint(beatBits + 1));
    const beat = reg(uint(beatBits));
    const headerDue = reg(bit, { init: 0 });
    const isValue = node(w.source.eq(source.value));
    io.entryContext.set(w.context);
    const e = io.entry,
      entryBits = joinFields(entryLayout, {
        array: e.array,
        number: e.number.zext(32),
        size: e.size.zext(16),
        live: e.live.zext(8),
        unused: 0,
      });
    const restBits = cat(constant(vmFlag.write, 64), w.region.zext(64), constant(0, 32)).is(allocationRest * 8);

    // A value: each beat is the upper part of one beat of the body and the lower part of the next.
    const priming = reg(bit, { init: 0 });
    const held = reg(uint(width), { mayBeUnread: p.beatBytes === headBytes });
    const fire = node(io.memoryData.fire);
    const begin = reg(bit, { init: 0 });
    const word = bodies.readSync(cat(w.context, beat), { en: begin.or(priming).or(fire) });

    const s = fsm(["idle", "prepare", "begin", "prime", "send"], "idle", go => ({
      idle: () => {
        w.set(queue.pop.payload);
        when(queue.pop.valid, () => go.go("prepare"));
      },
      prepare: () => {
        small.set(mux(w.source.eq(source.entry), entryBits.zext(smallBytes * 8), restBits.zext(smallBytes * 8)));
        data.set(
          priority(
            [isValue, w.length],
            [w.source.eq(source.entry), constant(entryLayout.bytes, bodyLengthBits)],
            [w.source.eq(source.allocation), constant(allocationRest, bodyLengthBits)],
            constant(0, bodyLengthBits),
          ),
        );
        beat.set(0);
        headerDue.set(1);
        begin.set(1);
        go.go("begin");
      },
      begin: () => {
        left.set(beatsOf(data, p).trunc(beatBits + 1));
        begin.set(0);
        beat.set(beat.add(1));
        priming.set(isValue);
        go.go("send");
        when(isValue, () => go.go("prime"));
      },
      prime: () => {
        priming.set(0);
        held.set(word);
        beat.set(beat.add(1));
        go.go("send");
      },
      send: () => {
        when(fire, () => {
          held.set(word);
          beat.set(beat.add(1));
          left.set(left.sub(1));
          small.set(shifted(small, width));
        });
        when(
          headerDue
            .not()
            .or(io.memory.ready)
            .and(left.eq(0).or(left.eq(1).and(fire))),
          () => go.go("idle"),
        );
      },
    }));
    queue.pop.ready.set(s.is("idle"));
    when(io.memory.fire, () => headerDue.set(0));
    io.memory.valid.set(headerDue);
    const reads = w.event.eq(event.entry).or(w.event.eq(event.value));
    io.memory.payload.set({
      tag: cat(w.event, w.context).zext(memoryTagBits),
      opcode: mux(w.event.eq(event.allocated), opcodeBits.ALLOC, mux(reads, opcodeBits.READ, opcodeBits.WRITE)),
      client: 0,
      context: w.context,
      va: w.va,
      length: mux(w.event.eq(event.allocated), constant(p.arenaBytes, 32), w.length.zext(32)),
      data,
    });
    io.memoryData.valid.set(s.is("send").and(left.any()));
    const value = p.beatBytes === headBytes ? word : cat(word.trunc(headBits), held.bits(headBits, width - headBits));
    const little = small.width >= width ? small.trunc(width) : small.zext(width);
    io.memoryData.payload.set({ data: mux(isValue, value, little), last: left.eq(1) });
  },
  {
    nameOf: p => `MvRequests_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_i${p.idBits}_v${p.versions}_a${p.arenaBytes}`,
  },
);

/** The next beat of a small body. */
function shifted(v: UInt, by: number): UInt {
  return by >= v.width ? v : v.shr(by);
}
