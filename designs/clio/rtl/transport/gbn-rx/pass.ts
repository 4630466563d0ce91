/** What leaves: frames without the header, senders for their replies, names of requests that nobody answers. */
import {
  bit,
  cat,
  connect,
  constant,
  fifo,
  Fifo,
  instance,
  type InstanceOf,
  mux,
  reg,
  stream,
  struct,
  uint,
  unpack,
} from "../../../../../hdl-dsl/index.ts";
import {
  Acknowledgement,
  Answer,
  GbnAction,
  GbnFrameKind,
  type GbnFrames,
  gbnFramesKept,
  type GbnReceiver,
  GbnRemove,
  lifeBit,
  namedEvery,
  PeerFields,
  RemovePlan,
  sessionBits,
  tagBits,
  ticketBits,
  wirePeer,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnVerdict } from "../../../../shared/go-back-n/wire/index.ts";
import { GbnAnswers } from "../gbn-answers.ts";
import { contextBits, GbnRxEvents, type GbnRxIo, type GbnRxParameters } from "./ports.ts";
import type { askTable, outcomeOf } from "./session.ts";

/** What the units behind the table work with. */
interface Decided {
  readonly io: GbnRxIo;
  readonly p: GbnRxParameters;
  readonly asked: ReturnType<typeof askTable>;
  readonly outcome: ReturnType<typeof outcomeOf>;
  readonly receiver: InstanceOf<typeof GbnReceiver>;
  readonly frames: InstanceOf<typeof GbnFrames>;
}

/** Frames go on, shortened, as they came, or not at all. */
export function passFrames({ io, p, asked, outcome, receiver, frames }: Decided): void {
  const { late, lateValid } = asked,
    { raw, delivered, managed, place } = outcome;
  const plans = stream(RemovePlan);
  plans.valid.set(lateValid.and(late.kept));
  plans.payload.set({
    action: mux(raw, GbnAction.asIs, mux(delivered.or(managed), GbnAction.shift, GbnAction.discard)),
    ticket: mux(managed, constant(0, ticketBits), late.packet.sequence.trunc(ticketBits)),
    tag: mux(
      managed,
      cat(constant(1, 1), place.zext(tagBits - 1)).is(tagBits),
      cat(receiver.verdict.life, late.packet.session.zext(lifeBit)).zext(tagBits),
    ),
    ipLength: late.ipLength,
    checksum: late.checksum,
    udpLength: late.udpLength,
  });
  const remove = instance("remove", GbnRemove({ beatBytes: p.beatBytes, frameBytes: p.frameBytes }));
  connect(fifo(plans, gbnFramesKept, { style: "distributed", name: "planned" }), remove.plan);
  connect(frames.beats, remove.beats);
  connect(remove.tx, io.tx);
}

/** The sender stays, for the replies. */
export function keepSenders({ io, p, asked: { late }, outcome }: Decided): void {
  const { delivered, managed, place } = outcome;
  const from = unpack(PeerFields, cat(late.packet.peer.address, late.packet.peer.identity));
  const written = contextBits(p);
  io.contextWrite.set({
    en: delivered.or(managed),
    index: mux(managed, place.zext(written).add(p.sessions), late.packet.session.zext(written)),
    value: { mac: from.mac, slot: from.slot },
  });

  if (p.checksPeers === true) {
    // A session that is opened or closed has no packets in the same cycle. The table does one thing at a time, and
    // both come from it two cycles later.
    const Control = struct({ valid: bit, session: uint(sessionBits(p)) });
    const controlled = reg(Control, { init: 0 });
    const anew = reg(Control, { init: 0 });
    controlled.set({ valid: io.control.fire, session: io.control.payload.session });
    anew.set(controlled);
    io.peerWrite.set({
      en: delivered.or(anew.valid),
      session: mux(anew.valid, anew.session, late.packet.session),
      known: anew.valid.not(),
      ip: from.ip,
      port: from.port,
    });
  }
}

/** Requests that are never answered are named, and every 4,096th. */
export function nameRequests({ io, asked: { late, names }, outcome: { delivered }, receiver }: Decided): void {
  const ticket = late.packet.sequence.trunc(ticketBits);
  const milestone = ticket.trunc(Math.log2(namedEvery)).any().not();
  names.push.valid.set(delivered.and(late.silent.or(milestone)));
  names.push.payload.set({
    turn: { session: late.packet.session, life: receiver.verdict.life, ticket },
    silent: late.silent,
  });
  connect(names.pop, io.named);
}

/** ACKs and NACKs for the sessions of the other side. */
export function passAcks({ io, p, asked: { late }, outcome: { accepted } }: Decided): void {
  const heard = stream(Acknowledgement(p));
  heard.valid.set(accepted.and(late.packet.control));
  heard.payload.set({ session: late.packet.session, sequence: late.packet.sequence, nack: late.nack });
  connect(
    fifo(heard, 16, {
      style: "distributed",
      name: "heard_queue",
    }),
    io.acks,
  );
}

/** ACKs and NACKs of one's own. */
export function sendAnswers({ io, p, receiver }: Decided): void {
  const answers = instance("answers", Fifo({ shape: Answer({ ...p, ...wirePeer }), depth: 16, style: "distributed" }));
  answers.push.valid.set(receiver.answer.valid);
  answers.push.payload.set(receiver.answer.answer);
  const answerRoom = reg(bit, { init: 0 });
  answerRoom.set(answers.level.lt(12));
  receiver.answerRoom.set(answerRoom);
  const writer = instance(
    "writer",
    GbnAnswers({ beatBytes: p.beatBytes, sessions: p.sessions, sequenceBits: p.sequenceBits, window: p.window }),
  );
  writer.config.set(io.config);
  connect(answers.pop, writer.job);
  connect(writer.tx, io.answers);
}

export function countEvents({ io, asked, outcome, receiver }: Decided): void {
  const { late, lateValid } = asked,
    { delivered, is, of, raw, managed, accepted } = outcome;
  const events = reg(GbnRxEvents, { init: 0 });
  const answer = receiver.answer;
  events.set({
    accepted: delivered,
    duplicates: is(gbnVerdict.duplicate),
    ahead: is(gbnVerdict.ahead),
    strangers: is(gbnVerdict.stranger),
    refused: is(gbnVerdict.refused).or(lateValid.and(late.lost).and(late.bad.not())),
    malformed: of(GbnFrameKind.loose).or(raw.and(late.kept.not())),
    corrupt: lateValid.and(late.bad),
    management: managed,
    passed: raw.and(late.kept),
    acksHeard: accepted.and(late.packet.control),
    acks: answer.valid.and(answer.answer.nack.not()),
    nacks: answer.valid.and(answer.answer.nack),
  });
  io.events.set(events);
}
