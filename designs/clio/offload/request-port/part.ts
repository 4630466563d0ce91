/** Frames are parted by their opcode: for an offload, or for the software. */
import {
  bit,
  type Bit,
  bitsFor,
  cat,
  connect,
  constant,
  Fifo,
  fromBits,
  instance,
  mux,
  node,
  onehotMux,
  orTree,
  reg,
  stream,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { bitsOfOpcode, clioHeader, frameOffsets } from "../../wire/index.ts";
import type { Frames, RequestPath } from "./types.ts";

const opcodeByte = frameOffsets.clio + clioHeader.at.opcode.byteOffset,
  pidByte = frameOffsets.clio + clioHeader.at.pid.byteOffset;

/** The opcode of each frame, known before its first beat leaves. */
function queueFrames(frames: StreamIn<Frames>, { p, processes }: RequestPath) {
  const { beatBytes } = p,
    opcodeBeat = Math.floor(opcodeByte / beatBytes);

  const waiting = instance(
    "waiting",
    Fifo({ shape: AxisBeat(beatBytes), depth: 2 ** Math.ceil(Math.log2(opcodeBeat + 3)), style: "distributed" }),
  );
  // And its process, where that counts, above it.
  const opcodes = instance("opcodes", Fifo({ shape: uint(processes ? 24 : 8), depth: 4, style: "distributed" }));
  connect(frames, waiting.push);
  const index = reg(uint(bitsFor(opcodeBeat + 1)), { init: 0, name: "index" });
  when(frames.fire, () =>
    index.set(mux(frames.payload.last, constant(0, index.width), mux(index.eq(opcodeBeat + 1), index, index.add(1)))),
  );
  // There are never more frames in `waiting` than there is room for here: the shortest has 60 bytes. Beats of 64
  // bytes are frames of their own.
  opcodes.push.valid.set(frames.fire.and(index.eq(opcodeBeat)));
  const ofFrame = (byte: number, bits: number): UInt => frames.payload.data.bits((byte % beatBytes) * 8, bits);
  opcodes.push.payload.set(processes ? cat(ofFrame(pidByte, 16), ofFrame(opcodeByte, 8)) : ofFrame(opcodeByte, 8));

  return { waiting, opcodes };
}
type Queues = ReturnType<typeof queueFrames>;

/** Which slot the frame is for. */
function targetOf({ slots, processes }: RequestPath, opcodes: Queues["opcodes"]) {
  const first = reg(bit, { init: 1, name: "first" });
  const opcode = opcodes.pop.payload.trunc(8);
  const targets = slots.map((s, k) =>
    node(orTree(s.opcodes.map(o => opcode.eq(bitsOfOpcode(o)))), { name: `for_${k}` }),
  );
  const target = node(fromBits(targets), { name: "target" });
  const ofOffload = node(target.any(), { name: processes ? "of_offload" : "offloaded" });
  // A process that does not exist has nothing in an offload that keeps things for processes: it is the software's.
  const looked = processes && {
    of: processes,
    owned: node(orTree(slots.flatMap((s, k) => (s.removal ? [targets[k] as Bit] : []))), { name: "owned" }),
    checked: reg(bit, { init: 0, name: "checked" }),
    exists: reg(bit, { name: "exists" }),
  };
  const offloaded = looked
    ? node(ofOffload.and(looked.owned.not().or(looked.checked.not()).or(looked.exists)), { name: "offloaded" })
    : ofOffload;
  return { first, opcode, targets, target, looked, offloaded };
}
type Target = ReturnType<typeof targetOf>;

/** Asks whether the frame's process exists, one that an offload would keep something for. */
function askForProcess(
  { looked }: Target,
  opcodes: Queues["opcodes"],
  { calm, waits }: { readonly calm: Bit; readonly waits: Bit },
): void {
  if (looked === undefined) return;
  const { answer, ask } = looked.of,
    wants = node(opcodes.pop.valid.and(looked.owned).and(looked.checked.not()).and(calm).and(waits.not()), {
      name: "wants",
    });
  ask.set({ valid: wants, pid: opcodes.pop.payload.shr(8).trunc(16) });
  when(answer.valid.and(wants), () => {
    looked.checked.set(1);
    looked.exists.set(answer.exists);
  });
}

/** Whether the frame's first beat may leave. */
function openOf({ slots }: RequestPath, { opcodes }: Queues, to: Target) {
  const { first, targets, looked, offloaded } = to;
  /** One frame at a time is taken apart. */
  const parting = reg(bit, { init: 0, name: "parting" });
  const hostFull = reg(bit, { init: 0, name: "host_full" });
  const room = node(
    onehotMux(
      targets,
      slots.map(s => s.room),
    ).is(1),
    { name: "room" },
  );
  const toSoc = reg(bit, { name: "to_soc" });
  const toSlot = reg(uint(slots.length), { name: "to_slot" });
  const goesSoc = node(mux(first, offloaded.not(), toSoc), { name: "goes_soc" });
  const calm = node(parting.not().and(hostFull.not()), { name: "calm" });
  // While the offload is to be asked for a removal, no request for it begins that would come before that one.
  const waits = orTree([
    constant(0, 1),
    ...slots.flatMap((s, k) => (s.removal ? [(targets[k] as Bit).and(s.room).and(s.removal.pending)] : [])),
  ]);
  const settled = looked ? looked.owned.not().or(looked.checked).and(waits.not()) : constant(1, 1);
  const mayBegin = node(opcodes.pop.valid.and(offloaded.not().or(calm.and(settled))), { name: "may_begin" });
  askForProcess(to, opcodes, { calm, waits });
  const forgets = slots.map((s, k) =>
    s.removal ? node(s.room.and(parting.not()).and(s.removal.pending), { name: `forgets_${k}` }) : constant(0, 1),
  );
  const open = node(first.not().or(mayBegin), { name: "open" });

  return { parting, hostFull, room, toSoc, toSlot, goesSoc, forgets, open };
}

/** @returns the software's frames, and those that are taken apart, one at a time */
export function partFrames(frames: StreamIn<Frames>, path: RequestPath) {
  const { slots, p } = path,
    { waiting, opcodes } = queueFrames(frames, path);
  const to = targetOf(path, opcodes),
    { first, target, looked, offloaded } = to;
  const { parting, hostFull, room, toSoc, toSlot, goesSoc, forgets, open } = openOf(path, { waiting, opcodes }, to);

  const soc = stream(AxisBeat(p.beatBytes), { name: "soc" }),
    apart = stream(AxisBeat(p.beatBytes), { name: "apart" });
  const offered = node(waiting.pop.valid.and(open), { name: "offered" });
  soc.valid.set(offered.and(goesSoc));
  apart.valid.set(offered.and(goesSoc.not()));
  for (const s of [soc, apart])
    s.payload.set({
      data: waiting.pop.payload.data,
      keep: waiting.pop.payload.keep,
      last: waiting.pop.payload.last,
      user: waiting.pop.payload.user,
    });
  waiting.pop.ready.set(open.and(mux(goesSoc, soc.ready, apart.ready)));
  const begins = node(waiting.pop.fire.and(first), { name: "begins" });
  opcodes.pop.ready.set(begins);
  when(waiting.pop.fire, () => first.set(waiting.pop.payload.last));
  // What was known of a process before a removal is asked for anew. A frame that is offered to the software stays so.
  if (looked) when(begins.or(orTree(forgets).and(looked.exists)), () => looked.checked.set(0));
  when(begins, () => {
    toSoc.set(offloaded.not());
    // A frame for the software may pass while a request before it is still being taken apart: its slot stays.
    when(offloaded, () => toSlot.set(mux(room, target, constant(0, slots.length))));
  });

  return { soc, apart, begins, offloaded, parting, hostFull, toSlot, forgets };
}
export type Parted = ReturnType<typeof partFrames>;
