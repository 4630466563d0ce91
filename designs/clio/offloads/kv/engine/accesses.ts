/** What the engine asks of memory. */
import {
  type Bit,
  cat,
  connect,
  constant,
  Fifo,
  instance,
  mux,
  node,
  onehotMux,
  priority,
  reg,
  stage,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { bodyLengthBits, memoryTagBits } from "../../../offload/index.ts";
import { kvBody, opcodeBits } from "../../../wire/index.ts";
import { MemoryBeat } from "../merged.ts";
import { addressBits, type KvParameters, sizeBits, unitBytes } from "../parameters.ts";
import { tagOf } from "../replies.ts";
import type { Parts } from "./parts.ts";
import { Access, content, indexBits, linkIndex, place } from "./records.ts";
import type { State } from "./state.ts";

/** Memory requests with their bytes: the word first, what is left of a whole slot 0. */
function beatsOfAccesses(from: StreamIn<typeof Access>, p: KvParameters): StreamIn<ReturnType<typeof MemoryBeat>> {
  const lanes = unitBytes / p.beatBytes,
    v = from.payload,
    out = stream(MemoryBeat(p), { name: "asking_beats" });
  const beat = reg(uint(Math.max(1, Math.log2(lanes))), { init: 0, name: "asking_beat" });
  const last = node(v.whole.not().or(beat.eq(lanes - 1)), { name: "asking_last" });
  out.valid.set(from.valid);
  out.payload.set({
    head: {
      tag: v.tag,
      opcode: mux(v.write, opcodeBits.WRITE, opcodeBits.READ),
      va: cat(v.block, v.index, constant(0, 3)).is(addressBits),
      length: v.length.zext(32),
      data: mux(v.write, v.length.zext(bodyLengthBits), constant(0, bodyLengthBits)),
    },
    bare: v.write.not(),
    data: mux(beat.any(), constant(0, 64), v.word).zext(p.beatBytes * 8),
    last,
  });
  from.ready.set(out.ready.and(last));
  when(out.fire, () => beat.set(mux(last, constant(0, beat.width), beat.add(1))));
  return out;
}

/** A word that is written: an entry, or a link, which has a block alone. */
function wordsOf({ request, progress }: State): readonly [entry: UInt, link: UInt, newLink: UInt] {
  const wordOf = (block: UInt, size: UInt, fingerprint: UInt, valid: Bit): UInt => cat(valid, fingerprint, size, block);
  const no = { size: constant(0, sizeBits), fingerprint: constant(0, 8) };
  return [
    wordOf(request.block, request.size, request.fingerprint, constant(1, 1)),
    wordOf(progress.link.block, no.size, no.fingerprint, progress.link.valid),
    wordOf(progress.other.slot, no.size, no.fingerprint, constant(1, 1)),
  ];
}

export function askMemory({ io, p, state, orders: { ask, asking }, verdict: { reads } }: Parts) {
  const { context, progress } = state;
  const accesses = instance("accesses", Fifo({ shape: Access, depth: p.contexts, style: "distributed" }));
  accesses.push.valid.set(asking);
  accesses.push.payload.set({
    tag: tagOf(ask.purpose, context).is(memoryTagBits),
    write: ask.write,
    whole: ask.whole,
    block: onehotMux(
      [ask.at.eq(place.slot), ask.at.eq(place.found), ask.at.eq(place.other)],
      [progress.slot, progress.found.block, progress.other.slot],
    ),
    index: mux(
      ask.link,
      constant(linkIndex, indexBits),
      mux(ask.write.and(ask.whole.not()), progress.index, constant(0, indexBits)),
    ),
    length: priority(
      [ask.write, mux(ask.whole, constant(unitBytes, sizeBits + 1), 8)],
      [
        ask.at.eq(place.found),
        mux(reads, progress.found.size.zext(sizeBits + 1), constant(0, sizeBits + 1)).add(kvBody.bytes),
      ],
      constant(unitBytes, sizeBits + 1),
    ),
    word: onehotMux(
      [ask.content.eq(content.entry), ask.content.eq(content.link), ask.content.eq(content.newLink)],
      wordsOf(state),
    ),
  });
  // Its `ready` hangs on the turn at memory, so it comes from a register.
  connect(beatsOfAccesses(stage(accesses.pop, "backward", { name: "accessing" }), p), io.memory);
  return accesses;
}
