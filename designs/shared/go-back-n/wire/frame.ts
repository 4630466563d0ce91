import {
  concat,
  decode,
  encode,
  encodeInto,
  type Endpoint,
  ethernetHeader,
  headerOffsets,
  internetChecksum,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../wire/index.ts";
import { gbnHeader } from "./header.ts";

/** The fields of a packet's header. */
export interface GbnHeader {
  readonly type: number;
  readonly sequence: number;
  readonly srcSlot: number;
  readonly dstSlot: number;
}

/** A Go-Back-N packet in a frame. */
export function gbnFrame(
  from: Endpoint,
  to: Endpoint,
  header: GbnHeader,
  payload: Uint8Array = new Uint8Array(),
): Uint8Array {
  return udpFrame(from, to, concat(encode(gbnHeader, { ...header, unused: 0 }), payload));
}

/** Writes the lengths of IPv4 and UDP into a frame, and no UDP checksum. */
function setLengths(frame: Uint8Array, udpBytes: number): void {
  encodeInto(ipv4Header, { totalLength: ipv4Header.bytes + udpBytes }, frame, headerOffsets.network);
  encodeInto(udpHeader, { length: udpBytes, checksum: 0 }, frame, headerOffsets.transport);
}
/** Writes the checksum of the IPv4 header into a frame. */
function fixChecksum(frame: Uint8Array): void {
  encodeInto(ipv4Header, { checksum: 0 }, frame, headerOffsets.network);
  encodeInto(
    ipv4Header,
    { checksum: internetChecksum(frame, headerOffsets.network, headerOffsets.transport) },
    frame,
    headerOffsets.network,
  );
}

/** The frame without its Go-Back-N header, sent from the MAC `src`. */
export function withoutGbn(frame: Uint8Array, src: bigint): Uint8Array {
  const out = concat(frame.slice(0, headerOffsets.payload), frame.slice(headerOffsets.payload + gbnHeader.bytes));
  encodeInto(ethernetHeader, { src }, out);
  setLengths(out, decode(udpHeader, frame, headerOffsets.transport).length - gbnHeader.bytes);
  fixChecksum(out);
  return out;
}
/** The frame with a Go-Back-N header, sent to the MAC `dst`. */
export function withGbn(frame: Uint8Array, header: GbnHeader, dst: bigint): Uint8Array {
  const out = concat(
    frame.slice(0, headerOffsets.payload),
    encode(gbnHeader, { ...header, unused: 0 }),
    frame.slice(headerOffsets.payload),
  );
  encodeInto(ethernetHeader, { dst }, out);
  setLengths(out, decode(udpHeader, frame, headerOffsets.transport).length + gbnHeader.bytes);
  fixChecksum(out);
  return out;
}
