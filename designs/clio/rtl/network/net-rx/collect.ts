/** Beats in: a frame goes to its slot in the frame buffer, and its first bytes to a register. */
import {
  bit,
  type Bit,
  cat,
  encodeOnehot,
  mux,
  node,
  reg,
  uint,
  type UInt,
  type UIntVar,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { slotBeatBits, slotBits } from "../../../../shared/frame/index.ts";
import type { NetRxIo } from "./ports.ts";
import { type Frame, headerBytes, type NetRxParameters } from "./records.ts";

/** Keeps what beat number `beat` has of the header. */
function keep(header: UIntVar, beatBytes: number, beat: UInt, data: UInt): void {
  for (let b = 0; b * beatBytes < headerBytes; b++) {
    const from = b * beatBytes,
      bytes = Math.min(beatBytes, headerBytes - from);
    when(beat.eq(b), () => header.setBits(from * 8, data.bits(0, bytes * 8)));
  }
}

/**
 * Takes a frame's beats. Then the frame waits to be judged (`pending`). It leaves in the next cycle unless the stage
 * behind stalls (`judgedRoom` 0), so the header register is free for the next frame's beats.
 */
export function collect(p: NetRxParameters, io: NetRxIo, judgedRoom: Bit): Frame {
  const beatBits = slotBeatBits(p),
    laneBits = Math.log2(p.beatBytes);
  const rx = io.rx.payload;
  const first = reg(bit, { init: 1 });
  const beat = reg(uint(beatBits + 1), { init: 0 });
  const slot = reg(uint(slotBits(p)));
  const header = reg(uint(headerBytes * 8));
  const lastByte = reg(uint(beatBits + 1 + laneBits));
  const bad = reg(bit);
  const pending = reg(bit, { init: 0 });

  const room = node(pending.not().or(judgedRoom));
  io.rx.ready.set(room.and(first.not().or(io.slot.valid)));
  io.slot.ready.set(room.and(first).and(io.rx.valid));
  const taken = node(io.rx.fire);
  const ended = node(taken.and(rx.last));
  const frameSlot = node(mux(first, io.slot.payload, slot));
  const past = beat.bit(beatBits);
  when(taken, () => {
    first.set(rx.last);
    slot.set(frameSlot);
    keep(header, p.beatBytes, beat, rx.data);
    when(rx.last, () => beat.set(0)).elseWhen(past.not(), () => beat.set(beat.add(1)));
  });
  when(ended, () => {
    // The highest byte kept: where the next lane's keep bit is 0.
    const edge = node(rx.keep.andNot(rx.keep.shr(1)));
    lastByte.set(cat(beat, encodeOnehot(edge)));
    bad.set(rx.user);
  });
  pending.set(ended.or(pending.andNot(judgedRoom)));
  io.bufferWrite.set({ en: taken.andNot(past), slot: frameSlot, beat: beat.trunc(beatBits), data: rx.data });
  return { pending, slot, header, lastByte, bad };
}
