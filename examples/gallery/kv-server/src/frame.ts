/**
 * A request and its reply: one Ethernet frame of 64 bytes, IPv4 without options, UDP. Numbers are big-endian as in all
 * headers; key and value are eight bytes that nobody looks into.
 */
import { type Bit, cat, constant, enumOf, struct, uint, type UInt } from "mnemosyne";

export const frameBytes = 64,
  beatBytes = 8,
  beats = frameBytes / beatBytes;
/** Where fields begin. */
export const at = {
  destinationMac: 0,
  sourceMac: 6,
  type: 12,
  version: 14,
  length: 16,
  fragment: 20,
  protocol: 23,
  source: 26,
  destination: 30,
  sourcePort: 34,
  destinationPort: 36,
  udpLength: 38,
  udpChecksum: 40,
  operation: 42,
  status: 43,
  tag: 44,
  key: 48,
  value: 56,
} as const;

export const Operation = enumOf("Operation", { get: 1, put: 2, remove: 3 }, { width: 8 });
export const Status = enumOf("Status", { done: 0, absent: 1, full: 2 }, { width: 8 });
/** All bytes of a frame, its first one lowest. */
export const Frame = struct({ bytes: uint(8 * frameBytes) });

/** Byte `i` of a frame. */
export const byteOf = (frame: UInt, i: number): UInt<8> => frame.bits(8 * i, 8);
/** A number of `bytes` bytes. */
export const fieldOf = (frame: UInt, from: number, bytes: number): UInt =>
  cat(...Array.from({ length: bytes }, (_, i) => byteOf(frame, from + i)));

/** Who the server is. */
export interface Identity {
  readonly mac: bigint;
  readonly ip: number;
  readonly port: number;
}

/** What is wrong with a frame as a request to `me`, its checksums apart; each of few gates. */
export function faultsOf(frame: UInt, me: Identity): readonly Bit[] {
  const operation = byteOf(frame, at.operation),
    fragment = fieldOf(frame, at.fragment, 2).bits(0, 14);
  return [
    fieldOf(frame, at.destinationMac, 6).ne(me.mac),
    fieldOf(frame, at.type, 3).ne(0x080045),
    fieldOf(frame, at.length, 2).ne(frameBytes - at.version),
    fragment.any(),
    byteOf(frame, at.protocol).ne(17),
    fieldOf(frame, at.destination, 4).ne(me.ip),
    fieldOf(frame, at.destinationPort, 2).ne(me.port),
    fieldOf(frame, at.udpLength, 2).ne(frameBytes - at.sourcePort),
    operation.eq(0).or(operation.gt(3)),
  ];
}

/** Numbers of 16 bits whose sum is 0xffff (RFC 1071): of IP's header, and of UDP's pseudo-header and datagram. */
export function summed(frame: UInt): { readonly ip: readonly UInt[]; readonly udp: readonly UInt[] } {
  const words = (from: number, to: number): UInt[] =>
    Array.from({ length: (to - from) / 2 }, (_, i) => fieldOf(frame, from + 2 * i, 2));
  return {
    ip: words(at.version, at.sourcePort),
    udp: [...words(at.source, frameBytes), constant(17, 16), fieldOf(frame, at.udpLength, 2)],
  };
}

/**
 * The reply: who sent it gets it. Both pairs of addresses change places, which leaves IP's checksum right; UDP's is 0,
 * for none.
 */
export function replyTo(frame: UInt, status: UInt<8>, value: UInt): UInt {
  const bytes = Array.from({ length: frameBytes }, (_, i) => byteOf(frame, i));
  const swap = (one: number, other: number, n: number): void => {
    for (let i = 0; i < n; i++) {
      bytes[one + i] = byteOf(frame, other + i);
      bytes[other + i] = byteOf(frame, one + i);
    }
  };
  swap(at.destinationMac, at.sourceMac, 6);
  swap(at.source, at.destination, 4);
  swap(at.sourcePort, at.destinationPort, 2);
  bytes[at.udpChecksum] = constant(0, 8);
  bytes[at.udpChecksum + 1] = constant(0, 8);
  bytes[at.status] = status;
  for (let i = 0; i < 8; i++) bytes[at.value + i] = value.bits(8 * i, 8);
  return cat(...bytes.reverse());
}
