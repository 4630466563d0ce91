import {
  assignView,
  bit,
  type Bit,
  bitsAbove,
  cat,
  constant,
  lowestSet,
  mux,
  node,
  onehotMux,
  reg,
  type Shape,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  type BodyBeat,
  bodyLengthBits,
  type MemoryRequest,
  memoryTagBits,
  type OffloadParameters,
  type OffloadReply,
} from "../../offload/index.ts";
import { addressBits } from "./parameters.ts";

/** A memory request of this offload: always in its own address space. */
export const MemoryHead = struct({
  tag: uint(memoryTagBits),
  opcode: uint(8),
  va: uint(addressBits),
  length: uint(32),
  data: uint(bodyLengthBits),
});
export const ReplyHead = (p: OffloadParameters) =>
  struct({ context: uint(Math.log2(p.contexts)), status: uint(4), opcode: uint(8), length: uint(bodyLengthBits) });

/**
 * A request or a reply with its bytes, beat by beat, so that several sources can be merged whole. The head stands
 * beside every beat. `bare`: it has no bytes, and its only beat carries none.
 */
export const MemoryBeat = (p: OffloadParameters) =>
  struct({ head: MemoryHead, bare: bit, data: uint(p.beatBytes * 8), last: bit });
export const ReplyBeat = (p: OffloadParameters) =>
  struct({ head: ReplyHead(p), bare: bit, data: uint(p.beatBytes * 8), last: bit });

/**
 * Merges streams of beats whole, by `last`. The turn is a register, so that no source's ready waits for another's
 * valid. The source with the turn keeps it to the last beat; then others that wait come first, in order. While no
 * source waits the first one has the turn. Latency 0 for the source with the turn, 1 for the others; no cycle is lost
 * between sources that wait already.
 */
function inTurn<S extends Shape>(name: string, from: readonly StreamIn<S>[], lastOf: (i: number) => Bit): StreamIn<S> {
  const n = from.length,
    out = stream((from[0] as StreamIn<S>).shape, { name: `${name}_merged` });
  const turn = reg(uint(n), { init: 1, name: `${name}_turn` }),
    begun = reg(bit, { init: 0, name: `${name}_in_packet` });
  const has = from.map((_, i) => turn.bit(i));
  const waiting = node(cat(...from.map(s => s.valid).reverse()).and(turn.not()), { name: `${name}_waiting` });
  const behind = node(waiting.and(bitsAbove(turn)), { name: `${name}_behind` });
  const next: UInt = mux(behind.any(), lowestSet(behind), mux(waiting.any(), lowestSet(waiting), constant(1, n)));
  out.valid.set(
    onehotMux(
      has,
      from.map(s => s.valid),
    ),
  );
  assignView(
    out.payload,
    onehotMux(
      has,
      from.map(s => s.payload),
    ),
    "payload",
  );
  from.forEach((s, i) => s.ready.set((has[i] as Bit).and(out.ready)));
  const last = onehotMux(
    has,
    from.map((_, i) => lastOf(i)),
  );
  when(out.fire, () => begun.set(last.not()));
  when(mux(out.valid, out.ready.and(last), begun.not()), () => turn.set(next));
  return out;
}

/**
 * Memory requests of several sources, merged whole and in turn, to the ports of an offload. Latency 1 for the first
 * source and 2 for the others, one beat per cycle.
 */
export function mergeMemory(
  from: readonly StreamIn<ReturnType<typeof MemoryBeat>>[],
  to: StreamOut<ReturnType<typeof MemoryRequest>>,
  bytes: StreamOut<ReturnType<typeof BodyBeat>>,
  p: OffloadParameters,
): void {
  const merged = stage(
    inTurn("memory", from, i => (from[i] as (typeof from)[number]).payload.last),
    "forward",
    { name: "memory_out" },
  );
  const { head, bare, data, last } = merged.payload;
  to.payload.set({
    tag: head.tag,
    opcode: head.opcode,
    client: constant(0, 1),
    context: constant(0, Math.log2(p.contexts)),
    va: head.va.zext(64),
    length: head.length,
    data: head.data,
  });
  bytes.payload.set({ data, last });
  part("memory", merged, bare, last, to, bytes);
}

/**
 * Replies of several sources, merged whole and in turn, to the ports of an offload; each is the only one to its
 * request. Latency 1 for the first source and 2 for the others, one beat per cycle.
 */
export function mergeReplies(
  from: readonly StreamIn<ReturnType<typeof ReplyBeat>>[],
  to: StreamOut<ReturnType<typeof OffloadReply>>,
  bytes: StreamOut<ReturnType<typeof BodyBeat>>,
): void {
  const merged = stage(
    inTurn("reply", from, i => (from[i] as (typeof from)[number]).payload.last),
    "full",
    { name: "reply_out" },
  );
  const { head, bare, data, last } = merged.payload;
  to.payload.set({
    context: head.context,
    status: head.status,
    opcode: head.opcode,
    length: head.length,
    more: constant(0, 1),
  });
  bytes.payload.set({ data, last });
  part("reply", merged, bare, last, to, bytes);
}

interface Taker {
  readonly valid: { set(v: Bit): void };
  readonly ready: Bit;
}

/**
 * A first beat's head goes to one output, a beat with bytes to the other. Each output fires on its own; the beat leaves
 * when both have fired.
 */
function part(
  name: string,
  from: { readonly valid: Bit; readonly ready: { set(v: Bit): void }; readonly fire: Bit },
  bare: Bit,
  last: Bit,
  head: Taker,
  bytes: Taker,
): void {
  const begun = reg(bit, { init: 0, name: `${name}_begun` });
  const headGone = reg(bit, { init: 0, name: `${name}_head_gone` });
  const bytesGone = reg(bit, { init: 0, name: `${name}_bytes_gone` });
  const noHead: Bit = begun.or(headGone),
    noBytes: Bit = bare.or(bytesGone);
  head.valid.set(from.valid.and(noHead.not()));
  bytes.valid.set(from.valid.and(noBytes.not()));
  const headDone = noHead.or(head.ready),
    bytesDone = noBytes.or(bytes.ready);
  from.ready.set(headDone.and(bytesDone));
  when(from.valid, () => {
    headGone.set(headDone.and(bytesDone.not()));
    bytesGone.set(bytesDone.and(headDone.not()));
    when(headDone.and(bytesDone), () => begun.set(last.not()));
  });
}
