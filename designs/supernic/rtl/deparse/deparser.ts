import {
  assertAlways,
  bit,
  type Bit,
  cat,
  connect,
  constant,
  encodeOnehot,
  fifo,
  instance,
  map,
  module,
  mux,
  node,
  onehotMux,
  priority,
  reg,
  repeat,
  sink,
  source,
  stage,
  stream,
  type StreamIn,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import type { AlignOutput } from "../../../shared/frame/index.ts";
import { Align, AlignJob, AxisBeat, ReadBeat } from "../../../shared/frame/index.ts";
import { headerOffsets } from "../../../shared/wire/index.ts";
import { PlainBeat, ShimInsert } from "./insert.ts";
import {
  countBits,
  type DeparserParameters,
  Leaving,
  Left,
  lengthBits,
  payloadBeatBits,
  PayloadJob,
  type Template,
} from "./records.ts";

const beatBytes = 64;
/** Packets, and parts of them, that wait for the aligner. */
const fetched = 4;
/** Where the template has what is filled in. */
const at = { ipLength: 16, ipChecksum: 24, udpLength: headerOffsets.transport + 4 } as const;

/** A number at two bytes of the template, network order. */
function putWord(data: UInt, byte: number, value: UInt): UInt {
  const turned = cat(value.bits(0, 8), value.bits(8, 8)),
    [low, high] = [8 * byte, 8 * byte + 16];
  return cat(data.bits(high, data.width - high), turned, data.bits(0, low)).is(data.width);
}
const onesAdd = (a: UInt, b: UInt): UInt => {
  const sum = node(a.zext(17).add(b.zext(17)));
  return sum.trunc(16).add(sum.bit(16).zext(16));
};
/** The template of a frame of so many bytes. */
function filled({ data, lengths, sum }: Val<typeof Template>, bytes: UInt): UInt {
  const ip = node(bytes.zext(16).sub(headerOffsets.network), { name: "ip_length" }),
    udp = node(bytes.zext(16).sub(headerOffsets.transport), { name: "udp_length" });
  const checksum = onesAdd(sum, ip).not();
  const words = putWord(putWord(putWord(data, at.ipLength, ip), at.ipChecksum, checksum), at.udpLength, udp);
  return mux(lengths, words, data);
}

/** Bits of a job of the aligner: a whole frame's bytes. */
const alignParameters = { beatBytes, tagBits: 1, lengthBits } as const;

/** A packet with what follows from its lengths. */
const Known = (p: DeparserParameters) =>
  struct({
    packet: Leaving(p),
    /** Bytes of its frame, tag and shim not counted. */
    bytes: uint(lengthBits),
    /** Bytes of the header that leave. */
    headLength: uint(countBits),
    /** Bytes in front of the payload. */
    behind: uint(countBits + 1),
    /** Which parts it has. */
    hasFront: bit,
    hasHead: bit,
    hasBody: bit,
  });

/**
 * The parts of a packet one after the other: what goes in front, the header, the payload. `step` goes on to the next,
 * and behind the last to the first of the next packet.
 */
function partsOf(name: string, { hasFront, hasHead, hasBody }: Val<ReturnType<typeof Known>>) {
  const front = reg(bit, { init: 0, name: `${name}_front_done` }),
    head = reg(bit, { init: 0, name: `${name}_head_done` });
  const isFront = node(hasFront.andNot(front), { name: `${name}_is_front` }),
    isHead = node(hasHead.andNot(head).andNot(isFront), { name: `${name}_is_head` });
  const more = mux(isFront, hasHead.or(hasBody), isHead.and(hasBody)),
    last = node(more.not(), { name: `${name}_is_last` });
  return {
    isFront,
    isHead,
    hasBody,
    last,
    first: front.or(head).not(),
    step: (fires: Bit): void => {
      when(fires, () => {
        front.set(more);
        head.set(more.and(isHead.or(head)));
      });
    },
  };
}
type Parts = ReturnType<typeof partsOf>;

/** A part as a job of the aligner; `tag` marks the last one of a packet. */
function jobOf({ isFront, isHead, last }: Parts, { packet, headLength, behind }: Val<ReturnType<typeof Known>>) {
  const { template, dropFront, payloadBytes } = packet;
  return {
    from: mux(isHead, dropFront.trunc(6), constant(0, 6)),
    to: priority([isFront, constant(0, 6)], [isHead, template.bytes.trunc(6)], behind.trunc(6)),
    length: priority([isFront, template.bytes.zext(lengthBits)], [isHead, headLength.zext(lengthBits)], payloadBytes),
    tag: last,
  };
}

/** Puts partial beats together: each job's first beat begins where the last one's ended. */
function packed(aligned: StreamIn<ReturnType<typeof AlignOutput>>) {
  const plain = stream(PlainBeat, { name: "plain" }),
    held = reg(uint(beatBytes * 8), { init: 0, name: "part_held" });
  const { data, keep, tag, last, bad } = aligned.payload,
    ends = node(last.and(tag.bit(0)), { name: "frame_ends" }),
    full = keep.bit(beatBytes - 1),
    gives = node(ends.or(full), { name: "beat_is_whole" });
  const lanes = Array.from({ length: beatBytes }, (_, i) => data.bits(8 * i, 8).and(repeat(keep.bit(i), 8)));
  const all = node(held.or(cat(...lanes.reverse()).is(beatBytes * 8)), { name: "part_joined" });
  plain.valid.set(aligned.valid.and(gives));
  aligned.ready.set(plain.ready);
  const edge = node(keep.andNot(keep.shr(1)), { name: "part_edge" });
  plain.payload.set({ data: all, count: encodeOnehot(edge).zext(countBits).add(1), last: ends, bad: bad.and(ends) });
  when(aligned.fire, () => {
    held.set(mux(gives, constant(0, beatBytes * 8), all));
  });
  return plain;
}

/**
 * The deparser (paper §5.4): packets become frames again. In front of the header goes a template, with its lengths and
 * IPv4 checksum; front bytes of the header are left out; the payload follows, which is fetched from the packet store
 * some packets ahead; tag and sNIC shim go behind the MACs; short frames are filled with zeros. Latency: 6 cycles
 * from a packet without payload to its beat. Initiation interval: a beat a cycle, a packet of one beat a cycle; a
 * template costs two cycles a packet. Full: packets wait while `frame` does. `left` tells that header and payload have
 * been read. A payload that is shorter than it should be is filled with zeros, and its frame marked bad. Reset: none
 * is under way.
 */
export const Deparser = module(
  "Deparser",
  (p: DeparserParameters) => ({
    packet: sink(Leaving(p)),
    read: source(PayloadJob(p)),
    payload: sink(ReadBeat(beatBytes)),
    left: source(Left(p)),
    frame: source(AxisBeat(beatBytes)),
  }),
  (io, p) => {
    const align = instance("align", Align(alignParameters)),
      insert = instance("insert", ShimInsert());

    // The payload is asked for when the packet comes.
    const given = io.packet.payload,
      asked = stream(Known(p), { name: "asked" }),
      hasBody = node(given.payloadBytes.any(), { name: "packet_has_body" });
    const bodyRoom = node(hasBody.not().or(io.read.ready), { name: "read_room" }),
      roomInside = node(asked.ready.and(insert.what.ready), { name: "packet_room" });
    insert.what.valid.set(io.packet.valid.and(asked.ready).and(bodyRoom));
    insert.what.payload.set({ tagged: given.tagged, tag: given.tag, shimmed: given.shimmed, shim: given.shim });
    io.read.valid.set(io.packet.valid.and(hasBody).and(roomInside));
    io.read.payload.set({
      first: given.firstCell,
      beats: given.payloadBytes
        .add(beatBytes - 1)
        .shr(6)
        .trunc(payloadBeatBits(p)),
    });
    asked.valid.set(io.packet.valid.and(bodyRoom).and(insert.what.ready));
    io.packet.ready.set(roomInside.and(bodyRoom));
    const headLength = node(given.headBytes.sub(given.dropFront), { name: "packet_head_length" }),
      front = given.template.bytes.zext(8).add(headLength.zext(8));
    asked.payload.set({
      packet: given,
      bytes: given.payloadBytes.add(front.zext(lengthBits)),
      headLength,
      behind: front,
      hasFront: given.template.bytes.any(),
      hasHead: headLength.any(),
      hasBody,
    });
    assertAlways(
      io.packet.valid.not().or(given.dropFront.le(given.headBytes)),
      "no more is left out in front than there is",
    );
    const something = hasBody.or(headLength.any()).or(given.template.bytes.any());
    assertAlways(io.packet.valid.not().or(something), "a packet has something that leaves");
    const waiting = stage(asked, "forward", { name: "packets" });

    // Its parts are told to the aligner. With the first one the packet itself goes on, to be given to it.
    const known = waiting.payload,
      telling = partsOf("told", known);
    const jobs = stream(AlignJob(alignParameters), { name: "jobs" }),
      going = stream(Known(p), { name: "going" }),
      goes = node(telling.first.not().or(going.ready), { name: "may_tell" }),
      begins = node(waiting.valid.and(telling.first).and(jobs.ready), { name: "begins" });
    jobs.valid.set(waiting.valid.and(goes));
    jobs.payload.set(jobOf(telling, known));
    telling.step(jobs.fire);
    connect(fifo(jobs, fetched, { name: "told_parts", style: "distributed" }), align.job);
    waiting.ready.set(jobs.ready.and(goes).and(telling.last));
    going.valid.set(begins);
    going.payload.set(known);
    const gone = map(fifo(going, fetched, { name: "gone", style: "distributed" }), Known(p), k => {
      const data = filled(k.packet.template, k.bytes);
      return { ...k, packet: { ...k.packet, template: { ...k.packet.template, data } } };
    });
    const fedPacket = stage(gone, "forward", { name: "fed" }),
      feeding = fedPacket.valid,
      fed = fedPacket.payload;

    // Template, header, payload; zeros for what a payload is too short.
    const parts = partsOf("feeding", fed),
      short = reg(bit, { init: 0 }),
      leftValid = reg(bit, { init: 0, name: "left_valid_q" }),
      left = reg(Left(p), { name: "left_q" });
    const isBody = node(parts.isFront.or(parts.isHead).not(), { name: "fed_is_body" }),
      room = node(leftValid.not().or(io.left.ready), { name: "left_room" }),
      there = node(isBody.not().or(short).or(io.payload.valid), { name: "part_is_there" });
    const wantsBody = node(feeding.and(room).and(isBody).andNot(short), { name: "wants_body" });
    align.input.valid.set(feeding.and(room).and(there));
    align.input.payload.set({
      data: onehotMux(
        [parts.isFront, parts.isHead, isBody.andNot(short)],
        [fed.packet.template.data, fed.packet.header, io.payload.payload.data],
      ),
      bad: isBody.and(short.or(io.payload.payload.bad)),
    });
    io.payload.ready.set(wantsBody.and(align.input.ready));
    const partEnds = node(align.input.fire.and(align.inputLast), { name: "part_ends" });
    const fedAll = node(partEnds.and(parts.last), { name: "fed_all" });
    fedPacket.ready.set(fedAll);
    parts.step(partEnds);
    when(partEnds, () => short.set(0)).elseWhen(io.payload.fire.and(io.payload.payload.last), () => short.set(1));
    when(room, () => leftValid.set(fedAll));
    when(fedAll, () => left.set({ ctx: fed.packet.ctx, firstCell: fed.packet.firstCell, hasCells: parts.hasBody }));
    io.left.valid.set(leftValid);
    io.left.payload.set(left);

    connect(stage(packed(align.output), "full", { name: "whole" }), insert.plain);
    connect(insert.frame, io.frame);
  },
  { nameOf: p => `Deparser_c${p.contexts}_k${p.cells}_m${p.payloadBeats}` },
);
