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
import { AxisBeat, keepAll, keepTo } from "../../../shared/frame/index.ts";
import {
  Answer,
  answerFrame,
  answerOwnSum,
  answerSum,
  PeerFields,
  type SessionParameters,
  wirePeer,
} from "../../../shared/go-back-n/rtl/index.ts";
import { minimumFrame } from "../../../shared/wire/index.ts";
import { NetConfig } from "../records/records.ts";

export interface GbnAnswersParameters extends SessionParameters {
  readonly beatBytes: number;
}

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
    const own = reg(uint(20));
    own.set(answerOwnSum(io.config.ip));
    when(room, () => {
      summedValid.set(io.job.valid);
      summed.set({ answer: io.job.payload, sum: answerSum(own, asked.ip) });
    });
    const answer = summed.answer,
      peer = peerOf(answer.peer);
    const { mac, ip } = io.config;
    const frame = answerFrame(answer, { own: { mac, ip, port: peer.nodePort }, peer }, summed.sum);
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
