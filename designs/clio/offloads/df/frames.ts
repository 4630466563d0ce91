import {
  assertAlways,
  bit,
  cat,
  constant,
  Fifo,
  fsm,
  input,
  type Inside,
  instance,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  source,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { beatsOf, BodyBeat, bodyLengthBits, OffloadReply } from "../../offload/index.ts";
import { dfSelectReplyBody, opcode, replyCode, status } from "../../wire/index.ts";
import { HalfOf, Placed, PlacedBytes } from "./place.ts";
import { contextBits, type DataFrameParameters, Frame, frameBeats, laneBits, replyHeaderBytes } from "./types.ts";
import { QueryWrite } from "./walk.ts";

const byteBits = 8;

/** Bits of a turn that are done in one cycle: a choice of four, which is one LUT for each bit. */
const turnBits = 2;

/** Lanes (of `unit` bits) turned upwards, round the end, by what the bits of `by` from `first` on are worth. */
function turned(v: UInt, by: UInt, first: number, unit: number): UInt {
  let out = v;
  for (let k = first; k < Math.min(by.width, first + turnBits); k++) {
    const n = unit * 2 ** k,
      w = v.width;
    out = mux(by.bit(k), cat(out.bits(0, w - n), out.bits(w - n, n)), out);
  }
  return out;
}

const framesPorts = (p: DataFrameParameters) => ({
  queries: input(QueryWrite(p)),
  placed: input(Placed(p)),
  sent: output(HalfOf(p)),
  reply: source(OffloadReply(p)),
  replyData: source(BodyBeat(p)),
});
type Io = Inside<ReturnType<typeof framesPorts>>;

/** What is placed, turned to its lanes. */
function turnBytes(io: Io, p: DataFrameParameters) {
  const lanes = laneBits(p);
  let i: Val<ReturnType<typeof Placed>> = io.placed;
  for (let k = 0; k < lanes; k += turnBits) {
    const next = reg(PlacedBytes(p), { name: `turned_${k}` }),
      en = reg(bit, { init: 0, name: `turned_${k}_valid` }),
      ends = reg(bit, { init: 0, name: `turned_${k}_ends` });
    next.set({
      context: i.context,
      half: i.half,
      at: i.at,
      turn: i.turn,
      frame: i.frame,
      data: turned(i.data, i.turn, k, byteBits),
      mask: turned(i.mask, i.at.trunc(lanes), k, 1),
    });
    en.set(i.en);
    ends.set(i.completes);
    i = { ...next, en, completes: ends };
  }
  return i;
}

/** It is written, over two beats where it must. */
function writeBytes(p: DataFrameParameters, i: ReturnType<typeof turnBytes>) {
  const lanes = laneBits(p),
    width = p.beatBytes * byteBits,
    beatBits = Math.log2(frameBeats(p)),
    all = (1n << BigInt(p.beatBytes)) - 1n;
  const beat = node(i.at.bits(lanes, beatBits));
  const inEven = reg(uint(p.beatBytes));
  const data = reg(uint(width));
  const mask = reg(uint(p.beatBytes));
  const writes = reg(bit, { init: 0 });
  const evenAt = reg(uint(contextBits(p) + beatBits));
  const oddAt = reg(uint(contextBits(p) + beatBits));
  writes.set(i.en);
  data.set(i.data);
  mask.set(i.mask);
  inEven.set(
    constant(all, p.beatBytes)
      .shl(i.at.trunc(lanes))
      .xor(repeat(beat.bit(0), p.beatBytes)),
  );
  evenAt.set(cat(i.context, i.half, beat.add(1).bits(1, beatBits - 1)));
  oddAt.set(cat(i.context, i.half, beat.bits(1, beatBits - 1)));
  const bank = (name: string) =>
    ram(uint(width), { depth: p.contexts * frameBeats(p), collision: "undefined", style: "block", name });
  const even = bank("even"),
    odd = bank("odd");
  even.write(writes, evenAt, data, mask.and(inEven));
  odd.write(writes, oddAt, data, mask.and(inEven.not()));

  return { even, odd };
}

/** Complete frames, in their order. */
function completeFrames(p: DataFrameParameters, i: ReturnType<typeof turnBytes>) {
  const completes = reg(bit, { init: 0 });
  const complete = reg(Frame(p));
  completes.set(i.completes);
  complete.set(i.frame);
  const frames = instance("frames", Fifo({ shape: Frame(p), depth: 2 * p.contexts, style: "distributed" }));
  frames.push.valid.set(completes);
  frames.push.payload.set(complete);
  assertAlways(completes.not().or(frames.push.ready), "there is room for two frames of each context");

  return frames;
}

/** A frame on its way out. */
function sendingOf(io: Io, p: DataFrameParameters) {
  const beatBits = Math.log2(frameBeats(p));
  const Head = struct({ table: uint(64), opcode: uint(byteBits) });
  const heads = ram(Head, { depth: p.contexts, collision: "undefined", style: "distributed" });
  const nexts = ram(uint(64), { depth: p.contexts, collision: "undefined", style: "distributed" });
  heads.write(io.queries.en, io.queries.query.context, {
    table: io.queries.query.table,
    opcode: io.queries.query.opcode,
  });
  const follows = reg(vec(bit, p.contexts), { init: Array.from({ length: p.contexts }, () => 0) });
  const frame = reg(Frame(p));
  const head = reg(Head);
  const next = reg(uint(64));
  const isLater = reg(bit);
  const va = reg(uint(64));
  const length = reg(uint(bodyLengthBits));
  const code = reg(uint(byteBits));
  const beatOut = reg(uint(beatBits));
  const left = reg(uint(beatBits + 1), { init: 0 });
  const headerDue = reg(bit, { init: 0 });
  const outValid = reg(bit, { init: 0 });
  const outBeat = reg(uint(beatBits));
  const outLast = reg(bit);

  const body = node(
    mux(frame.status.any(), constant(0, bodyLengthBits), frame.bytes.zext(bodyLengthBits).add(replyHeaderBytes)),
  );
  const at = node(mux(isLater, next, head.table));
  const pulls = node(left.any().and(outValid.not().or(io.replyData.ready)));
  const over = node(headerDue.not().or(io.reply.ready).and(left.eq(0)).and(outValid.not().or(io.replyData.ready)));
  return {
    heads,
    nexts,
    follows,
    frame,
    head,
    next,
    isLater,
    va,
    length,
    code,
    beatOut,
    left,
    headerDue,
    outValid,
    outBeat,
    outLast,
    body,
    at,
    pulls,
    over,
  };
}
type Sending = ReturnType<typeof sendingOf>;

/** Takes frames, one after another, and heads them. */
function headFrames(io: Io, p: DataFrameParameters, frames: ReturnType<typeof completeFrames>, sending: Sending): void {
  const { heads, nexts, follows, frame, head, next, isLater, va, length, code } = sending,
    { beatOut, left, headerDue, body, at, over } = sending,
    beatBits = Math.log2(frameBeats(p));
  frames.pop.ready.set(0);
  const s = fsm(["idle", "prepare", "send"], "idle", go => ({
    idle: () => {
      const f = frames.pop.payload;
      frames.pop.ready.set(1);
      frame.set(f);
      head.set(heads.readAsync(f.context));
      next.set(nexts.readAsync(f.context));
      isLater.set(follows.at(f.context));
      when(frames.pop.valid, () => go.go("prepare"));
    },
    prepare: () => {
      va.set(at);
      length.set(body);
      code.set(mux(frame.status.eq(status.MALFORMED), head.opcode, replyCode(opcode.DF_SELECT)));
      follows.setAt(frame.context, frame.more);
      headerDue.set(1);
      left.set(beatsOf(body, p).trunc(beatBits + 1));
      beatOut.set(0);
      go.go("send");
    },
    send: () => {
      when(io.reply.ready, () => headerDue.set(0));
      when(over, () => go.go("idle"));
    },
  }));
  nexts.write(s.is("prepare"), frame.context, at.add(frame.bytes.zext(64)));
  io.reply.valid.set(headerDue);
  io.reply.payload.set({ context: frame.context, status: frame.status, opcode: code, length, more: frame.more });
  io.sent.set({ valid: s.is("send").and(over), context: frame.context, half: frame.half });
}

/** Beats out, with table and length in front of the rows. */
function sendBeats(
  io: Io,
  p: DataFrameParameters,
  { even, odd }: ReturnType<typeof writeBytes>,
  sending: Sending,
): void {
  const { frame, va, beatOut, left, outValid, outBeat, outLast, pulls } = sending,
    width = p.beatBytes * byteBits,
    beatBits = Math.log2(frameBeats(p));
  when(pulls, () => {
    left.set(left.sub(1));
    beatOut.set(beatOut.add(1));
    outBeat.set(beatOut);
    outLast.set(left.eq(1));
  });
  when(outValid.not().or(io.replyData.ready), () => outValid.set(pulls));
  const readAt = node(cat(frame.context, frame.half, beatOut.bits(1, beatBits - 1)));
  const evenWord = even.readSync(readAt, { en: pulls });
  const oddWord = odd.readSync(readAt, { en: pulls });
  const word = node(mux(outBeat.bit(0), oddWord, evenWord));
  const header = node(joinFields(dfSelectReplyBody, { table: va, length: frame.bytes.zext(31), more: frame.more }));
  let shown: UInt = word;
  for (let k = 0; k * width < header.width; k++) {
    const bits = Math.min(width, header.width - k * width),
      part = header.bits(k * width, bits);
    shown = mux(outBeat.eq(k), bits === width ? part : cat(word.bits(bits, width - bits), part), shown);
  }
  io.replyData.valid.set(outValid);
  io.replyData.payload.set({ data: shown, last: outLast });
}

/**
 * The frames of the results: keeps what is placed, two frames of each context, and sends the complete ones in their
 * order. Table and length stand in front of the rows. The table of a later frame is higher by the bytes of its
 * request's earlier frames. A status other than OK goes alone, without a body; MALFORMED with the request's opcode.
 *
 * Latency: 6 cycles and half the bits of a lane's number from the `placed` that completes a frame to `reply` and the
 * first `reply_data`. Initiation interval: 1 beat per cycle, 3 cycles more for each frame. Never full: a context has
 * two frames, and what would be a third waits in DfPlace until `sent`. Reset drops all frames.
 */
export const DfFrames = module(
  "DfFrames",
  framesPorts,
  (io, p) => {
    const placed = turnBytes(io, p),
      banks = writeBytes(p, placed),
      frames = completeFrames(p, placed);
    const sending = sendingOf(io, p);
    headFrames(io, p, frames, sending);
    sendBeats(io, p, banks, sending);
  },
  { nameOf: p => `DfFrames_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);
