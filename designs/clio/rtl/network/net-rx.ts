import {
  arpPacket,
  broadcastMac,
  ethernetHeader,
  etherType,
  icmpHeader,
  ipProtocol,
  ipv4Header,
  udpHeader,
} from "../../../shared/wire/index.ts";
import { accessBody, casBody, clioHeader, frameOffsets } from "../../wire/index.ts";
import {
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  fromBits,
  input,
  lowestSet,
  module,
  mux,
  node,
  orTree,
  output,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { cells } from "../../../shared/stream/index.ts";
import { DropPulses, type DropReasonName, dropReasons } from "./drops.ts";
import {
  AxisBeat,
  BufferWrite,
  cutFields,
  lengthBits,
  Release,
  slotBeatBits,
  slotBits,
  WordWrite,
} from "../../../shared/frame/index.ts";
import { isInside, isNoSender, isNoStation, isOwnPid, isReply } from "./senders.ts";
import { ContextWrite } from "./reply-contexts.ts";
import { clientBits, frameKind, NetConfig, NetRequest, operandBits, type ReplyContext } from "../records/records.ts";

export interface NetRxParameters {
  readonly beatBytes: number;
  readonly slots: number;
  /** Largest frame accepted, bytes without FCS. */
  readonly frameBytes: number;
  /** Number of consecutive ports from `config.clientPort` on. */
  readonly clientPorts: number;
  /**
   * Without the registers between the stages (cells.ts): `request` is valid in the cycle after the last beat, and
   * follows the header register until it fires. A dropped frame's pulses come 2 cycles after. `context_write.value`
   * stays as it is until the next frame's first beat.
   */
  readonly compact?: true;
  /**
   * Offloads stand in front of the node (../../offload): a sender with the group bit and without the highest bit of the
   * first byte is one of them. No frame from outside comes so.
   */
  readonly internal?: true;
}

/** Bytes at a frame's start that are kept: up to the operands of the longest atomic. */
const headerBytes = frameOffsets.body + casBody.bytes;
/** Bits from where on an atomic has its operands. */
const operandsFrom = (frameOffsets.body + accessBody.bytes) * 8;
/** Number of the last byte of what must be there, for frames that end early. */
const lastByteOf = {
  ethernet: ethernetHeader.bytes - 1,
  arp: frameOffsets.network + arpPacket.bytes - 1,
  ipv4: frameOffsets.transport - 1,
};

/**
 * Faults that the first stage finds, in the order of the rules (designs/clio/model/rules.md, section 1): the
 * first one counts.
 */
interface Rule {
  readonly reason: DropReasonName;
  readonly broken: Bit;
}

/**
 * Takes frames from the MAC and stores each whole in the frame buffer, under a free slot. After its last beat the frame
 * is judged by designs/clio/model/rules.md, section 1. No state but the frame's own is used (paper section 4.3). A
 * frame for the node becomes one `request`. Any other frame becomes a pulse on `drops`, and gives its slot back on
 * `release` in the same cycle. Latency: 3 cycles from the last beat to `request` (or to the pulse). The context and the
 * operands of the slot are written 1 cycle after the last beat. That holds for frames that are then dropped too: the
 * slot is still the frame's own. Initiation interval: 1 beat per cycle with no bubble between frames, single-beat
 * frames included. `received` pulses once per frame. Full: a frame's first beat waits while no slot is offered. A
 * request that is not taken holds back the two frames behind it and then `rx.ready`; nothing is lost. A frame longer
 * than the slot is taken to its end without being written past the slot.
 */
export const NetRx = module(
  "NetRx",
  (p: NetRxParameters) => ({
    rx: sink(AxisBeat(p.beatBytes)),
    slot: sink(uint(slotBits(p))),
    config: input(NetConfig),
    bufferWrite: output(BufferWrite(p)),
    contextWrite: output(ContextWrite(p)),
    request: source(NetRequest(p)),
    operandsWrite: output(WordWrite({ slots: p.slots, width: operandBits })),
    release: output(Release(p)),
    drops: output(DropPulses),
    received: output(bit),
  }),
  (io, p) => {
    const { beatBytes } = p,
      { cell, load } = cells(p.compact === true),
      beatBits = slotBeatBits(p),
      laneBits = Math.log2(beatBytes);
    const rx = io.rx.payload;

    // Beats in: the header is captured as it passes. `pending`: a frame's last beat has been taken, and the frame waits
    // to be judged. The frame leaves in the next cycle unless the stage behind stalls, so the header register is free
    // for the next frame's beats.
    const first = reg(bit, { init: 1 });
    const beat = reg(uint(beatBits + 1), { init: 0 });
    const slot = reg(uint(slotBits(p)));
    const header = reg(uint(headerBytes * 8));
    const lastByte = reg(uint(beatBits + 1 + laneBits));
    const bad = reg(bit);
    const pending = reg(bit, { init: 0 });
    const judgedValid = cell(bit, { init: 0, name: "judged_valid" });
    const answerValid = cell(bit, { init: 0, name: "answer_valid" });
    const answerRoom = node(answerValid.not().or(io.request.ready));
    const judgedRoom = node(judgedValid.not().or(answerRoom));

    const room = node(pending.not().or(judgedRoom));
    io.rx.ready.set(room.and(first.not().or(io.slot.valid)));
    io.slot.ready.set(room.and(first).and(io.rx.valid));
    const taken = node(io.rx.fire);
    const ended = node(taken.and(rx.last));
    const frameSlot = node(mux(first, io.slot.payload, slot));
    const past = beat.bit(beatBits);
    when(taken, () => {
      first.set(rx.last);
      slot.set(frameSlot);
      for (let b = 0; b * beatBytes < headerBytes; b++) {
        const bytes = Math.min(beatBytes, headerBytes - b * beatBytes);
        when(beat.eq(b), () => header.setBits(b * beatBytes * 8, rx.data.bits(0, bytes * 8)));
      }
      when(rx.last, () => beat.set(0)).elseWhen(past.not(), () => beat.set(beat.add(1)));
    });
    when(ended, () => {
      // The highest byte kept: where the next lane's keep bit is 0.
      const edge = node(rx.keep.and(rx.keep.shr(1).not()));
      lastByte.set(cat(beat, encodeOnehot(edge)));
      bad.set(rx.user);
    });
    pending.set(ended.or(pending.and(judgedRoom.not())));
    io.bufferWrite.set({ en: taken.and(past.not()), slot: frameSlot, beat: beat.trunc(beatBits), data: rx.data });
    io.received.set(pending.and(judgedRoom));

    // First stage: every rule by itself, the checksum down to two numbers.
    const found = examine(header, lastByte, io.config, p);
    io.contextWrite.set({ en: pending.and(judgedRoom), slot, value: found.context });
    io.operandsWrite.set({ en: pending.and(judgedRoom), slot, value: header.bits(operandsFrom, operandBits) });
    const broken = cell(uint(found.rules.length), { name: "broken" });
    const judged = cell(
      struct({ kind: uint(2), bad: bit, tooLong: bit, checked: bit, sums: uint(40), request: NetRequest(p) }),
      { name: "judged" },
    );
    load(judgedRoom, () => judgedValid.set(pending));
    load(pending.and(judgedRoom), () => {
      broken.set(fromBits(found.rules.map(r => r.broken)));
      judged.set({
        kind: found.kind,
        bad,
        tooLong: found.tooLong,
        checked: found.ip,
        sums: found.sums,
        request: { ...found.request, slot, corrupt: bad, frame: lastByte.resize(lengthBits).add(1) },
      });
    });

    // Second stage: the checksum's end and the verdict.
    const sum = node(judged.sums.bits(0, 20).add(judged.sums.bits(20, 20)));
    // The sum is a multiple of 65535. Folding the carries to 0xffff tests the same; here one comparison does: the
    // carries and the low word add up without a new carry.
    const sumRight = node(
      sum
        .bits(4, 12)
        .all()
        .and(sum.bits(0, 4).eq(sum.bits(16, 4).not())),
    );
    const all = node(
      fromBits(
        found.rules.map((r, i) => (r.reason === "ipChecksum" ? judged.checked.and(sumRight.not()) : broken.bit(i))),
      ),
    );
    const refused = node(all.any());
    const cause = node(lowestSet(all));
    const udp = judged.kind.eq(frameKind.clio);
    // A frame that the MAC found bad is answered when it is a whole request and no reply. Otherwise it counts as bad,
    // before any other fault but too long.
    const spoilt = node(judged.bad.and(judged.tooLong.not()).and(refused.or(udp.not()).or(judged.request.reply)));
    const dropped = node(refused.or(spoilt));
    const blames = (name: DropReasonName): Bit =>
      name === "fcs"
        ? spoilt
        : orTree(found.rules.flatMap((r, i) => (r.reason === name ? [cause.bit(i)] : []))).and(spoilt.not());

    const moves = node(judgedValid.and(answerRoom));
    const answer = cell(NetRequest(p), { name: "answer" });
    const dropping = reg(DropPulses, { init: 0 });
    const released = reg(bit, { init: 0 });
    const releasedSlot = reg(uint(slotBits(p)));
    load(answerRoom, () => answerValid.set(judgedValid.and(dropped.not())));
    load(moves, () => answer.set(judged.request));
    when(moves, () => releasedSlot.set(judged.request.slot));
    for (const name of dropReasons) dropping[name].set(moves.and(blames(name)));
    released.set(moves.and(dropped));
    io.drops.set(dropping);
    io.release.set({ valid: released, slot: releasedSlot });
    io.request.valid.set(answerValid);
    io.request.payload.set(answer);
  },
);

/** All that one cycle finds out about a whole header: rules 1 to 21, the request and its context. Wires only. */
function examine(
  header: UInt,
  lastByte: UInt,
  config: Val<typeof NetConfig>,
  p: NetRxParameters,
): {
  readonly rules: readonly Rule[];
  readonly tooLong: Bit;
  readonly ip: Bit;
  readonly kind: UInt<2>;
  readonly sums: UInt;
  readonly request: Omit<Val<ReturnType<typeof NetRequest>>, "slot" | "corrupt" | "frame">;
  readonly context: Val<typeof ReplyContext>;
} {
  const ethernet = cutFields(ethernetHeader, header),
    arp = cutFields(arpPacket, header, frameOffsets.network);
  const ip = cutFields(ipv4Header, header, frameOffsets.network),
    icmp = cutFields(icmpHeader, header, frameOffsets.transport);
  const udp = cutFields(udpHeader, header, frameOffsets.transport),
    clio = cutFields(clioHeader, header, frameOffsets.clio);
  const body = cutFields(accessBody, header, frameOffsets.body);

  const isArp = node(ethernet.etherType.eq(etherType.arp)),
    isIp = node(ethernet.etherType.eq(etherType.ipv4));
  const isIcmp = node(isIp.and(ip.protocol.eq(ipProtocol.icmp))),
    isUdp = node(isIp.and(ip.protocol.eq(ipProtocol.udp)));
  const ours = node(ip.dst.eq(config.ip)),
    arpOurs = node(arp.targetIp.eq(config.ip));
  const macOurs = node(
    ethernet.dst.eq(config.mac).or(ethernet.dst.eq(broadcastMac).and(isArp)).or(config.acceptAnyMac),
  );
  const native = node(udp.dstPort.eq(config.nativePort));
  const portPast = node(udp.dstPort.sub(config.clientPort));
  // Ports past 65535 do not exist: a port below the first client port wraps to a large number.
  const client = node(p.clientPorts > 65535 ? constant(1, 1) : portPast.lt(p.clientPorts));

  const tooLong = node(lastByte.ge(p.frameBytes));
  // Padded so that no sum below wraps.
  const wide = Math.max(17, lastByte.width);
  const ipTotal = ip.totalLength.zext(wide),
    frameLast = lastByte.zext(wide);
  const pastFrame = node(ipTotal.add(frameOffsets.network - 1).gt(frameLast));
  const arpRequest = arp.hardwareType
    .eq(1)
    .and(arp.protocolType.eq(etherType.ipv4))
    .and(arp.hardwareSize.eq(6))
    .and(arp.protocolSize.eq(4))
    .and(arp.operation.eq(1));
  const inside = p.internal === true ? isInside(ethernet.src) : undefined;
  const short = (bytes: number): Bit => ip.totalLength.lt(bytes);

  const rules: Rule[] = [
    { reason: "long", broken: tooLong },
    { reason: "short", broken: lastByte.lt(lastByteOf.ethernet) },
    { reason: "mac", broken: macOurs.not() },
    { reason: "etherType", broken: isIp.or(isArp).not() },
    { reason: "short", broken: isArp.and(lastByte.lt(lastByteOf.arp)) },
    { reason: "arp", broken: isArp.and(arpRequest.and(arpOurs).not()) },
    { reason: "short", broken: isIp.and(lastByte.lt(lastByteOf.ipv4)) },
    { reason: "ipHeader", broken: isIp.and(ip.version.ne(4).or(ip.ihl.lt(5))) },
    { reason: "ipOptions", broken: isIp.and(ip.ihl.gt(5)) },
    // Decided in the next stage.
    { reason: "ipChecksum", broken: constant(0, 1) },
    { reason: "fragment", broken: isIp.and(ip.moreFragments.or(ip.fragmentOffset.any())) },
    { reason: "ip", broken: isIp.and(ours.not()) },
    {
      reason: "source",
      broken: isNoSender(ethernet.src, config, inside).or(isIp.and(isNoStation(ip.src, config))),
    },
    { reason: "length", broken: isIp.and(short(ipv4Header.bytes).or(pastFrame)) },
    { reason: "protocol", broken: isIp.and(isIcmp.or(isUdp).not()) },
    { reason: "short", broken: isIcmp.and(short(ipv4Header.bytes + icmpHeader.bytes)) },
    { reason: "icmp", broken: isIcmp.and(icmp.type.ne(8).or(icmp.code.ne(0))) },
    { reason: "short", broken: isUdp.and(short(ipv4Header.bytes + udpHeader.bytes)) },
    { reason: "port", broken: isUdp.and(native.or(client).not()) },
    { reason: "length", broken: isUdp.and(udp.length.ne(ip.totalLength.sub(ipv4Header.bytes))) },
    { reason: "short", broken: isUdp.and(udp.length.lt(udpHeader.bytes + clioHeader.bytes)) },
  ];

  // The ten words of the IPv4 header: seven and three, each a tree of adders.
  const word = (i: number): UInt =>
    cat(
      header.bits((frameOffsets.network + 2 * i) * 8, 8),
      header.bits((frameOffsets.network + 2 * i + 1) * 8, 8),
    ).zext(20);
  const total = (from: number, to: number): UInt =>
    to - from === 1 ? word(from) : total(from, (from + to) >> 1).add(total((from + to) >> 1, to));
  const words = ipv4Header.bytes / 2;
  const sums = cat(total(words >> 1, words), total(0, words >> 1));

  const kind = mux(
    isArp,
    constant(frameKind.arp, 2),
    mux(isIcmp, constant(frameKind.icmp, 2), constant(frameKind.clio, 2)),
  );
  // Bytes behind the UDP header that the Clio header claims, against those that came.
  const cameShort = clio.size.zext(17).add(udpHeader.bytes).gt(udp.length.zext(17));
  const clioBytes = header.bits(frameOffsets.clio * 8, clioHeader.bytes * 8),
    ipBytes = 12;
  return {
    rules,
    tooLong,
    ip: isIp,
    kind,
    sums,
    request: {
      kind,
      opcode: clio.opcode,
      pid: clio.pid,
      va: body.va,
      length: body.length,
      body: clio.size.sub(clioHeader.bytes).trunc(lengthBits),
      reply: isReply(clio, udp.srcPort, config, p.clientPorts, native),
      foreign: inside === undefined ? isOwnPid(clio.pid) : isOwnPid(clio.pid).and(inside.not()),
      malformed: clio.size.lt(clioHeader.bytes).or(cameShort),
      tracked: clio.flagTracked.and(native),
      retry: clio.flagRetry,
      client: cat(ip.src, udp.srcPort).is(clientBits),
      operation: mux(clio.flagRetry, clio.retryOf, clio.requestId),
    },
    context: {
      kind,
      mac: ethernet.src,
      ip: mux(isArp, arp.senderIp, ip.src),
      clientPort: udp.srcPort,
      nodePort: udp.dstPort,
      // An ARP packet has no Clio header: its sender's MAC, which need not be the frame's source, is kept in
      // the same place.
      header: cat(clioBytes.bits(48, 80), mux(isArp, arp.senderMac, clioBytes.bits(0, 48).is(48))).is(128),
      body: header.bits(frameOffsets.body * 8, accessBody.bytes * 8).is(96),
      published: native.not(),
      ipLength: ip.totalLength,
      icmpChecksum: icmp.checksum,
      ipHeader: header.bits(frameOffsets.network * 8, ipBytes * 8).is(96),
    },
  };
}
