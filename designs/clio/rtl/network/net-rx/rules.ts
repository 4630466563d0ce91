/** The rules by which a frame is dropped (designs/clio/model/rules.md, section 1), each by itself. Wires only. */
import { type Bit, node, repeat, type UInt, type Val } from "../../../../../hdl-dsl/index.ts";
import {
  arpPacket,
  broadcastMac,
  ethernetHeader,
  etherType,
  icmpHeader,
  ipv4Header,
  udpHeader,
} from "../../../../shared/wire/index.ts";
import { clioHeader, frameOffsets } from "../../../wire/index.ts";
import type { NetConfig } from "../../records/records.ts";
import type { DropReasonName } from "../drops.ts";
import { isNoSender, isNoStation } from "../senders.ts";
import { checksumPlaces } from "./checksum.ts";
import type { Headers, Traits } from "./headers.ts";
import type { Frame } from "./records.ts";

type Config = Val<typeof NetConfig>;

/** Whether a rule is broken, which any bit of `broken` says, and what the frame is then dropped for. */
export interface Rule {
  readonly reason: DropReasonName;
  readonly broken: UInt;
}

/** Number of the last byte of what must be there, for frames that end early. */
const lastByteOf = {
  ethernet: ethernetHeader.bytes - 1,
  arp: frameOffsets.network + arpPacket.bytes - 1,
  ipv4: frameOffsets.transport - 1,
};

/** An ARP packet that asks for this node's MAC address. */
function asksForUs({ arp }: Headers, config: Config): Bit {
  const arpOurs = node(arp.targetIp.eq(config.ip));
  const types = arp.hardwareType.eq(1).and(arp.protocolType.eq(etherType.ipv4)),
    sizes = arp.hardwareSize.eq(6).and(arp.protocolSize.eq(4));
  const arpRequest = node(types.and(sizes).and(arp.operation.eq(1)));
  return arpRequest.and(arpOurs);
}

/** The IPv4 packet claims more bytes than the frame has. */
function goesPast(totalLength: UInt, lastByte: UInt): Bit {
  // Padded so that no sum wraps.
  const wide = Math.max(17, lastByte.width);
  const ipEnd = totalLength.zext(wide).add(frameOffsets.network - 1);
  return node(ipEnd.gt(lastByte.zext(wide)), { name: "past_frame" });
}

/** All rules in their order: the first that is broken counts. `tooLong` is rule 1, since other stages ask it too. */
export function rulesOf(
  { header, lastByte }: Frame,
  headers: Headers,
  is: Traits,
  tooLong: Bit,
  config: Config,
): readonly Rule[] {
  const { isArp, isIp, isIcmp, isUdp } = is,
    { ethernet, ip, icmp, udp } = headers;
  const forAll = node(ethernet.dst.eq(broadcastMac).and(isArp));
  const macOurs = node(ethernet.dst.eq(config.mac).or(forAll).or(config.acceptAnyMac));
  const ours = node(ip.dst.eq(config.ip));
  const noSender = isNoSender(ethernet.src, config, is.inside),
    noStation = isNoStation(ip.src, config);
  const short = (bytes: number): Bit => ip.totalLength.lt(bytes);
  // The places of the sum by themselves: whether all are right is asked in the next stage, or this one is too deep.
  const wrongSum = node(checksumPlaces(header).not().and(repeat(isIp, 16)), { name: "sum_wrong" });
  const udpLength = ip.totalLength.sub(ipv4Header.bytes);
  return [
    { reason: "long", broken: tooLong },
    { reason: "short", broken: lastByte.lt(lastByteOf.ethernet) },
    { reason: "mac", broken: macOurs.not() },
    { reason: "etherType", broken: isIp.or(isArp).not() },
    { reason: "short", broken: isArp.and(lastByte.lt(lastByteOf.arp)) },
    { reason: "arp", broken: isArp.andNot(asksForUs(headers, config)) },
    { reason: "short", broken: isIp.and(lastByte.lt(lastByteOf.ipv4)) },
    { reason: "ipHeader", broken: isIp.and(ip.version.ne(4).or(ip.ihl.lt(5))) },
    { reason: "ipOptions", broken: isIp.and(ip.ihl.gt(5)) },
    { reason: "ipChecksum", broken: wrongSum },
    { reason: "fragment", broken: isIp.and(ip.moreFragments.or(ip.fragmentOffset.any())) },
    { reason: "ip", broken: isIp.andNot(ours) },
    { reason: "source", broken: noSender.or(isIp.and(noStation)) },
    { reason: "length", broken: isIp.and(short(ipv4Header.bytes).or(goesPast(ip.totalLength, lastByte))) },
    { reason: "protocol", broken: isIp.andNot(isIcmp.or(isUdp)) },
    { reason: "short", broken: isIcmp.and(short(ipv4Header.bytes + icmpHeader.bytes)) },
    { reason: "icmp", broken: isIcmp.and(icmp.type.ne(8).or(icmp.code.ne(0))) },
    { reason: "short", broken: isUdp.and(short(ipv4Header.bytes + udpHeader.bytes)) },
    { reason: "port", broken: isUdp.andNot(is.native.or(is.client)) },
    { reason: "length", broken: isUdp.and(udp.length.ne(udpLength)) },
    { reason: "short", broken: isUdp.and(udp.length.lt(udpHeader.bytes + clioHeader.bytes)) },
  ];
}
