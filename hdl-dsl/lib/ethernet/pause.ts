/** PAUSE (IEEE 802.3, annex 31B): frames that make the other end's sender wait, found, obeyed and made. */
import { bit, struct, uint } from "../../types/shape.ts";
import { bitsFor } from "../../types/bits.ts";
import type { Bit, Stream, StreamIn, UInt, Val } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { stream } from "../../stream/stream.ts";
import { orTree } from "../../vectors/index.ts";
import { axisBeat, type AxisBeatShape } from "../axi/index.ts";
import type { LineBeat } from "./frame.ts";

/** Destination (a group), type and operation of a PAUSE frame, as bytes; undefined: the sender's address. */
const header: readonly (number | undefined)[] = [
  ...[0x01, 0x80, 0xc2, 0x00, 0x00, 0x01],
  ...Array.from({ length: 6 }, () => undefined),
  ...[0x88, 0x08, 0x00, 0x01],
];
/** Bytes of a PAUSE frame up to its time, which stands last; zeros follow. */
const PAUSE_BYTES = header.length + 2;
/** Bytes that the line takes in a quantum, the unit of the time. */
const QUANTUM_BYTES = 64;
/** What a user asks for: the time in quanta, and the address of the sender. */
export const PauseRequest = struct({ quanta: uint(16), station: uint(48) });

/**
 * Looks at frames that are received. In the cycle of a frame's last beat `found` is 1 if the frame is a PAUSE, whether
 * it is whole or not, and `quanta` is its time. Frames are of 60 bytes and more: shorter ones are not found.
 */
export function findPause(beat: Val<LineBeat>, bytes: number): { readonly found: Bit; readonly quanta: UInt<16> } {
  const beats = Math.ceil(PAUSE_BYTES / bytes),
    at = reg(uint<number>(bitsFor(beats)), { init: 0, name: "pause_at" }),
    same = reg(bit, { init: 1, name: "pause_same" }),
    quanta = reg(uint(16), { name: "pause_quanta" });
  const lane = (i: number): UInt => beat.data.bits(8 * (i % bytes), 8),
    here = (i: number): Bit => at.eq(Math.floor(i / bytes));
  const differs = header.flatMap((byte, i) => (byte === undefined ? [] : [here(i).and(lane(i).ne(byte))]));
  when(beat.valid, () => {
    when(at.ne(beats), () => at.set(at.add(1)));
    when(orTree(differs), () => same.set(0));
    // The time's upper byte comes first.
    when(here(header.length), () => quanta.set(cat(lane(header.length), quanta.trunc(8))));
    when(here(header.length + 1), () =>
      quanta.set(bytes === 1 ? cat(quanta.bits(8, 8), lane(0)) : cat(lane(header.length), lane(header.length + 1))),
    );
    when(beat.last, () => {
      at.set(0);
      same.set(1);
    });
  });
  return { found: node(beat.valid.and(beat.last).and(same).and(at.eq(beats)), { name: "pause_found" }), quanta };
}

/**
 * Whether the sender has to wait: from 2 cycles after a time has come until it has passed. A later time stands in the
 * place of what is left, and 0 ends the wait. A cycle of the line has `bytes` bytes.
 */
export function pauseTimer(came: StreamIn<typeof Quanta>, obeys: Bit, bytes: number): Bit {
  const cycles = QUANTUM_BYTES / bytes,
    left = reg(uint(16), { init: 0, name: "pause_left" }),
    part = reg(uint<number>(Math.log2(cycles)), { init: 0, name: "pause_part" }),
    paused = reg(bit, { init: 0, name: "sender_waits" });
  came.ready.set(1);
  when(left.any(), () => {
    part.set(part.add(1));
    when(part.all(), () => left.set(left.sub(1)));
  });
  when(came.valid, () => {
    left.set(came.payload);
    part.set(0);
  });
  when(obeys.not(), () => left.set(0));
  paused.set(left.any());
  return paused;
}
/** The time of a PAUSE frame, in the time of 64 bytes. */
export const Quanta = uint(16);

/**
 * Frames of the user and PAUSE frames, for a transmitter. A PAUSE frame goes before the next frame of the user, also
 * while `paused` is 1; a frame of the user that has been offered goes to its end.
 */
export function withPauses(
  frames: StreamIn<AxisBeatShape>,
  requests: StreamIn<typeof PauseRequest>,
  paused: Bit,
  bytes: number,
): StreamIn<AxisBeatShape> {
  const out: Stream<AxisBeatShape> = stream(axisBeat(bytes), { name: "to_send" }),
    beats = Math.ceil(PAUSE_BYTES / bytes),
    left = reg(uint<number>(bitsFor(beats)), { init: 0, name: "pause_beats" }),
    frame = reg(uint<number>(8 * bytes * beats), { name: "pause_frame" }),
    offered = reg(bit, { init: 0, name: "frame_offered" });
  const own = node(left.any().andNot(offered), { name: "sends_pause" }),
    opens = node(offered.or(paused.not()).andNot(own), { name: "frame_opens" }),
    ends = node(left.eq(1), { name: "pause_ends" });
  const rest = PAUSE_BYTES % bytes;
  out.valid.set(own.or(frames.valid.and(opens)));
  out.payload.set({
    data: mux(own, frame.trunc(8 * bytes), frames.payload.data.is(8 * bytes)),
    keep: mux(
      own,
      mux(ends, constant(2 ** (rest === 0 ? bytes : rest) - 1, bytes), constant(2 ** bytes - 1, bytes)),
      frames.payload.keep.is(bytes),
    ),
    last: mux(own, ends, frames.payload.last),
  });
  frames.ready.set(out.ready.and(opens));
  requests.ready.set(left.eq(0));
  when(frames.valid.and(opens), () => offered.set(1));
  when(frames.fire.and(frames.payload.last), () => offered.set(0));
  when(requests.fire, () => {
    left.set(beats);
    frame.set(pauseFrame(requests.payload).zext(8 * bytes * beats));
  });
  when(out.fire.and(own), () => {
    left.set(left.sub(1));
    frame.set(frame.shr(8 * bytes));
  });
  return out;
}

/** The first 18 bytes of a PAUSE frame, the first one lowest. */
function pauseFrame(r: Val<typeof PauseRequest>): UInt {
  const station = Array.from({ length: 6 }, (_, i) => r.station.bits(40 - 8 * i, 8)),
    bytes = header.map((byte, i) => (byte === undefined ? (station[i - 6] as UInt<8>) : constant(byte, 8)));
  return cat(...[...bytes, r.quanta.bits(8, 8), r.quanta.bits(0, 8)].reverse());
}
