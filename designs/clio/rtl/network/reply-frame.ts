/**
 * Layout of a reply frame: headers, lengths and checksums out of a request's context. Rules:
 * designs/clio/model/rules.md, sections 2 and 3. Wires only.
 */
import { accessBody, clioHeader, frameOffsets, oldValueBody, statusBits } from "../../wire/index.ts";
import {
  arpPacket,
  ethernetHeader,
  etherType,
  icmpHeader,
  ipv4Header,
  minimumFrame,
  udpHeader,
} from "../../../shared/wire/index.ts";
import {
  type Bit,
  bit,
  cat,
  constant,
  mux,
  node,
  onehotMux,
  priority,
  reg,
  struct,
  type UInt,
  uint,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { cutFields, ipv4Constants, ipv4ConstantSum, joinBytes, joinFields } from "../../../shared/frame/index.ts";
import {
  FrameKind,
  type NetConfig,
  type Reply,
  type ReplyContext,
  replyForm,
  replyWord,
  waitBits,
} from "../records/records.ts";

/** Bytes in front of a PINGPONG's echoed bytes. */
export const rawLimit = frameOffsets.body;
/** Bytes in front of a ping's echoed bytes: up to the ICMP checksum. */
export const echoBytes = frameOffsets.transport + icmpHeader.at.checksum.byteOffset + icmpHeader.at.checksum.byteLength;
/** Bytes in front of data read. */
export const fullBytes = frameOffsets.body + accessBody.bytes;
/** Bytes of the longest header: that of an atomic's reply, with the number that it found. */
export const headerBytes = frameOffsets.body + oldValueBody.bytes;

const arpBytes = frameOffsets.network + arpPacket.bytes;
const echoRequestType = 8;
const clioToIp = udpHeader.bytes + ipv4Header.bytes;

export interface ReplyPlan {
  /**
   * The first 78 bytes, zero where data or echoed bytes go and behind the end; the IPv4 checksum of a Clio reply is 0.
   */
  readonly header: UInt;
  /** The sum of the IPv4 header's words. */
  readonly sum: UInt;
  /** Number of the frame's last byte, padding included (16 bits). */
  readonly lastByte: UInt;
  /** Number of the last byte that is no padding, 63 when there is no padding. */
  readonly content: UInt;
}

const sizeBits = 16,
  sumBits = 20;
/** Kind of the reply, and the one number of the request that every length in the reply follows from. */
export const ReplyKind = struct({
  arp: bit,
  icmp: bit,
  clio: bit,
  ping: bit,
  data: bit,
  /** va and length follow the Clio header; and behind them the word kept for the slot; the va is that word. */
  withAccess: bit,
  withWord: bit,
  atWord: bit,
  /** The time to wait stands in `retryOf`. */
  waits: bit,
  /** Nothing does: the opcode is the request's own. */
  bare: bit,
  given: uint(sizeBits),
  /** The frame ends before the shortest one does. */
  padded: bit,
  /** Bytes from the frame buffer follow. */
  echoes: bit,
  /** The sum of the IPv4 header's words but for `given` in its length. */
  rest: uint(sumBits),
});

/** The first of two steps: told apart from the form and the context. */
export function replyKind(
  reply: Val<ReturnType<typeof Reply>>,
  context: Val<typeof ReplyContext>,
  config: Val<typeof NetConfig>,
): Val<typeof ReplyKind> {
  const arp = node(context.kind.eq(FrameKind.arp)),
    icmp = node(context.kind.eq(FrameKind.icmp)),
    clio = node(context.kind.eq(FrameKind.clio));
  const data = node(clio.and(reply.form.eq(replyForm.data))),
    ping = node(clio.and(reply.form.eq(replyForm.echo)));
  const short = node(clio.and(reply.form.eq(replyForm.short)));
  const withWord = node(short.and(reply.word.eq(replyWord.behind)));
  const { size } = cutFields(clioHeader, context.header),
    { length } = cutFields(accessBody, context.body);
  const withAccess = node(data.or(short));
  // Whether the frame is padded, and whether a PINGPONG has a body, straight from the request's lengths.
  const padded = node(
    isPadded(context, icmp, ping)
      .or(arp)
      .or(clio.and(ping.or(withAccess).not())),
  );
  const pinged = node(size.gt(clioHeader.bytes));
  // The sums of our own address and the constants change with the register only.
  const own = (more: number, name: string): UInt<20> => {
    const sum = reg(uint(sumBits), { name });
    sum.set(
      config.ip
        .bits(0, 16)
        .zext(sumBits)
        .add(config.ip.bits(16, 16).zext(sumBits))
        .add(ipv4ConstantSum + clioToIp + more),
    );
    return sum;
  };
  const ownPing = own(0, "own_ping"),
    ownBare = own(clioHeader.bytes, "own_bare");
  const ownAccess = own(clioHeader.bytes + accessBody.bytes, "own_access");
  const rest = context.ip
    .bits(0, 16)
    .zext(sumBits)
    .add(context.ip.bits(16, 16).zext(sumBits))
    .add(mux(ping, ownPing, mux(withAccess, ownAccess, ownBare)));
  return {
    arp,
    icmp,
    clio,
    ping,
    data,
    withAccess,
    withWord,
    atWord: reply.word.eq(replyWord.address),
    waits: reply.word.eq(replyWord.wait).andNot(context.published),
    bare: reply.form.eq(replyForm.bare),
    padded,
    rest,
    echoes: node(icmp.or(ping.and(pinged))),
    given: node(onehotMux([data.or(withWord), ping, icmp], [length.trunc(sizeBits), size, context.ipLength])).is(
      sizeBits,
    ),
  };
}

/**
 * The second step: the header, from registers of the first one; `word` is the one kept for the slot, `wait` the node's
 * time to wait.
 */
export function planReply(
  kind: Val<typeof ReplyKind>,
  reply: Val<ReturnType<typeof Reply>>,
  context: Val<typeof ReplyContext>,
  word: UInt,
  wait: UInt,
  config: Val<typeof NetConfig>,
): ReplyPlan {
  const { arp, icmp, ping, withAccess, given, padded } = kind;
  const asked = cutFields(clioHeader, context.header),
    access = cutFields(accessBody, context.body);

  // Every length is that number plus a constant that follows from the form.
  /** Clio size plus `more`. */
  const sized = (more: number): UInt<16> =>
    given.add(
      mux(
        ping,
        constant(more, sizeBits),
        mux(withAccess, constant(more + clioHeader.bytes + accessBody.bytes, sizeBits), more + clioHeader.bytes),
      ),
    );
  const size = node(sized(0)),
    udpLength = node(sized(udpHeader.bytes)),
    ipLength = node(sized(clioToIp));
  const lastWithout = priority(
    [withAccess, constant(fullBytes - 1, sizeBits)],
    [icmp, constant(pingOffset, sizeBits)],
    [ping, constant(pingpongOffset, sizeBits)],
    [arp, constant(arpBytes - 1, sizeBits)],
    constant(rawLimit - 1, sizeBits),
  );
  const last = node(given.add(lastWithout));

  const ethernet = joinFields(ethernetHeader, {
    dst: context.mac,
    src: config.mac,
    etherType: mux(arp, constant(etherType.arp, 16), etherType.ipv4),
  });
  const ip = joinFields(ipv4Header, { ...ipv4Constants, totalLength: ipLength, src: config.ip, dst: context.ip });
  const kept = context.ipHeader.width;
  const ipOut = cat(ip.bits(kept, ipv4Header.bytes * 8 - kept), mux(icmp, context.ipHeader, ip.bits(0, kept)));
  const udp = joinFields(udpHeader, {
    srcPort: context.nodePort,
    dstPort: context.clientPort,
    length: udpLength,
    checksum: 0,
  });
  const flag = (v: UInt<1>): Bit => v.and(context.published.not());
  const clioOut = joinFields(clioHeader, {
    ...asked,
    opcode: mux(kind.bare, asked.opcode, reply.opcode),
    status: reply.status,
    size,
    flagRoute: flag(asked.flagRoute).or(kind.waits),
    flagRepl: flag(asked.flagRepl),
    flagTracked: flag(asked.flagTracked),
    flagRetry: flag(asked.flagRetry),
    retryOf: mux(kind.waits, wait.is(waitBits), asked.retryOf),
  });
  const body = joinFields(accessBody, {
    va: mux(kind.atWord, word.is(64), access.va),
    length: mux(reply.status.eq(statusBits.OK), access.length, 0),
  });
  const bodyOut = joinBytes(mux(withAccess, body, 0), mux(kind.withWord, word, 0));

  // RFC 1624, equation 3, for the change of the type: the complement of ~checksum + ~before + after. The carry of the
  // sum comes back in at its low end. The carry is derived from the operands, so that one adder is enough.
  const before = context.icmpChecksum.not(),
    change = ~(echoRequestType << 8) & 0xffff;
  const icmpChecksum = node(before.add(mux(before.gt(0xffff - change), constant(change + 1, 16), change)).not());
  const icmpOut = joinFields(icmpHeader, { type: 0, code: 0, checksum: icmpChecksum, identifier: 0, sequence: 0 });
  const icmpKept = icmpHeader.at.checksum.byteOffset + icmpHeader.at.checksum.byteLength;
  const afterIp = headerBytes - frameOffsets.transport;
  const ipFrame = joinBytes(
    ipOut,
    mux(icmp, icmpOut.bits(0, icmpKept * 8).resize(afterIp * 8), joinBytes(udp, clioOut, bodyOut)),
  );
  const arpOut = joinFields(arpPacket, {
    hardwareType: 1,
    protocolType: etherType.ipv4,
    hardwareSize: 6,
    protocolSize: 4,
    operation: 2,
    senderMac: config.mac,
    senderIp: config.ip,
    // net_rx keeps the ARP sender's MAC where the Clio header would be.
    targetMac: context.header.bits(0, arpPacket.at.senderMac.width),
    targetIp: context.ip,
  });
  return {
    header: joinBytes(ethernet, mux(arp, arpOut.resize((headerBytes - ethernetHeader.bytes) * 8), ipFrame)),
    sum: kind.rest.add(given.zext(sumBits)),
    lastByte: node(mux(padded, constant(minimumFrame - 1, sizeBits), last)),
    content: mux(padded, last.bits(0, 6), 63),
  };
}

/**
 * An echo whose own bytes end before the shortest frame does: its last byte is `offset` of the lengths below
 * plus the length.
 */
const pingOffset = frameOffsets.network - 1,
  pingpongOffset = frameOffsets.clio - 1;
function isPadded(context: Val<typeof ReplyContext>, icmp: Bit, ping: Bit): Bit {
  const shortest = minimumFrame - 1,
    { size } = cutFields(clioHeader, context.header);
  return icmp.and(context.ipLength.lt(shortest - pingOffset)).or(ping.and(size.lt(shortest - pingpongOffset)));
}

/**
 * Position of a request's echoed bytes, in beats from the frame's first, and the number of beats that hold them,
 * padding included. Bytes behind the request's own are to be masked. Wires only.
 */
export function echoBeats(
  context: Val<typeof ReplyContext>,
  beatBytes: number,
  beatBits: number,
): { readonly first: UInt; readonly beats: UInt } {
  const icmp = context.kind.eq(FrameKind.icmp),
    lane = Math.log2(beatBytes),
    { size } = cutFields(clioHeader, context.header);
  const before = (bytes: number): number => Math.floor(bytes / beatBytes);
  const count = (length: UInt<16>, offset: number, header: number): UInt =>
    length.add((offset + beatBytes * (1 - before(header))) & 0xffff).bits(lane, beatBits + 1);
  const least = (header: number): number => before(minimumFrame - 1) - before(header) + 1;
  const whole = mux(icmp, count(context.ipLength, pingOffset, echoBytes), count(size, pingpongOffset, rawLimit));
  const padded = mux(icmp, constant(least(echoBytes), beatBits + 1), least(rawLimit));
  return {
    first: mux(icmp, constant(before(echoBytes), beatBits), before(rawLimit)),
    beats: mux(isPadded(context, icmp, icmp.not()), padded, whole),
  };
}

/** The header with the IPv4 checksum filled in. */
export function placeChecksum(header: UInt, checksum: UInt<16>): UInt {
  const at = (frameOffsets.network + ipv4Header.at.checksum.byteOffset) * 8;
  return cat(
    header.bits(at + 16, header.width - at - 16),
    checksum.bits(0, 8),
    checksum.bits(8, 8),
    header.bits(0, at),
  );
}
