import { big, layout, num } from "./layout.ts";
import { statusNames } from "./status.ts";

/** Ethernet II, without FCS. */
export const ethernetHeader = layout("ethernet", "Ethernet", "be", {
  dst: big(48, "destination MAC", "mac"), src: big(48, "source MAC", "mac"),
  etherType: num(16, "protocol of what follows", "hex", { 0x0800: "IPv4", 0x0806: "ARP" }),
});
export const etherType = { ipv4: 0x0800, arp: 0x0806 } as const;

/** ARP for IPv4 over Ethernet. */
export const arpPacket = layout("arp", "ARP", "be", {
  hardwareType: num(16, "1: Ethernet"), protocolType: num(16, "0x0800: IPv4", "hex"), hardwareSize: num(8, "6"), protocolSize: num(8, "4"),
  operation: num(16, "1 request, 2 reply", "dec", { 1: "request", 2: "reply" }),
  senderMac: big(48, "sender MAC", "mac"), senderIp: num(32, "sender IPv4", "ipv4"),
  targetMac: big(48, "target MAC", "mac"), targetIp: num(32, "target IPv4", "ipv4"),
});

/** IPv4 header without options. */
export const ipv4Header = layout("ipv4", "IPv4", "be", {
  version: num(4, "4"), ihl: num(4, "header length in 32-bit words; 5 (no options)"), tos: num(8, "type of service"),
  totalLength: num(16, "bytes from the IPv4 header's first byte to the end of the data"),
  identification: num(16, "0 in replies"), reservedFlag: num(1, "0", "bool"), dontFragment: num(1, "1 in replies", "bool"),
  moreFragments: num(1, "1 is refused", "bool"), fragmentOffset: num(13, "other than 0 is refused"),
  ttl: num(8, "64 in replies"), protocol: num(8, "17 UDP, 1 ICMP", "dec", { 1: "ICMP", 17: "UDP" }), checksum: num(16, "of this header", "hex"),
  src: num(32, "source", "ipv4"), dst: num(32, "destination", "ipv4"),
});
export const ipProtocol = { icmp: 1, udp: 17 } as const;

/** ICMP echo request and reply. */
export const icmpHeader = layout("icmp", "ICMP echo", "be", {
  type: num(8, "8 request, 0 reply", "dec", { 0: "echo reply", 8: "echo request" }), code: num(8, "0"), checksum: num(16, "of the whole message", "hex"),
  identifier: num(16, "echoed", "hex"), sequence: num(16, "echoed"),
});

export const udpHeader = layout("udp", "UDP", "be", {
  srcPort: num(16, "source port"), dstPort: num(16, "destination port"), length: num(16, "bytes from the UDP header's first byte to the end of the data"),
  checksum: num(16, "0: not used", "hex"),
});

/** Go-Back-N header, only in builds with transport = gbn. */
export const gbnHeader = layout("gbn", "Go-Back-N", "le", {
  type: num(8, "kind of packet", "dec", { 1: "ACK", 2: "NACK", 3: "DATA" }), sequence: num(32, "first is 1, wraps"),
  srcSlot: num(10, "source slot; 0 is management"), dstSlot: num(10, "destination slot"), unused: num(4, "0"),
});

/** The Clio header (wire-format.md). */
export const clioHeader = layout("clio", "Clio", "le", {
  pid: num(16, "global process ID: the protection domain"), tag: num(8, "client's, echoed", "hex"), opcode: num(8, "operation", "hex"),
  status: num(4, "reply: outcome", "dec", statusNames), flagRoute: num(1, "reserved", "bool"), flagRepl: num(1, "replicate (SuperNIC)", "bool"),
  flagTracked: num(1, "requestId is valid", "bool"), flagRetry: num(1, "retryOf is valid", "bool"),
  seqId: num(8, "client's, echoed", "hex"), size: num(16, "bytes from the Clio header's first byte to the end of the data"),
  requestId: num(32, "with flagTracked: unique per client node; otherwise opaque", "hex"),
  retryOf: num(32, "with flagRetry: the requestId of the failed request that this one repeats; otherwise opaque", "hex"),
});

/** Where the headers of a UDP request start, in bytes from the frame's first (builds without Go-Back-N). */
export const frameOffsets = {
  ethernet: 0, network: ethernetHeader.bytes, transport: ethernetHeader.bytes + ipv4Header.bytes,
  clio: ethernetHeader.bytes + ipv4Header.bytes + udpHeader.bytes,
  body: ethernetHeader.bytes + ipv4Header.bytes + udpHeader.bytes + clioHeader.bytes,
} as const;

/** Shortest Ethernet frame without FCS, bytes; shorter ones are padded with zeros. */
export const minimumFrame = 60;
