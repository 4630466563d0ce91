import {
  bit,
  cat,
  connect,
  constant,
  input,
  module,
  mux,
  node,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  unpack,
  when,
  without,
} from "../../../../hdl-dsl/index.ts";
import { ethernetHeader, etherType, ipv4Header, minimumFrame, udpHeader } from "../../../shared/wire/index.ts";
import { gbnHeader, gbnTypes } from "../../../shared/go-back-n/wire/index.ts";
import { AxisBeat, joinBytes, joinFields, keepAll, keepTo } from "../../../shared/frame/index.ts";
import {
  Answer,
  gbnBytes,
  PeerFields,
  type SessionParameters,
  wirePeer,
  wireSequenceBits,
  wireSlotBits,
} from "../../../shared/go-back-n/rtl/index.ts";
import { constantSum, ipv4Checksum, ipv4Constants } from "../network/reply-frame.ts";
import { NetConfig } from "../records/records.ts";

export interface GbnAnswersParameters extends SessionParameters {
  readonly beatBytes: number;
}

const udpBytes = udpHeader.bytes + gbnBytes,
  ipBytes = ipv4Header.bytes + udpBytes;

/**
 * ACK and NACK frames (60 bytes with the padding): to the session's peer, from the port that it writes to, with the
 * slots turned round. Latency 3 cycles from `job` to the first beat; initiation interval: one beat per cycle, no bubble
 * between frames. Full: `job` waits.
 */
export const GbnAnswers = module(
  "GbnAnswers",
  (p: GbnAnswersParameters) => ({
    job: sink(Answer({ ...p, ...wirePeer })),
    config: input(NetConfig),
    tx: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const { beatBytes } = p,
      beats = Math.ceil(minimumFrame / beatBytes),
      countBits = Math.max(1, Math.ceil(Math.log2(beats)));
    const Summed = struct({ answer: Answer({ ...p, ...wirePeer }), sum: uint(20) });
    const summedValid = reg(bit, { init: 0 });
    const summed = reg(Summed);
    const sending = reg(bit, { init: 0 });
    const left = reg(uint(countBits), { init: 0 });
    const sent = stream(AxisBeat(beatBytes));
    const sendingRoom = node(sending.not().or(sent.fire.and(left.eq(0))));
    const room = node(summedValid.not().or(sendingRoom));
    const peerOf = (v: { readonly identity: UInt; readonly address: UInt }) =>
      unpack(PeerFields, cat(v.address, v.identity));

    // The sum of the IPv4 header's words, then the frame.
    io.job.ready.set(room);
    const asked = peerOf(io.job.payload.peer);
    const word = (v: UInt): UInt => v.zext(20);
    const own = reg(uint(20));
    own.set(
      word(io.config.ip.bits(0, 16))
        .add(word(io.config.ip.bits(16, 16)))
        .add(constantSum + ipBytes),
    );
    when(room, () => {
      summedValid.set(io.job.valid);
      summed.set({
        answer: io.job.payload,
        sum: own.add(word(asked.ip.bits(0, 16))).add(word(asked.ip.bits(16, 16))),
      });
    });
    const answer = summed.answer,
      peer = peerOf(answer.peer);
    const frame = joinBytes(
      joinFields(ethernetHeader, { dst: peer.mac, src: io.config.mac, etherType: etherType.ipv4 }),
      joinFields(ipv4Header, {
        ...ipv4Constants,
        totalLength: ipBytes,
        checksum: ipv4Checksum(summed.sum),
        src: io.config.ip,
        dst: peer.ip,
      }),
      joinFields(udpHeader, { srcPort: peer.nodePort, dstPort: peer.port, length: udpBytes, checksum: 0 }),
      joinFields(gbnHeader, {
        type: mux(answer.nack, constant(gbnTypes.nack, 8), gbnTypes.ack),
        sequence: answer.sequence.resize(wireSequenceBits),
        srcSlot: answer.session.resize(wireSlotBits),
        dstSlot: peer.slot,
        unused: 0,
      }),
    );
    const rest = reg(uint(beats * beatBytes * 8));
    when(sendingRoom, () => sending.set(summedValid));
    when(summedValid.and(sendingRoom), () => {
      rest.set(frame.resize(beats * beatBytes * 8));
      left.set(beats - 1);
    }).elseWhen(sent.fire, () => {
      rest.set(without(rest, beatBytes * 8));
      left.set(left.sub(1));
    });
    sent.valid.set(sending);
    const last = node(left.eq(0));
    const lastLane = constant((minimumFrame - 1) % beatBytes, Math.log2(beatBytes));
    sent.payload.set({
      data: rest.trunc(beatBytes * 8),
      keep: mux(last, keepTo(lastLane, beatBytes), keepAll(beatBytes)),
      last,
      user: 0,
    });
    connect(stage(sent, "full"), io.tx);
  },
);
