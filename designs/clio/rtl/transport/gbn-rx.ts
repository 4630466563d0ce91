import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  Fifo,
  fifo,
  input,
  instance,
  module,
  mux,
  node,
  output,
  priority,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  unpack,
  type Val,
  when,
  without,
} from "../../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets, operations } from "../../wire/index.ts";
import { ethernetHeader, etherType, ipProtocol, ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { gbnHeader, gbnTypes, gbnVerdict, managementSlot } from "../../../shared/go-back-n/wire/index.ts";
import { AxisBeat, changedChecksum, cutFields } from "../../../shared/frame/index.ts";
import { GbnAnswers } from "./gbn-answers.ts";
import {
  Acknowledgement,
  Answer,
  GbnAction,
  gbnBytes,
  GbnFrameKind,
  GbnFrames,
  gbnFramesKept,
  gbnOffset,
  GbnPacket,
  GbnReceiver,
  type GbnReceiverParameters,
  GbnRemove,
  lifeBit,
  Named,
  namedEvery,
  PeerFields,
  RemovePlan,
  sessionBits,
  SessionControl,
  type SessionParameters,
  tagBits,
  ticketBits,
  wirePeer,
  wireSequenceBits,
  wireSlotBits,
} from "../../../shared/go-back-n/rtl/index.ts";
import { isNoSender, isNoStation, isReply } from "../network/senders.ts";
import { headerBytes, opcodeOffset, sizeOffset, statusOffset } from "./gbn-opcode.ts";
import { GbnPeerWrite } from "./gbn-peers.ts";
import { NetConfig } from "../records/records.ts";

export interface GbnRxParameters extends SessionParameters {
  readonly beatBytes: number;
  /** Largest frame, the Go-Back-N header included, bytes without FCS. */
  readonly frameBytes: number;
  /** Number of consecutive ports from `config.clientPort` on. */
  readonly clientPorts: number;
  readonly ackEvery: number;
  readonly ackCycles: number;
  readonly first: number;
  /** Management packets whose sender is kept, a power of two up to 2^15. */
  readonly managed: number;
  /** Whether replies to a session's former peer are dropped: `peer_write` sets the peers of gbn-peers.ts. */
  readonly checksPeers?: true;
}

/** Receiver's MAC and slot for replies: of each session, then of the last `managed` management packets. */
export const GbnContext = struct({ mac: uint(48), slot: uint(wireSlotBits) });
export const contextBits = (p: Pick<GbnRxParameters, "sessions" | "managed">): number =>
  Math.ceil(Math.log2(p.sessions + p.managed));
export const GbnContextWrite = (p: Pick<GbnRxParameters, "sessions" | "managed">) =>
  struct({ en: bit, index: uint(contextBits(p)), value: GbnContext });

const peerPort = (p: Pick<GbnRxParameters, "sessions">) => ({ peerWrite: output(GbnPeerWrite(p)) });

/** One pulse for each packet, by its outcome, and for each answer. */
export const GbnRxEvents = struct({
  accepted: bit,
  duplicates: bit,
  ahead: bit,
  strangers: bit,
  /**
   * Without room for the frame, its answer, or replies that have to wait (reorder.ts), the frame counts as lost. So
   * does a frame longer than the largest.
   */
  refused: bit,
  /** A packet to the node with an unknown type or without room for its headers; a wrong FCS. */
  malformed: bit,
  corrupt: bit,
  management: bit,
  /** Not Go-Back-N at all, or not for the node: passed on as it came (which drops and counts what it does not want). */
  passed: bit,
  acksHeard: bit,
  acks: bit,
  nacks: bit,
});

/** Opcodes of requests that are never answered, besides replies. */
const silentOpcodes = operations.filter(o => o.reply === undefined).map(o => o.code);

/**
 * The Go-Back-N shim in front of the node (wire-format.md "Go-Back-N build"): frames from the MAC in, plain
 * Clio frames out.
 *
 * A frame is a Go-Back-N packet when it is IPv4 and UDP without options or fragments, with a right header checksum and
 * lengths. The frame must be addressed to the node's MAC, address and one of its ports, and its sender must be one that
 * may be answered (senders.ts). DATA in order (receiver.ts) and DATA from or to slot 0 pass, without the 8-byte header.
 * The lengths and the IPv4 checksum are corrected (RFC 1624), and the UDP checksum becomes 0. The sender's MAC becomes
 * a tag, by which gbn-tx.ts finds session, request and sender again when the node answers. Requests that are never
 * answered are named on `named`, and every 4,096th of a session. While `crowded`, DATA of sessions is refused. ACKs and
 * NACKs of a session's peer go to `acks`. Answers go to `answers`. All other frames pass as they came (but UDP frames
 * that begin like an ACK or NACK, whatever their port: malformed).
 *
 * Latency: 10 cycles from a frame's last beat to its first one at `tx`; 8 to `acks`; 11 to the first beat at `answers`.
 * Initiation interval: one beat and one packet per cycle. Full: `rx` never waits for the node, so that ACKs come
 * through when the node stalls. A frame without room (three of the largest and a few beats, or 32 frames) is dropped
 * before the session sees it. An answer for which there is no room is not made, see there. An ACK is forgotten while 16
 * wait. `rx.ready` is 0 while the sessions are set up after reset, and as long as `control` holds up the table. Frames
 * with a wrong FCS and frames that are too long are dropped.
 */
export const GbnRx = module(
  "GbnRx",
  (p: GbnRxParameters) => ({
    rx: sink(AxisBeat(p.beatBytes)),
    config: input(NetConfig),
    tx: source(AxisBeat(p.beatBytes)),
    answers: source(AxisBeat(p.beatBytes)),
    acks: source(Acknowledgement(p)),
    named: source(Named(p)),
    crowded: input(bit),
    control: sink(SessionControl(p)),
    contextWrite: output(GbnContextWrite(p)),
    events: output(GbnRxEvents),
    ...(p.checksPeers === true ? peerPort(p) : ({} as ReturnType<typeof peerPort>)),
  }),
  (io, p) => {
    const frames = instance(
      "frames",
      GbnFrames({ beatBytes: p.beatBytes, frameBytes: p.frameBytes, headerBytes, waits: false }),
    );
    connect(io.rx, frames.rx);
    const table: GbnReceiverParameters = {
      sessions: p.sessions,
      sequenceBits: p.sequenceBits,
      window: p.window,
      ...wirePeer,
      ackEvery: p.ackEvery,
      ackCycles: p.ackCycles,
      first: p.first,
    };
    const receiver = instance("receiver", GbnReceiver(table));
    connect(io.control, receiver.control);

    // First step, at a frame's end: every rule by itself.
    const end = frames.end,
      header = end.header;
    const ethernet = cutFields(ethernetHeader, header),
      ip = cutFields(ipv4Header, header, frameOffsets.network);
    const udp = cutFields(udpHeader, header, frameOffsets.transport),
      gbn = cutFields(gbnHeader, header, gbnOffset);
    const udpIp = node(ethernet.etherType.eq(etherType.ipv4).and(ip.protocol.eq(ipProtocol.udp)));
    const client = node(
      p.clientPorts > 65535 ? constant(1, 1) : udp.dstPort.sub(io.config.clientPort).lt(p.clientPorts),
    );
    const ourPort = node(udp.dstPort.eq(io.config.nativePort).or(client));
    const answered = node(gbn.type.eq(gbnTypes.ack).or(gbn.type.eq(gbnTypes.nack)));
    const isData = node(gbn.type.eq(gbnTypes.data));
    // ACKs are never passed on, so their bytes are not kept; to other ports the node would drop them anyway.
    const discard = node(udpIp.and(answered).and(end.lastByte.ge(gbnOffset)));
    frames.discard.set(discard);
    const word = (i: number): UInt =>
      cat(
        header.bits((frameOffsets.network + 2 * i) * 8, 8),
        header.bits((frameOffsets.network + 2 * i + 1) * 8, 8),
      ).zext(20);
    const total = (from: number, to: number): UInt =>
      to - from === 1 ? word(from) : total(from, (from + to) >> 1).add(total((from + to) >> 1, to));
    const words = ipv4Header.bytes / 2;
    const past = node(
      ip.totalLength
        .zext(17)
        .add(frameOffsets.network - 1)
        .gt(end.lastByte.zext(17)),
    );
    // In the order of PeerFields.
    const peer = cat(ethernet.src, udp.dstPort, ip.src, udp.srcPort, gbn.srcSlot);
    const code = header.bits(8 * opcodeOffset, 8),
      reply = isReply(
        {
          opcode: code,
          status: header.bits(8 * statusOffset, 4),
          size: cat(header.bits(8 * (sizeOffset + 1), 8), header.bits(8 * sizeOffset, 8)),
        },
        udp.srcPort,
        io.config,
        p.clientPorts,
        udp.dstPort.eq(io.config.nativePort),
      );
    const Judged = struct({
      kept: bit,
      bad: bit,
      long: bit,
      stored: bit,
      ours: uint(10),
      sums: uint(40),
      data: bit,
      answered: bit,
      nack: bit,
      management: bit,
      short: bit,
      silent: bit,
      session: uint(wireSlotBits),
      sequence: uint(wireSequenceBits),
      peer: uint(wirePeer.identityBits + wirePeer.addressBits),
      ipLength: uint(16),
      checksum: uint(16),
      udpLength: uint(16),
    });
    const judgedValid = reg(bit, { init: 0 });
    const judged = reg(Judged);
    judgedValid.set(frames.ends);
    const least = udpHeader.bytes + gbnBytes;
    judged.set({
      kept: end.stored.and(discard.or(end.bad).or(end.long).not()),
      bad: end.bad,
      long: end.long,
      stored: end.stored,
      ours: cat(
        isNoSender(ethernet.src, io.config).or(isNoStation(ip.src, io.config)).not(),
        udpIp,
        ourPort,
        ip.version.eq(4).and(ip.ihl.eq(5)),
        ip.moreFragments.or(ip.fragmentOffset.any()).not(),
        ip.dst.eq(io.config.ip),
        ethernet.dst.eq(io.config.mac).or(io.config.acceptAnyMac),
        udp.length.eq(ip.totalLength.sub(ipv4Header.bytes)),
        past.not(),
        ip.totalLength.ge(ipv4Header.bytes + udpHeader.bytes),
      ).is(10),
      sums: cat(total(words >> 1, words), total(0, words >> 1)).is(40),
      data: isData,
      answered,
      nack: gbn.type.eq(gbnTypes.nack),
      management: gbn.dstSlot.eq(managementSlot).or(gbn.srcSlot.eq(managementSlot)),
      short: udp.length.lt(least).or(isData.and(udp.length.lt(least + clioHeader.bytes))),
      silent: silentOpcodes.map((c): Bit => code.eq(c)).reduce((a, b) => a.or(b), reply),
      session: gbn.dstSlot,
      sequence: gbn.sequence,
      peer: peer.is(wirePeer.identityBits + wirePeer.addressBits),
      ipLength: ip.totalLength,
      checksum: ip.checksum,
      udpLength: udp.length,
    });

    // Second step: the verdict without the table, and what the lengths become. Then it waits for the table.
    const sum = node(judged.sums.bits(0, 20).add(judged.sums.bits(20, 20)));
    const sumRight = node(
      sum
        .bits(4, 12)
        .all()
        .and(sum.bits(0, 4).eq(sum.bits(16, 4).not())),
    );
    const ours = node(judged.ours.all().and(sumRight));
    const knownSession = node(without(judged.session, sessionBits(p)).any().not());
    const well = node(
      judged.short
        .not()
        .and(judged.data.or(judged.answered.and(judged.management.not())))
        .and(judged.management.or(knownSession)),
    );
    const Queued = struct({
      kind: GbnFrameKind,
      kept: bit,
      bad: bit,
      lost: bit,
      silent: bit,
      packet: GbnPacket(table),
      nack: bit,
      ipLength: uint(16),
      checksum: uint(16),
      udpLength: uint(16),
    });
    const lost = node(judged.long.or(judged.stored.not().and(ours.not().or(judged.data))));
    const kind = node(
      priority(
        [ours.not(), GbnFrameKind.raw],
        [well.not(), GbnFrameKind.loose],
        [judged.management, GbnFrameKind.management],
        GbnFrameKind.session,
      ),
    );
    const queue = instance("queue", Fifo({ shape: Queued, depth: 16, style: "distributed" }));
    const entry = reg(Queued);
    const entryValid = reg(bit, { init: 0 });
    entryValid.set(judgedValid);
    const sender = unpack(
      struct({ identity: uint(wirePeer.identityBits), address: uint(wirePeer.addressBits) }),
      judged.peer,
    );
    entry.set({
      kind,
      kept: judged.kept,
      bad: judged.bad,
      lost,
      silent: judged.silent,
      nack: judged.nack,
      packet: {
        session: judged.session.resize(sessionBits(p)),
        sequence: judged.sequence.resize(p.sequenceBits),
        control: judged.answered,
        peer: sender,
      },
      ipLength: judged.ipLength.sub(gbnBytes),
      checksum: changedChecksum(judged.checksum, -gbnBytes),
      udpLength: judged.udpLength.sub(gbnBytes),
    });
    queue.push.valid.set(entryValid);
    queue.push.payload.set(entry);
    // Four may be on their way here.
    const held = reg(bit, { init: 1 });
    held.set(queue.level.gt(8));
    frames.hold.set(held);

    // The table. Its memory's address hangs on the packet's kind, so that comes from a register.
    const next = stage(queue.pop, "full", { name: "next" });
    const head = next.payload;
    const names = instance("names", Fifo({ shape: Named(p), depth: 16, style: "distributed" }));
    const full = reg(bit, { init: 0 });
    full.set(io.crowded.or(names.level.ge(12)));
    const ofSession = node(head.kind.eq(GbnFrameKind.session)),
      refused = node(head.lost.or(ofSession.and(full).and(head.packet.control.not())));
    const asks = node(ofSession.and(head.bad.or(refused).not()));
    receiver.packet.valid.set(next.valid.and(asks));
    receiver.packet.payload.set(head.packet);
    next.ready.set(asks.not().or(receiver.packet.ready));
    const moves = node(next.fire);
    const earlyValid = reg(bit, { init: 0 });
    const lateValid = reg(bit, { init: 0 });
    const early = reg(Queued);
    const late = reg(Queued);
    earlyValid.set(moves);
    early.set({
      ...head,
      lost: refused,
    });
    lateValid.set(earlyValid);
    late.set(early);

    // Its verdict.
    const intact = node(lateValid.and(late.bad.or(late.lost).not()));
    const of = (k: Val<typeof GbnFrameKind>): Bit => intact.and(late.kind.eq(k));
    const is = (v: number): Bit => of(GbnFrameKind.session).and(receiver.verdict.what.eq(v));
    const accepted = node(is(gbnVerdict.accepted)),
      delivered = node(accepted.and(late.packet.control.not()));
    const managed = node(of(GbnFrameKind.management)),
      raw = node(of(GbnFrameKind.raw));
    const place = reg(uint(Math.log2(p.managed)), { init: 0 });
    when(managed, () => place.set(place.add(1)));
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
    const ticket = late.packet.sequence.trunc(ticketBits);
    const milestone = ticket.trunc(Math.log2(namedEvery)).any().not();
    names.push.valid.set(delivered.and(late.silent.or(milestone)));
    names.push.payload.set({
      turn: { session: late.packet.session, life: receiver.verdict.life, ticket },
      silent: late.silent,
    });
    connect(names.pop, io.named);

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

    // Answers.
    const answers = instance(
      "answers",
      Fifo({ shape: Answer({ ...p, ...wirePeer }), depth: 16, style: "distributed" }),
    );
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
  },
  {
    nameOf: p =>
      `GbnRx_b${p.beatBytes * 8}_u${p.frameBytes}_s${p.sessions}_p${p.clientPorts}_e${p.ackEvery}_c${p.ackCycles}_m${p.managed}_f${p.first >>> 0}${p.checksPeers === true ? "_v" : ""}`,
  },
);
