import {
  assertAlways,
  bit,
  type Bit,
  connect,
  module,
  node,
  onehotMux,
  reg,
  sink,
  source,
  stream,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ReadBeat } from "../../../shared/frame/index.ts";
import { earlyQueue } from "../../../shared/stream/index.ts";
import { partOf } from "./parts.ts";
import { placed, turnedBeat } from "./placed.ts";
import { beatBytes, type DeparserParameters, Leaving, LeavingBeat } from "./records.ts";
import { filledTemplate } from "./template.ts";

/** Beats of frames that wait, and contexts of packets that have been read. */
const waitingBeats = 4,
  waitingPackets = 4;

/** What is told of a packet's lengths is so. */
function checkLengths(p: Val<ReturnType<typeof Leaving>>, valid: Bit): void {
  const holds = (what: Bit, text: string): void => {
    assertAlways(valid.not().or(what), text);
  };
  holds(p.hasFront.eq(p.template.bytes.any()), "a packet has a front if that has bytes");
  holds(p.hasHead.eq(p.headLength.any()), "a packet has a header if that has bytes");
  holds(p.hasBody.eq(p.payloadBytes.any()), "a packet has a body if that has bytes");
  holds(p.hasFront.or(p.hasHead).or(p.hasBody), "a packet has something that leaves");
  holds(
    p.payloadBeats.eq(
      p.payloadBytes
        .add(beatBytes - 1)
        .shr(6)
        .resize(p.payloadBeats.width),
    ),
    "beats are those of the payload",
  );
}

/**
 * The deparser (paper §5.4): packets become frames again. In front of the header goes a template, with its lengths and
 * IPv4 checksum; front bytes of the header are left out; the payload follows, and its trailer; tag and sNIC shim go
 * behind the MACs; short frames are filled with zeros. Latency: 2 cycles from a packet, or from a beat of its payload,
 * to its beat.
 * Initiation interval: a beat a cycle, a packet of one beat a cycle; a template costs two cycles a packet. Full:
 * packets wait while `frame` does. `left` tells that header and payload have been read. A payload that is shorter than
 * it should be is filled with zeros, and its frame marked bad. Reset: none is under way.
 */
export const Deparser = module(
  "Deparser",
  (p: DeparserParameters) => ({
    packet: sink(Leaving(p)),
    payload: sink(ReadBeat(beatBytes)),
    left: source(uint(Math.log2(p.contexts))),
    frame: source(LeavingBeat(p)),
  }),
  (io, p) => {
    const packet = io.packet.payload,
      template = filledTemplate(io.packet, p.trailers),
      read = stream(uint(Math.log2(p.contexts)), { name: "read" });
    checkLengths(packet, io.packet.valid);

    // The beat that is next, if it is there. Of a payload that is too short the rest is zeros.
    const part = partOf(packet, template.settled, p.trailers),
      turning = turnedBeat(p),
      out = placed(p, turning),
      short = reg(bit, { init: 0, name: "short" }),
      body = io.payload.payload;
    const bodyThere = node(part.known.and(part.isBody.not().or(short).or(io.payload.valid)), { name: "body_is_there" }),
      frontThere = node(part.isFront.not().or(template.known), { name: "front_is_there" }),
      leftRoom = node(part.last.not().or(read.ready), { name: "left_room" });
    const there = node(io.packet.valid.and(bodyThere).and(frontThere).and(leftRoom), { name: "part_is_there" }),
      takes = node(there.and(out.ready), { name: "takes_part" }),
      goes = node(takes.and(part.last), { name: "packet_goes" });
    part.step(takes);
    io.packet.ready.set(goes);
    io.payload.ready.set(takes.and(part.isBody).andNot(short));
    when(takes, () => short.set(part.last.not().and(short.or(io.payload.fire.and(body.last)))));
    read.valid.set(goes);
    read.payload.set(packet.ctx);
    connect(earlyQueue(read, waitingPackets, "read_packets"), io.left);

    // Turned to its lanes, and joined with what is held.
    turning.load(
      {
        valid: there,
        part,
        data: onehotMux(
          [part.isFront, part.isHead, part.isBody.andNot(short), ...(p.trailers === true ? [part.isTail] : [])],
          [template.data, packet.header, body.data, ...(p.trailers === true ? [packet.tail.zext(8 * beatBytes)] : [])],
        ),
        bad: part.isBody.and(short.or(body.bad)),
        about: packet.about,
        headTurn: packet.headTurn,
        frontBytes: packet.template.bytes.trunc(packet.headTurn.width),
      },
      out,
    );
    connect(earlyQueue(out.frame, waitingBeats, "whole_beats"), io.frame);
  },
  { nameOf: p => `Deparser_c${p.contexts}_t${p.toBits}${p.trailers === true ? "_tail" : ""}` },
);
