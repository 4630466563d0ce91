import {
  assertAlways,
  bit,
  cat,
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
import { kvBody, statusBits } from "../../wire/index.ts";
import { beatsOf, BodyBeat, MemoryReply, memoryTagBits, type OffloadParameters } from "../../offload/index.ts";
import { ReplyBeat, ReplyHead } from "./merged.ts";
import { blockBits, unitBytes, unitShift } from "./parameters.ts";

/** Purpose of a memory request: the high bits of its tag, above those of its context. */
export const purpose = { slot: 0, pair: 1, block: 2, commit: 3, newSlot: 4, allocator: 5 } as const;
export const purposeBits = 3,
  contextBitsOfTag = memoryTagBits - purposeBits;
/** The tag of a request for the one in `context`. */
export function tagOf(what: number | UInt, context: UInt): UInt {
  return cat(typeof what === "number" ? constant(what, purposeBits) : what, context.zext(contextBitsOfTag));
}

/**
 * A memory reply that waits to be dealt with. `line`: its first 64 bytes. For a slot or a list of free blocks they are
 * all; for a pair, the 12 bytes in front of the value and more. `block`: the address that ALLOC gave. `failed`: the
 * status is not OK. `granted`: it is, and ALLOC or FREE was not refused. `elsewhere`: another region may have what was
 * not granted. What the allocator's next state hangs on is known a cycle before it.
 */
export const MemoryEvent = struct({
  valid: bit,
  purpose: uint(purposeBits),
  context: uint(contextBitsOfTag),
  status: uint(4),
  failed: bit,
  granted: bit,
  elsewhere: bit,
  block: uint(blockBits),
  /** `valid`, and for the allocator. */
  forAllocator: bit,
  line: uint(unitBytes * 8),
});
/**
 * The reply is done. Its rest is discarded, or (`forward`) goes out as a reply with this head, and with the value
 * behind these four bytes.
 */
export const MemoryDone = (p: OffloadParameters) =>
  struct({ valid: bit, forward: bit, head: ReplyHead(p), front: uint(32) });

/** Bytes by which a value lies further behind in its block than in the reply. */
const shift = 8;

/** What the allocator's next state hangs on, from when a reply comes. */
function outcome() {
  const failed = reg(bit, { name: "failed" }),
    granted = reg(bit, { name: "granted" }),
    elsewhere = reg(bit, { name: "elsewhere" });
  return {
    said: { failed, granted, elsewhere },
    /** `ret`: what ALLOC or FREE answers, 0 when it is done. */
    hear: (status: UInt, ret: UInt): void => {
      const fails = status.any();
      failed.set(fails);
      granted.set(fails.or(ret.any()).not());
      elsewhere.set(fails.not().or(status.eq(statusBits.OUT_OF_MEMORY)));
    },
  };
}

/**
 * Takes memory replies one after another: gathers the first bytes, shows them until `done`, and passes the value on, 8
 * bytes further to the front. So a pair as it was written (`kvBody` and the value) becomes the reply to a read.
 *
 * Latency: from a reply (and its first beat) to `event` 2 cycles, 1 for a reply without bytes. All 64 bytes of a slot
 * must have come. From `done` to the first beat of `value` 1. Initiation interval: 3 cycles and the beats. Full: one
 * reply at a time; the next waits at its port. Reset: nothing is shown.
 */
export const KvReplies = module(
  "KvReplies",
  (p: OffloadParameters) => ({
    memoryReply: sink(MemoryReply),
    memoryReplyData: sink(BodyBeat(p)),
    event: output(MemoryEvent),
    done: input(MemoryDone(p)),
    value: source(ReplyBeat(p)),
  }),
  (io, p) => {
    const beat = p.beatBytes * 8,
      lanes = unitBytes / p.beatBytes,
      laneBits = Math.max(1, Math.log2(lanes));
    /** Beats that hold the key. */
    const headBeats = Math.ceil(kvBody.bytes / p.beatBytes);
    const tag = reg(uint(memoryTagBits)),
      status = reg(uint(4)),
      { said, hear } = outcome(),
      block = reg(uint(blockBits));
    const line = reg(uint(unitBytes * 8)),
      lane = reg(uint(laneBits)),
      ended = reg(bit);
    const head = reg(ReplyHead(p)),
      front = reg(uint(32)),
      first = reg(bit),
      left = reg(uint(beatsOf(io.done.head.length, p).width));
    const purposeIn = (t: UInt): UInt => t.bits(contextBitsOfTag, purposeBits),
      kind = node(purposeIn(tag));
    // The allocator is done at once, so its reply is shown for a cycle; its next state hangs on this.
    const forAllocator = reg(bit, { init: 0 });
    forAllocator.set(0);
    const whole = node(kind.eq(purpose.slot).or(kind.eq(purpose.allocator)));
    const bytes = io.memoryReplyData;

    // With the shift an outgoing beat has the end of one and the beginning of the next. At 8 bytes a beat it is
    // just the next.
    const next = bytes.payload.data;
    const needsNext = node(p.beatBytes === shift ? first.not() : ended.not());
    const shifted =
      p.beatBytes === shift
        ? mux(first, line.bits(beat, beat), next)
        : cat(next.trunc(shift * 8), line.bits(shift * 8, beat - shift * 8));
    const fronted = mux(first, cat(shifted.bits(32, beat - 32), front), shifted);
    const state = fsm(["idle", "gather", "event", "drain", "value"], "idle", m => ({
      idle: () => {
        const r = io.memoryReply.payload;
        tag.set(r.tag);
        status.set(r.status);
        // Of ALLOC: 4 bytes of `ret`, then the address.
        hear(r.status, r.va.trunc(32));
        block.set(cat(r.length, r.va.bits(32, 32)).bits(unitShift, blockBits));
        lane.set(0);
        const without = r.data.any().not();
        ended.set(without);
        when(io.memoryReply.valid, () =>
          when(without, () => {
            forAllocator.set(purposeIn(r.tag).eq(purpose.allocator));
            m.go("event");
          }).otherwise(() => m.go("gather")),
        );
      },
      gather: () => {
        when(bytes.valid, () => {
          for (let i = 0; i < lanes; i++) when(lane.eq(i), () => line.setBits(i * beat, next));
          lane.set(lane.add(1));
          ended.set(bytes.payload.last);
          const enough = mux(whole, lane.eq(lanes - 1), lane.eq(headBeats - 1));
          when(bytes.payload.last.or(enough), () => {
            forAllocator.set(kind.eq(purpose.allocator));
            m.go("event");
          });
        });
      },
      event: () => {
        head.set(io.done.head);
        front.set(io.done.front);
        first.set(1);
        left.set(beatsOf(io.done.head.length, p));
        when(io.done.valid, () => {
          when(io.done.forward, () => m.go("value"))
            .elseWhen(ended, () => m.go("idle"))
            .otherwise(() => m.go("drain"));
        });
      },
      drain: () => when(bytes.valid.and(bytes.payload.last), () => m.go("idle")),
      value: () => {
        when(io.value.fire, () => {
          first.set(0);
          left.set(left.sub(1));
          if (p.beatBytes !== shift) line.setBits(0, next);
          when(needsNext, () => ended.set(bytes.payload.last));
          when(left.eq(1), () => m.go("idle"));
        });
      },
    }));
    io.memoryReply.ready.set(state.is("idle"));
    bytes.ready.set(state.is("gather").or(state.is("drain")).or(state.is("value").and(needsNext).and(io.value.ready)));
    io.event.set({
      valid: state.is("event"),
      purpose: kind,
      context: tag.trunc(contextBitsOfTag),
      status,
      ...said,
      block,
      forAllocator,
      line,
    });
    io.value.valid.set(state.is("value").and(needsNext.not().or(bytes.valid)));
    io.value.payload.set({ head, bare: 0, data: fronted, last: left.eq(1) });
    const over = node(io.value.fire.and(left.eq(1)));
    assertAlways(over.not().or(ended).or(needsNext.and(bytes.payload.last)), "a pair is as long as its entry says");
    assertAlways(io.done.valid.not().or(state.is("event")), "only what is shown can be done");
  },
  { nameOf: p => `KvReplies_b${p.beatBytes}_c${p.contexts}` },
);
