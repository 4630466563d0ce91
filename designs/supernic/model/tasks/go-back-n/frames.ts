/** Frames of the Go-Back-N task, byte for byte. */
import {
  gbnFrame,
  gbnHeader,
  type GbnHeader,
  gbnTypes,
  managementSlot,
} from "../../../../shared/go-back-n/wire/index.ts";
import { concat, decode, encode, encodeInto, ethernetHeader, headerOffsets } from "../../../../shared/wire/index.ts";
import { type GbnNode, gbnSays, gbnWaitNs, kvNodePort } from "../../../wire/index.ts";
import { wordOf } from "../ip.ts";
import { writesAt } from "../task.ts";
import { type Client, gbnHeaderEnd, type Place, requestBytes } from "./packet.ts";

const ipLengthAt = 16,
  ipSumAt = 24,
  udpLengthAt = 38,
  ones = 0xffff;
const tagPrefix = 0x0247;

/** The IPv4 checksum when the header's length has changed (RFC 1624, equation 3). */
function summed(sum: number, more: number): number {
  const all = (~sum & ones) + (((more % ones) + ones) % ones);
  return ~((all & ones) + (all >>> 16)) & ones;
}
const words = (values: readonly number[]): number[] => values.flatMap(v => [(v >> 8) & 255, v & 255]);

/** What is written into a request, whose first 8 bytes are left out: tag, lengths and checksum. */
export function requestWrites(h: Uint8Array, session: number, life: number): Map<number, number> {
  const bytes = gbnHeader.bytes,
    less = h.slice(0, headerOffsets.payload);
  less.set(words([wordOf(h, ipLengthAt) - bytes]), ipLengthAt);
  less.set(words([summed(wordOf(h, ipSumAt), -bytes)]), ipSumAt);
  less.set(words([wordOf(h, udpLengthAt) - bytes, 0]), udpLengthAt);
  less.set(words([tagPrefix, life, session]), 6);
  return new Map(writesAt(bytes, [...less]));
}
/** A node's reply, as it goes to the client. */
export function replyFrame(reply: Uint8Array, header: GbnHeader, to: bigint): Uint8Array {
  const bytes = gbnHeader.bytes,
    out = concat(
      reply.slice(0, headerOffsets.payload),
      encode(gbnHeader, { ...header, unused: 0 }),
      reply.slice(headerOffsets.payload),
    );
  encodeInto(ethernetHeader, { dst: to }, out);
  out.set(words([wordOf(reply, ipLengthAt) + bytes]), ipLengthAt);
  out.set(words([summed(wordOf(reply, ipSumAt), bytes)]), ipSumAt);
  out.set(words([wordOf(reply, udpLengthAt) + bytes, 0]), udpLengthAt);
  return out;
}
/** An ACK or a NACK. */
export const answerFrame = (
  node: GbnNode,
  to: Client & Pick<Place, "mac">,
  of: { readonly nack: boolean; readonly sequence: number; readonly session: number },
): Uint8Array =>
  gbnFrame(
    { mac: node.mac, ip: node.ip, port: kvNodePort },
    { mac: to.mac, ip: to.ip, port: to.port },
    {
      type: of.nack ? gbnTypes.nack : gbnTypes.ack,
      sequence: of.sequence,
      srcSlot: of.session,
      dstSlot: to.slot,
    },
  );
/** What OPEN_SESSION or CLOSE_SESSION is answered with: the request turned round. @param asked the whole packet */
export function managedFrame(
  asked: Uint8Array,
  says: { readonly status: number; readonly session: number },
): Uint8Array {
  const out = asked.slice(0, gbnHeaderEnd + requestBytes + 4),
    swap = (a: number, b: number, n: number): void => {
      out.set(asked.slice(b, b + n), a);
      out.set(asked.slice(a, a + n), b);
    };
  swap(0, 6, 6);
  swap(26, 30, 4);
  swap(34, 36, 2);
  out.set([0, 0], 40);
  const { srcSlot } = decode(gbnHeader, asked.slice(headerOffsets.payload));
  encodeInto(
    gbnHeader,
    { sequence: 0, srcSlot: managementSlot, dstSlot: srcSlot, unused: 0 },
    out,
    headerOffsets.payload,
  );
  const at = gbnHeaderEnd,
    busy = says.status === gbnSays.busy,
    le = (n: number): number[] => [0, 8, 16, 24].map(s => (n >>> s) & 255);
  out[at + 3] = (asked[at + 3] ?? 0) | 1;
  out[at + 4] = ((asked[at + 4] ?? 0) & 0xf0) | (busy ? 0x10 : 0) | says.status;
  if (busy) out.set(le(gbnWaitNs), at + 12);
  out.set(le(says.session), at + requestBytes);
  return out;
}
