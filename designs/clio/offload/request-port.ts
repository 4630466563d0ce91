import {
  assignView,
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
  ram,
  reg,
  scope,
  stage,
  stream,
  type StreamIn,
  type StreamOut,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";
import { bitsOfOpcode, clioHeader, clioSize, frameOffsets, statusBits } from "../wire/index.ts";
import { ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import { AxisBeat, cutFields, HeaderStrip } from "../../shared/frame/index.ts";
import type { NetConfig } from "../rtl/index.ts";
import type { SlotParameters } from "./slot/ports.ts";
import { type OnceParameters, OnceTable, onceVerdict, rememberedBytes } from "./once-table.ts";
import type { Forgetting } from "./forget.ts";
import { beatsOf, BodyBeat, bodyLengthBits, forgetOpcode, type OffloadRequest } from "./types.ts";

type Frames = ReturnType<typeof AxisBeat>;
type Bodies = ReturnType<typeof BodyBeat>;
/** The request side's view of a slot. */
export interface RequestSide {
  readonly opcodes: readonly number[];
  /** Operations that are done at most once. */
  readonly once: readonly number[];
  readonly room: Bit;
  readonly nextContext: UInt;
  readonly client: { set(v: UInt): void };
  /** The client may have one more request inside, 2 cycles after `client`. */
  readonly fits: Bit;
  /** Of an offload that keeps what processes give it: it is asked for those that exist only. */
  readonly removal?: Forgetting | undefined;
  readonly asked: StreamOut<ReturnType<typeof OffloadRequest>>;
  readonly askedData: StreamOut<Bodies>;
}

/** Which processes exist: an ask stays until it is answered. */
export interface ProcessSide {
  readonly ask: { set(v: { readonly valid: Bit; readonly pid: UInt }): void };
  readonly answer: { readonly valid: Bit; readonly exists: Bit };
}

/** Bytes of a request's headers: the part kept for its reply. */
export const requestHeader = frameOffsets.body;
const opcodeByte = frameOffsets.clio + clioHeader.at.opcode.byteOffset,
  pidByte = frameOffsets.clio + clioHeader.at.pid.byteOffset;

/**
 * The headers of requests until they are answered, by slot and context; one more place for a request that
 * the host answers.
 */
export interface HeaderStore {
  /** The header at a place, in the same cycle. */
  read(place: UInt): UInt;
  readonly placeBits: number;
  /** The place of a context of a slot; `hostPlace` is the other one. */
  place(number: number, context: UInt): UInt;
  readonly hostPlace: number;
}
export interface Requests {
  /** Frames for the software. */
  readonly soc: StreamIn<Frames>;
  readonly store: HeaderStore;
  /** The answer to a request that no offload gets: its header stands at `hostPlace` until this is taken. */
  readonly host: StreamIn<typeof HostAnswer>;
  /** By slot, for a cycle: the host asks the offload itself, to remove what it keeps for a process. */
  readonly forgets: readonly Bit[];
  /** One-cycle pulses: a request answered BUSY; a repetition answered as the first was. */
  readonly busy: Bit;
  readonly repeated: Bit;
  /** Where the answer of the request at a place is to be remembered, in the same cycle. */
  entryOf(place: UInt): { readonly valid: Bit; readonly entry: UInt };
  /** An operation that is done at most once has been answered. */
  done(
    valid: Bit,
    reply: {
      readonly entry: UInt;
      readonly status: UInt;
      readonly opcode: UInt;
      readonly length: UInt;
      readonly body: UInt;
    },
  ): void;
}
/** BUSY, or what an operation was answered before. */
export const HostAnswer = struct({
  status: uint(4),
  opcode: uint(8),
  length: uint(bodyLengthBits),
  body: uint(rememberedBytes * 8),
});

/**
 * Frames on their way to the slow path, parted by their opcode. Frames of an offload go to its slot; all others go on
 * to the software as they are. A request for an offload without room (all its contexts taken, or bodies waiting) is
 * answered BUSY at once. An operation that is done at most once is looked up (once-table.ts). A repetition of such an
 * operation is answered as the first time, or BUSY while the operation is being done. A frame waits here for nothing
 * but the one before it, so no offload can hold up the software's frames.
 *
 * A frame for an offload that keeps what processes give it (`removal`) goes there when its process exists, else to the
 * software. A removal is asked for between two frames, behind all that was let in while its process existed.
 *
 * A client that has as many requests in an offload as it has free contexts is answered BUSY, too (slot.ts).
 *
 * Latency for the software: 1 cycle and the beats up to the opcode's. For an offload: the whole frame, 5 cycles (13
 * when the operation is looked up) and its body's beats, and 5 more when its process is looked up. Initiation interval:
 * 1 beat for the software; one frame at a time for offloads.
 */
export function requestFrames(
  frames: StreamIn<Frames>,
  slots: readonly RequestSide[],
  processes: ProcessSide | undefined,
  p: SlotParameters,
  remembered: OnceParameters,
  config: Val<typeof NetConfig>,
): Requests {
  return scope("requests", () => {
    const { beatBytes } = p,
      opcodeBeat = Math.floor(opcodeByte / beatBytes);

    // The opcode of each frame, known before its first beat leaves.
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
    if (looked) {
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
    const forgets = slots.map((s, k) =>
      s.removal ? node(s.room.and(parting.not()).and(s.removal.pending), { name: `forgets_${k}` }) : constant(0, 1),
    );
    const open = node(first.not().or(mayBegin), { name: "open" });

    const soc = stream(AxisBeat(beatBytes), { name: "soc" }),
      apart = stream(AxisBeat(beatBytes), { name: "apart" });
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

    // ---- A request for an offload: its body waits until it is known what becomes of it.
    const strip = instance("strip", HeaderStrip({ beatBytes, headerBytes: requestHeader, routeByte: 0, ...clioSize }));
    connect(apart, strip.frame);
    const bodyBeats = Math.ceil(p.maxBody / beatBytes);
    const body = instance(
      "body",
      Fifo({ shape: BodyBeat(p), depth: 2 ** Math.ceil(Math.log2(bodyBeats + 1)), style: "distributed" }),
    );
    connect(strip.data, body.push);
    const head = stage(strip.head, "forward", { name: "parted" });
    const clio = cutFields(clioHeader, head.payload.header, frameOffsets.clio),
      ip = cutFields(ipv4Header, head.payload.header, frameOffsets.network);
    const udp = cutFields(udpHeader, head.payload.header, frameOffsets.transport);

    // A client has its turn, or is answered BUSY: known two cycles after the head.
    const client = node(cat(ip.src, udp.srcPort), { name: "client" });
    // The host's own requests are of a client of its own.
    slots.forEach((s, k) =>
      s.client.set(s.removal ? mux(forgets[k] as Bit, cat(config.ip, constant(0, 16)), client) : client),
    );
    const waited = reg(uint(2), { init: 0, name: "waited" }),
      weighed = node(waited.bit(1), { name: "weighed" });
    const fits = node(orTree(slots.map((s, k) => toSlot.bit(k).and(s.fits))), { name: "fits" });

    const once = instance("once", OnceTable(remembered));
    const onceCodes = slots.flatMap(s => s.once),
      ofOnce = onceCodes.length === 0 ? constant(0, 1) : orTree(onceCodes.map(o => clio.opcode.eq(bitsOfOpcode(o))));
    const looksUp = node(clio.flagTracked.and(udp.dstPort.eq(config.nativePort)).and(ofOnce).and(fits), {
      name: "looks_up",
    });
    const asked = reg(bit, { init: 0, name: "asked" });
    once.ask.valid.set(head.valid.and(weighed).and(looksUp).and(asked.not()));
    once.ask.payload.set({
      client,
      operation: mux(clio.flagRetry, clio.retryOf, clio.requestId).is(32),
    });
    when(once.ask.fire, () => asked.set(1));
    const told = once.answer.payload,
      known = node(weighed.and(looksUp.not().or(once.answer.valid)), { name: "known" });
    const fresh = node(looksUp.not().or(told.verdict.eq(onceVerdict.fresh)), { name: "fresh" });

    /** The request's fate is decided: its head goes to its slot, or to the host's answer. */
    const decides = node(head.valid.and(known), { name: "decides" });
    const enters = node(decides.and(fresh).and(fits), { name: "enters" });
    const here = slots.map((_, k) => node(toSlot.bit(k), { name: `here_${k}` }));
    slots.forEach((s, k) => {
      const { removal } = s,
        forget = forgets[k] as Bit,
        entering = enters.and(here[k] as Bit);
      s.asked.valid.set(removal ? entering.or(forget) : entering);
      s.asked.payload.set({
        context: s.nextContext,
        opcode: removal ? mux(forget, constant(forgetOpcode, 8), clio.opcode) : clio.opcode,
        pid: removal ? mux(forget, removal.pid, clio.pid).is(16) : clio.pid,
        length: removal ? mux(forget, constant(0, bodyLengthBits), head.payload.length) : head.payload.length,
      });
      if (removal)
        when(forget, () => {
          removal.pending.set(0);
          removal.context.set(s.nextContext);
        });
    });
    // A slot that said it has room takes the head at once.
    head.ready.set(decides);
    once.answer.ready.set(head.valid);
    when(decides, () => {
      asked.set(0);
      waited.set(0);
    }).elseWhen(head.valid.and(weighed.not()), () => waited.set(waited.add(1)));

    // Then its body goes the same way, beat by beat, or nowhere.
    const bodyLeft = reg(uint(bodyLengthBits), { init: 0, name: "body_left" });
    const bodyKept = reg(bit, { name: "body_kept" });
    const moving = node(bodyLeft.any(), { name: "moving" });
    slots.forEach((s, k) => {
      s.askedData.valid.set(
        body.pop.valid
          .and(moving)
          .and(bodyKept)
          .and(here[k] as Bit),
      );
      s.askedData.payload.set({ data: body.pop.payload.data, last: body.pop.payload.last });
    });
    const takes = node(bodyKept.not().or(orTree(slots.map((s, k) => (here[k] as Bit).and(s.askedData.ready)))), {
      name: "takes",
    });
    body.pop.ready.set(moving.and(takes));
    const beats = node(beatsOf(head.payload.length, p).resize(bodyLengthBits), { name: "beats" });
    when(decides, () => {
      bodyLeft.set(beats);
      bodyKept.set(enters);
    }).elseWhen(body.pop.fire, () => bodyLeft.set(bodyLeft.sub(1)));
    when(begins.and(offloaded), () => parting.set(1)).elseWhen(
      decides.and(beats.any().not()).or(body.pop.fire.and(bodyLeft.eq(1))),
      () => parting.set(0),
    );

    // ---- The store.
    const contextBits = Math.log2(p.contexts),
      numberBits = Math.max(1, Math.ceil(Math.log2(slots.length))),
      placeBits = contextBits + numberBits + 1;
    const hostPlace = 2 ** (placeBits - 1);
    const headers = ram(uint(requestHeader * 8), {
      depth: 2 ** placeBits,
      collision: "undefined",
      style: "distributed",
      name: "headers",
    });
    const place = (number: number, context: UInt): UInt => cat(constant(number, numberBits + 1), context);
    const written = node(
      mux(
        enters,
        onehotMux(
          here,
          slots.map((s, k) => place(k, s.nextContext)),
        ),
        constant(hostPlace, placeBits),
      ),
      { name: "written" },
    );
    headers.write(decides, written, head.payload.header);
    // Index of the table entry of a request, to record the answer there.
    const Entry = struct({ valid: bit, entry: uint(Math.log2(remembered.entries)) });
    const entries = ram(Entry, {
      depth: 2 ** placeBits,
      collision: "undefined",
      style: "distributed",
      name: "entries",
    });
    entries.write(decides, written, { valid: looksUp.and(enters), entry: told.entry });

    const hostAnswer = reg(HostAnswer, { name: "host_answer" });
    const host = stream(HostAnswer, { name: "host" });
    host.valid.set(hostFull);
    assignView(host.payload, hostAnswer, "host");
    const again = node(looksUp.and(told.verdict.eq(onceVerdict.done)), { name: "again" });
    when(decides.and(enters.not()), () => {
      hostFull.set(1);
      hostAnswer.set({
        status: mux(again, told.status, statusBits.BUSY),
        opcode: mux(again, told.opcode, clio.opcode),
        length: mux(again, told.length.zext(bodyLengthBits), constant(0, bodyLengthBits)),
        body: told.body,
      });
    }).elseWhen(host.fire, () => hostFull.set(0));
    return {
      busy: node(decides.and(enters.not()).and(again.not()), { name: "answers_busy" }),
      repeated: node(decides.and(again), { name: "answers_again" }),
      forgets,
      soc: soc,
      host: host,
      store: { read: at => headers.readAsync(at), placeBits, place, hostPlace },
      entryOf: at => entries.readAsync(at),
      done: (valid, reply) => once.done.set({ ...reply, valid, length: reply.length.trunc(once.done.length.width) }),
    };
  });
}
