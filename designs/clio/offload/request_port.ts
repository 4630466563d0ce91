import {
  bit, bitsFor, cat, connect, constant, Fifo, fromBits, instance, mux, node, onehotMux, orTree, ram, reg, scope, stream, struct, uint, when, type Bit, type StreamIn, type StreamOut, type UInt,
} from "../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets } from "../../packets/index.ts";
import { AxisBeat, cutFields } from "../rtl/index.ts";
import { HeaderStrip } from "./header_strip.ts";
import type { SlotParameters } from "./slot.ts";
import { beatsOf, type BodyBeat, bodyLengthBits, type OffloadRequest } from "./types.ts";

type Frames = ReturnType<typeof AxisBeat>;
type Bodies = ReturnType<typeof BodyBeat>;
/** What the request side sees of a slot. */
export interface RequestSide {
  readonly opcodes: readonly number[];
  readonly room: Bit; readonly context: UInt;
  readonly asked: StreamOut<ReturnType<typeof OffloadRequest>>; readonly asked_data: StreamOut<Bodies>;
}

/** Bytes of a request's headers: what is kept of it for its reply. */
export const requestHeader = frameOffsets.body;
const opcodeByte = frameOffsets.clio + clioHeader.at.opcode.byteOffset;

/** The headers of requests until they are answered, by slot and context; one more place for a request that is answered BUSY. */
export interface HeaderStore {
  /** The header at a place, in the same cycle. */
  read(place: UInt): UInt;
  readonly placeBits: number;
  /** The place of a context of a slot; `busyPlace` is the other one. */
  place(number: number, context: UInt): UInt;
  readonly busyPlace: number;
}
export interface Requests {
  /** Frames for the software. */
  readonly soc: StreamIn<Frames>;
  readonly store: HeaderStore;
  /** A request that found no room: its header stands at `busyPlace` until this is taken. */
  readonly busy: StreamIn<typeof Busy>;
}
/** Opcode of a request that found no room. */
export const Busy = struct({ opcode: uint(8) });

/**
 * Frames on their way to the slow path, parted by their opcode: those of an offload go to its slot, all others on to the software as they are. A request for an offload without room (all its contexts taken, or bodies waiting) is
 * answered BUSY at once. A frame waits here for nothing but the one before it, so no offload can hold up the software's frames.
 *
 * Latency: 1 cycle and the beats up to the opcode's. Initiation interval: 1 beat for the software, and 3 cycles more per frame for an offload.
 */
export function requestFrames(frames: StreamIn<Frames>, slots: readonly RequestSide[], p: SlotParameters): Requests {
  return scope("requests", () => {
    const { beatBytes } = p, opcodeBeat = Math.floor(opcodeByte / beatBytes);

    // The opcode of each frame, known before its first beat leaves.
    const waiting = instance("waiting", Fifo({ shape: AxisBeat(beatBytes), depth: 2 ** Math.ceil(Math.log2(opcodeBeat + 3)), style: "distributed" }));
    const opcodes = instance("opcodes", Fifo({ shape: uint(8), depth: 4, style: "distributed" }));
    connect(frames, waiting.push);
    const index = reg(uint(bitsFor(opcodeBeat + 1)), { init: 0, name: "index" });
    when(frames.fire, () => { index.set(mux(frames.payload.last, constant(0, index.width), mux(index.eq(opcodeBeat + 1), index, index.add(1)))); });
    // There are never more frames in `waiting` than there is room for here: the shortest has 60 bytes. Beats of 64 bytes are frames of their own.
    opcodes.push.valid.set(frames.fire.and(index.eq(opcodeBeat)));
    opcodes.push.payload.set(frames.payload.data.bits((opcodeByte % beatBytes) * 8, 8));

    const first = reg(bit, { init: 1, name: "first" });
    const opcode = opcodes.pop.payload;
    const targets = slots.map((s, k) => node(orTree(s.opcodes.map(o => opcode.eq(o))), { name: `for_${k}` }));
    const target = node(fromBits(targets), { name: "target" });
    const offloaded = node(target.any(), { name: "offloaded" });
    /** One frame at a time is taken apart. */
    const parting = reg(bit, { init: 0, name: "parting" });
    const busy_full = reg(bit, { init: 0, name: "busy_full" });
    const room = node(onehotMux(targets, slots.map(s => s.room)).is(1), { name: "room" });
    const to_soc = reg(bit, { name: "to_soc" });
    const to_slot = reg(uint(slots.length), { name: "to_slot" });
    const goes_soc = node(mux(first as Bit, offloaded.not(), to_soc), { name: "goes_soc" });
    const may_begin = node(opcodes.pop.valid.and(offloaded.not().or(parting.not().and(room.or(busy_full.not())))), { name: "may_begin" });
    const open = node(first.not().or(may_begin), { name: "open" });

    const soc = stream(AxisBeat(beatBytes), { name: "soc" }), apart = stream(AxisBeat(beatBytes), { name: "apart" });
    const offered = node(waiting.pop.valid.and(open), { name: "offered" });
    soc.valid.set(offered.and(goes_soc));
    apart.valid.set(offered.and(goes_soc.not()));
    for (const s of [soc, apart]) s.payload.set({ data: waiting.pop.payload.data, keep: waiting.pop.payload.keep, last: waiting.pop.payload.last, user: waiting.pop.payload.user });
    waiting.pop.ready.set(open.and(mux(goes_soc, soc.ready, apart.ready)));
    const begins = node(waiting.pop.fire.and(first), { name: "begins" });
    opcodes.pop.ready.set(begins);
    when(waiting.pop.fire, () => { first.set(waiting.pop.payload.last); });
    when(begins, () => {
      to_soc.set(offloaded.not());
      to_slot.set(mux(room, target, constant(0, slots.length)));
    });

    // ---- A request for an offload: its header to the store, its body to the slot, or nowhere when it is answered BUSY.
    const strip = instance("strip", HeaderStrip({ beatBytes, headerBytes: requestHeader, routeByte: 0 }));
    connect(apart as unknown as StreamIn<Frames>, strip.frame);
    const here = slots.map((_, k) => node(to_slot.bit(k), { name: `here_${k}` }));
    slots.forEach((s, k) => {
      s.asked_data.valid.set(strip.data.valid.and(here[k] as Bit));
      s.asked_data.payload.set({ data: strip.data.payload.data, last: strip.data.payload.last });
    });
    const refused = node(to_slot.any().not(), { name: "refused" });
    strip.data.ready.set(refused.or(orTree(slots.map((s, k) => (here[k] as Bit).and(s.asked_data.ready)))));
    const clio = cutFields(clioHeader, strip.head.payload.header, frameOffsets.clio);
    slots.forEach((s, k) => {
      s.asked.valid.set(strip.head.valid.and(here[k] as Bit));
      s.asked.payload.set({ context: s.context, opcode: clio.opcode, pid: clio.pid, length: strip.head.payload.length });
    });
    strip.head.ready.set(refused.or(orTree(slots.map((s, k) => (here[k] as Bit).and(s.asked.ready)))));

    // The body is all there when as many beats have gone as the header told of; the header comes at the frame's end, a beat before the last one perhaps.
    const due = reg(uint(bodyLengthBits), { name: "due" });
    const head_done = reg(bit, { init: 0, name: "head_done" });
    const told = node(beatsOf(strip.head.payload.length, p).resize(bodyLengthBits), { name: "told" });
    const gone = reg(uint(bodyLengthBits), { init: 0, name: "gone" });
    const goes = node(strip.data.fire.zext(bodyLengthBits), { name: "goes" });
    gone.set(mux(parting, gone.add(goes), constant(0, bodyLengthBits)));
    when(begins.and(offloaded), () => { parting.set(1); head_done.set(0); })
      .elseWhen(parting.and(head_done).and(gone.eq(due)), () => { parting.set(0); });
    when(strip.head.fire, () => { head_done.set(1); due.set(told); });

    // ---- The store.
    const contextBits = Math.log2(p.contexts), numberBits = Math.max(1, Math.ceil(Math.log2(slots.length))), placeBits = contextBits + numberBits + 1;
    const busyPlace = 2 ** (placeBits - 1);
    const headers = ram(uint(requestHeader * 8), { depth: busyPlace + 1, collision: "undefined", style: "distributed", name: "headers" });
    const place = (number: number, context: UInt): UInt => cat(constant(number, numberBits + 1), context);
    const written = node(mux(refused, constant(busyPlace, placeBits), onehotMux(here, slots.map((s, k) => place(k, s.context)))), { name: "written" });
    headers.write(strip.head.fire, written, strip.head.payload.header);
    const busy_opcode = reg(uint(8), { name: "busy_opcode" });
    const busy = stream(Busy, { name: "busy" });
    busy.valid.set(busy_full);
    busy.payload.set({ opcode: busy_opcode });
    when(strip.head.fire.and(refused), () => { busy_full.set(1); busy_opcode.set(clio.opcode); }).elseWhen(busy.fire, () => { busy_full.set(0); });
    return {
      soc: soc, busy: busy,
      store: { read: at => headers.readAsync(at), placeBits, place, busyPlace },
    };
  });
}
