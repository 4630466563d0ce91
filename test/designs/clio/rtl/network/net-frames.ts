/** Frames for the benches of the network blocks: whole ones, and ones with each thing wrong that the rules name. */
import {
  arpFrame,
  arpPacket,
  broadcastMac,
  concat,
  decode,
  encodeInto,
  type Endpoint,
  ethernetHeader,
  etherType,
  icmpEchoFrame,
  icmpHeader,
  internetChecksum,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../../../../designs/shared/wire/index.ts";
import {
  clioHeader,
  clioMessage,
  frameOffsets,
  opcode,
  replyOnlyCodes,
  sharedCodes,
} from "../../../../../designs/clio/wire/index.ts";
import type { FilterSettings } from "../../../../../designs/clio/model/index.ts";
import type { Random } from "../../../../../sim/index.ts";

export const mtuFrame = 1536,
  clientPorts = 1024;
export const own: FilterSettings = {
  mac: 0x02c110000001n,
  ip: 0x0a0a0001,
  nativePort: 1200,
  clientPort: 1234,
  acceptAnyMac: false,
  mtuFrame,
  clientPorts,
};
export const configOf = (s: FilterSettings) => ({
  mac: s.mac,
  ip: s.ip,
  nativePort: s.nativePort,
  clientPort: s.clientPort,
  acceptAnyMac: s.acceptAnyMac ? 1 : 0,
});

export const randomClient = (random: Random): Endpoint => ({
  mac: stationMac(random),
  ip: random.between(1, 0xdfff_ffff),
  port: random.between(1, 65535),
});
/** A MAC address without the group bit. */
const stationMac = (random: Random): bigint => random.bits(48) & ~groupBit;
const groupBit = 1n << 40n;
const nodePort = (random: Random): number =>
  random.pick([
    own.nativePort,
    own.nativePort,
    own.clientPort,
    own.clientPort + clientPorts - 1,
    own.clientPort + random.between(1, clientPorts - 2),
  ]);

/** A body length: mostly small, so that headers and edges of beats are met often. */
const bodyBytes = (random: Random): number =>
  random.chance(0.1)
    ? random.between(0, mtuFrame - frameOffsets.body)
    : random.chance(0.3)
      ? random.pick([0, 1, 2, 11, 12, 13])
      : random.between(0, 150);

/** A request to the node with random contents; `body` bytes behind the Clio header. */
export function randomRequest(
  random: Random,
  body = bodyBytes(random),
  port = nodePort(random),
  code = random.between(0, 255),
): Uint8Array {
  const values = {
    pid: random.between(0, 65535),
    tag: random.between(0, 255),
    opcode: code,
    status: random.chance(0.1) ? random.between(0, 15) : 0,
    flagRoute: random.between(0, 1),
    flagRepl: random.between(0, 1),
    flagTracked: random.between(0, 1),
    flagRetry: random.between(0, 1),
    seqId: random.between(0, 255),
    requestId: random.word(),
    retryOf: random.word(),
  };
  return udpFrame(randomClient(random), { ...own, port }, clioMessage(values, random.bytes(body)));
}
export function randomPing(
  random: Random,
  data = random.chance(0.1) ? random.between(0, mtuFrame - 42) : random.between(0, 100),
): Uint8Array {
  return icmpEchoFrame(
    randomClient(random),
    own,
    random.between(0, 65535),
    random.between(0, 65535),
    random.bytes(data),
  );
}
export function randomArp(random: Random): Uint8Array {
  const frame = arpFrame(random.chance() ? broadcastMac : own.mac, {
    operation: 1,
    senderMac: random.bits(48),
    senderIp: random.word(),
    targetMac: random.bits(48),
    targetIp: own.ip,
  });
  // The frame's source need not be the ARP sender.
  encodeInto(
    ethernetHeader,
    { src: random.chance() ? stationMac(random) : decode(arpPacket, frame, ipOffset).senderMac & ~groupBit },
    frame,
  );
  return frame;
}
export const ipOffset = frameOffsets.network,
  transport = frameOffsets.transport;

/** The IPv4 checksum made right again after a change. */
export function fixChecksum(frame: Uint8Array): void {
  if (frame.length < transport) return;
  encodeInto(ipv4Header, { checksum: 0 }, frame, ipOffset);
  encodeInto(ipv4Header, { checksum: internetChecksum(frame, ipOffset, transport) }, frame, ipOffset);
}

type Change = (frame: Uint8Array, random: Random) => void;
const ip =
  (
    values: (r: Random, was: ReturnType<typeof ipOf>) => Parameters<typeof encodeInto<typeof ipv4Header.fields>>[1],
  ): Change =>
  (f, r) => {
    encodeInto(ipv4Header, values(r, ipOf(f)), f, ipOffset);
    fixChecksum(f);
  };
const ipOf = (f: Uint8Array) => decode(ipv4Header, f, ipOffset);
/** Faults of a frame that has all its headers, one change each. */
export const changes: readonly Change[] = [
  (f, r) =>
    encodeInto(
      ethernetHeader,
      { dst: r.pick([broadcastMac, r.bits(48), own.mac ^ (1n << BigInt(r.between(0, 47)))]) },
      f,
    ),
  (f, r) => encodeInto(ethernetHeader, { src: r.pick([own.mac, broadcastMac, stationMac(r) | groupBit]) }, f),
  ip(r => ({ src: r.pick([own.ip, 0, 0xffff_ffff, 0xe000_0000, 0xefff_ffff, 0xdfff_ffff, 0xf000_0000, 1]) })),
  // A frame that a node may have sent: an opcode that replies share with requests, from a port of a node's.
  (f, r) => {
    const ports = [own.nativePort, own.clientPort, own.clientPort + clientPorts - 1, own.clientPort + clientPorts];
    encodeInto(udpHeader, { srcPort: r.pick([...ports, own.clientPort - 1]) }, f, transport);
    encodeInto(clioHeader, { opcode: r.pick([...sharedCodes, r.pick(replyOnlyCodes)]) }, f, frameOffsets.clio);
  },
  (f, r) => encodeInto(ethernetHeader, { etherType: r.pick([r.between(0, 65535), etherType.arp, etherType.ipv4]) }, f),
  ip(r => ({ version: r.between(0, 15) })),
  ip(r => ({ ihl: r.between(0, 15) })),
  ip(r => ({ moreFragments: 1, fragmentOffset: r.chance() ? 0 : r.between(0, 8191) })),
  ip(r => ({ fragmentOffset: 1 << r.between(0, 12) })),
  ip(r => ({ dst: (own.ip ^ (1 << r.between(0, 31))) >>> 0 })),
  ip(r => ({ protocol: r.pick([1, 6, 17, r.between(0, 255)]) })),
  ip((r, was) => ({
    totalLength: r.pick([
      0,
      19,
      20,
      27,
      28,
      29,
      43,
      44,
      65535,
      was.totalLength + 1,
      Math.max(0, was.totalLength - 1),
      r.between(0, 65535),
    ]),
  })),
  ip(r => ({ tos: r.between(0, 255), identification: r.between(0, 65535), ttl: r.between(0, 255), reservedFlag: 1 })),
  (f, r) => {
    encodeInto(
      ipv4Header,
      { checksum: r.pick([0, 0xffff, ipOf(f).checksum ^ (1 << r.between(0, 15)), r.between(0, 65535)]) },
      f,
      ipOffset,
    );
  },
  (f, r) => {
    encodeInto(
      udpHeader,
      {
        dstPort: r.pick([
          own.nativePort - 1,
          own.nativePort + 1,
          own.clientPort - 1,
          own.clientPort + clientPorts,
          r.between(0, 65535),
        ]),
      },
      f,
      transport,
    );
  },
  (f, r) => {
    const was = decode(udpHeader, f, transport).length;
    encodeInto(
      udpHeader,
      { length: r.pick([0, 8, 23, 24, was - 1, was + 1, r.between(0, 65535)]) & 0xffff },
      f,
      transport,
    );
  },
  (f, r) => {
    const was = decode(clioHeader, f, frameOffsets.clio).size;
    encodeInto(
      clioHeader,
      { size: r.pick([0, 15, 16, 17, was - 1, was + 1, 65535, r.between(0, 65535)]) & 0xffff },
      f,
      frameOffsets.clio,
    );
  },
  (f, r) => encodeInto(icmpHeader, { type: r.between(0, 9), code: r.between(0, 1) }, f, transport),
  (f, r) => {
    const was = decode(arpPacket, f, ipOffset);
    encodeInto(
      arpPacket,
      r.pick([
        { hardwareType: 2 },
        { protocolType: 0x86dd },
        { hardwareSize: 7 },
        { protocolSize: 3 },
        { operation: r.pick([0, 2, 3, 257]) },
        { targetIp: (was.targetIp ^ 1) >>> 0 },
      ]),
      f,
      ipOffset,
    );
  },
];

/** Both lengths and the checksum made to fit a UDP payload of `bytes`. */
function shrinkUdp(frame: Uint8Array, bytes: number): Uint8Array {
  const f = frame.slice(0, transport + udpHeader.bytes + bytes);
  encodeInto(udpHeader, { length: udpHeader.bytes + bytes }, f, transport);
  encodeInto(ipv4Header, { totalLength: ipv4Header.bytes + udpHeader.bytes + bytes }, f, ipOffset);
  fixChecksum(f);
  return f;
}

/** Any frame that a node may meet: good, wrong in one or more ways, cut short, followed by padding, or too long. */
export function anyFrame(random: Random): Uint8Array {
  const kind = random.between(0, 9);
  let frame = kind < 7 ? randomRequest(random) : kind < 8 ? randomArp(random) : randomPing(random);
  while (random.chance(0.4)) random.pick(changes)(frame, random);
  if (kind < 1) frame = shrinkUdp(frame, random.between(0, 17));
  const shape = random.between(0, 9);
  if (shape === 0) frame = frame.slice(0, random.between(1, Math.min(140, frame.length)));
  if (shape === 1) frame = concat(frame, random.bytes(random.between(1, 80)));
  if (shape === 2 && random.chance(0.3))
    frame = concat(
      frame,
      random.bytes(random.pick([mtuFrame - frame.length, mtuFrame + 1 - frame.length, 700, 2048, 3000]) & 0xfff),
    );
  return frame;
}
/** A READ that must be served. */
export const goodRead = (random: Random): Uint8Array => randomRequest(random, 12, own.nativePort, opcode.READ);
export const toBig = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
export const fromBig = (value: bigint, bytes: number): Uint8Array =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(bytes * 2, "0"), "hex").reverse());
