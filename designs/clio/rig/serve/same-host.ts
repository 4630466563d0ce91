import {
  decodeField,
  encodeInto,
  ethernetHeader,
  etherType,
  headerOffsets,
  internetChecksum,
  ipv4Header,
} from "../../../shared/wire/index.ts";

/**
 * The IPv4 address under which the node sees programs that share its own: clients on the same machine, and a monitor at
 * another port of that address. The node drops frames from its own address, as on a network. No packet on a wire has
 * this address: it is the last loopback address but one.
 */
export const sameHost = 0x7fff_fffe;
/** Locally administered MACs that stand for hosts behind UDP sockets: the low four bytes hold the IPv4 address. */
export const hostMac = (ip: number): bigint => 0x02c2_0000_0000n | BigInt(ip);

/** The frame with another IPv4 address at `field` where it had `from`; UDP checksums are 0 here and stay so. */
function readdressed(frame: Uint8Array, field: "src" | "dst", from: number, to: number): Uint8Array {
  if (frame.length < headerOffsets.transport || decodeField(ethernetHeader, "etherType", frame) !== etherType.ipv4)
    return frame;
  if (decodeField(ipv4Header, field, frame, headerOffsets.network) !== from) return frame;
  const out = frame.slice();
  encodeInto(ipv4Header, { [field]: to, checksum: 0 }, out, headerOffsets.network);
  const checksum = internetChecksum(out, headerOffsets.network, headerOffsets.transport);
  encodeInto(ipv4Header, { checksum }, out, headerOffsets.network);
  return out;
}

/** A frame to the node; a sender with the node's address `ip` appears as the station `sameHost`. */
export function towardsNode(frame: Uint8Array, ip: number): Uint8Array {
  const out = readdressed(frame, "src", ip, sameHost);
  if (out !== frame) encodeInto(ethernetHeader, { src: hostMac(sameHost) }, out);
  return out;
}
/** A frame from the node; the receiver `sameHost` is the node's address `ip` again. */
export const fromNode = (frame: Uint8Array, ip: number): Uint8Array => readdressed(frame, "dst", sameHost, ip);
