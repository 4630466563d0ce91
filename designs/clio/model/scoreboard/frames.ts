/** Frames as the scoreboard looks at them: by what they echo, and by what is said of them. */
import { clockPeriod, type NodeConfig } from "../../config/index.ts";
import type { telling } from "../../wire/index.ts";
import { accessBody, clioField, clioHeader, dissect, frameOffsets, opcodeName, statusName } from "../../wire/index.ts";
import {
  decode,
  decodeField,
  encodeInto,
  ethernetHeader,
  ipv4Header,
  isUdp,
  type Placement,
  udpHeader,
} from "../../../shared/wire/index.ts";
import { wordBytes, wordOf } from "../access.ts";

/** The number in an atomic's reply. */
export function foundIn(frame: Uint8Array): bigint | undefined {
  const at = frameOffsets.body + accessBody.bytes;
  return frame.length >= at + wordBytes ? wordOf(frame.subarray(at, at + wordBytes)) : undefined;
}

/** The address in an access's reply: behind a pointer, where that led to. */
export function vaIn(frame: Uint8Array): bigint {
  return frame.length < frameOffsets.body + accessBody.bytes ? 0n : decode(accessBody, frame, frameOffsets.body).va;
}

export function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Key that ties a reply to its request: the client's address and port, and the header bytes that are echoed. For ARP
 * and ICMP it is the kind and the client. MAC, IPv4 address and ports are taken as they stand in the frame.
 */
export function keyOf(
  parts: readonly (readonly [from: number, to: number])[],
  flags: number,
  frame: Uint8Array,
): string {
  const clio = frameOffsets.clio,
    end = Math.min(clio + clioHeader.bytes, frame.length);
  let n = 0;
  codes[n++] = flags;
  for (const [from, to] of parts) for (let i = from; i < to; i++) codes[n++] = frame[i] ?? 0;
  for (let i = clio; i < end; i++) if (i < clio + 3 || i === clio + 5 || i >= clio + 8) codes[n++] = frame[i] ?? 0;
  codes.length = n;
  // One call that makes the string: it is a key of a map, which would join its parts anyway.
  return String.fromCharCode(...codes);
}
/** A key's characters while it is made; keys are made one at a time, and nearly all have one length. */
const codes: number[] = [];
/** The bytes of a field in a frame. */
const bytesOf = (p: Placement, from: number): readonly [number, number] => [
  from + p.byteOffset,
  from + p.byteOffset + p.byteLength,
];
const ofSender = [
    bytesOf(ethernetHeader.at.src, frameOffsets.ethernet),
    bytesOf(ipv4Header.at.src, frameOffsets.network),
    bytesOf(udpHeader.at.srcPort, frameOffsets.transport),
    bytesOf(udpHeader.at.dstPort, frameOffsets.transport),
  ],
  ofReceiver = [
    bytesOf(ethernetHeader.at.dst, frameOffsets.ethernet),
    bytesOf(ipv4Header.at.dst, frameOffsets.network),
    bytesOf(udpHeader.at.dstPort, frameOffsets.transport),
    bytesOf(udpHeader.at.srcPort, frameOffsets.transport),
  ];
/** The flags of a frame; they are echoed on the native port. */
export const flagsOf = (frame: Uint8Array): number =>
  (frame[frameOffsets.clio + clioHeader.at.status.byteOffset] ?? 0) >> 4;
export function requestKey(frame: Uint8Array, nativePort: number): string {
  const native = decodeField(udpHeader, "dstPort", frame, frameOffsets.transport) === nativePort;
  return keyOf(ofSender, native ? flagsOf(frame) : 0, frame);
}
/** A frame with another Clio header. */
export function encoded(frame: Uint8Array, clio: Parameters<typeof telling>[0]): Uint8Array {
  const out = frame.slice();
  encodeInto(clioHeader, clio, out, frameOffsets.clio);
  return out;
}
/** Nanoseconds for which a place of the retry buffer's clients can be kept: 13 quarters of TIMEOUT, and the search. */
export const mostWait = (c: NodeConfig): number =>
  clockPeriod * (13 * Math.ceil(c.retryCycles / 4) + 2 * c.retryClients + c.retryEntries + 16);
export function replyKey(frame: Uint8Array): string {
  if (isUdp(frame)) return keyOf(ofReceiver, flagsOf(frame), frame);
  const { ethernet } = dissect(frame);
  return `${ethernet?.dst ?? 0} ${ethernet?.etherType ?? 0}`;
}
export function frameName(frame: Uint8Array): string {
  const code = clioField(frame, "opcode");
  if (code !== undefined) return opcodeName(code);
  const { arp, icmp } = dissect(frame);
  return arp ? "ARP" : icmp ? (icmp.type === 8 || icmp.type === 0 ? "ICMP echo" : "ICMP") : "frame";
}
export function describe(frame: Uint8Array): string {
  const d = dissect(frame);
  if (!d.clio) return `${frameName(frame)} of ${frame.length} bytes`;
  const body =
    d.body && d.body.length >= accessBody.bytes && (d.clio.opcode === 0x41 || d.clio.opcode === 0x51)
      ? decode(accessBody, d.body)
      : undefined;
  return `${opcodeName(d.clio.opcode)} ${statusName(d.clio.status)} of ${frame.length} bytes, size ${d.clio.size}${body ? `, va 0x${body.va.toString(16)}, length ${body.length}` : ""}`;
}
