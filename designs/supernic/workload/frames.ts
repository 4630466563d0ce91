/** Frames of stations: TCP and UDP, with shims, in VXLAN, in redirects. */
import {
  concat,
  encode,
  ethernetHeader,
  etherType,
  headerOffsets,
  ipProtocol,
  ipv4Bytes,
  padFrame,
  parseIpv4,
  parseMac,
  udpHeader,
} from "../../shared/wire/index.ts";
import { type Shims, snicKind, snicVersion, tcpProtocol, tunnelPort } from "../wire/index.ts";
import { demoSetup } from "./setup.ts";

/** Who sends and receives. */
export interface Host {
  readonly mac: bigint;
  readonly ip: number;
}
export const device: Host = { mac: parseMac(demoSetup.mac), ip: parseIpv4(demoSetup.ip) };
export type StationName = (typeof demoSetup.stations)[number]["name"];
export function station(name: StationName): Host {
  const found = demoSetup.stations.find(s => s.name === name);
  if (found === undefined) throw new RangeError(`there is no station ${name}`);
  return { mac: parseMac(found.mac), ip: parseIpv4(found.ip) };
}
export const peerMac = parseMac(demoSetup.peers[0].mac);

export type DagName = (typeof demoSetup.dags)[number]["name"];
export const uidOf = (name: DagName): number => Number(demoSetup.dags.find(d => d.name === name)?.uid);

/** Text as bytes. */
export const text = (s: string): Uint8Array => new TextEncoder().encode(s);
/** So many bytes that differ from each other. */
export const filler = (bytes: number): Uint8Array => Uint8Array.from({ length: bytes }, (_, i) => (i * 7 + 3) & 255);

/** 16-bit words of UDP and TCP are added up over this, too. */
function transportChecksum(from: number, to: number, protocol: number, segment: Uint8Array): number {
  const pseudo = new Uint8Array(12),
    view = new DataView(pseudo.buffer);
  view.setUint32(0, from);
  view.setUint32(4, to);
  view.setUint16(8, protocol);
  view.setUint16(10, segment.length);
  const all = concat(pseudo, segment, new Uint8Array(segment.length % 2));
  let sum = 0;
  for (let i = 0; i < all.length; i += 2) sum += (all[i] ?? 0) * 256 + (all[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
interface Ports {
  readonly from: number;
  readonly to: number;
}
function ipFrame(from: Host, to: Host, protocol: number, segment: Uint8Array): Uint8Array {
  const ethernet = encode(ethernetHeader, { dst: to.mac, src: from.mac, etherType: etherType.ipv4 });
  return padFrame(concat(ethernet, ipv4Bytes(from.ip, to.ip, protocol, segment.length), segment));
}
/** UDP with a checksum. */
export function udp(from: Host, to: Host, ports: Ports, data: Uint8Array): Uint8Array {
  const header = { srcPort: ports.from, dstPort: ports.to, length: udpHeader.bytes + data.length },
    without = concat(encode(udpHeader, header), data),
    checksum = transportChecksum(from.ip, to.ip, ipProtocol.udp, without);
  return ipFrame(
    from,
    to,
    ipProtocol.udp,
    concat(encode(udpHeader, { ...header, checksum: checksum || 0xffff }), data),
  );
}
/** A TCP segment with a checksum. */
export function tcp(from: Host, to: Host, ports: Ports, data: Uint8Array): Uint8Array {
  const header = new Uint8Array(tcpProtocol.headerBytes),
    view = new DataView(header.buffer);
  view.setUint16(0, ports.from);
  view.setUint16(2, ports.to);
  view.setUint8(12, (tcpProtocol.headerBytes / 4) << 4);
  view.setUint8(13, 0x18);
  view.setUint16(14, 0xffff);
  view.setUint16(16, transportChecksum(from.ip, to.ip, tcpProtocol.number, concat(header, data)));
  return ipFrame(from, to, tcpProtocol.number, concat(header, data));
}
/** A frame in VXLAN. */
export function vxlan(from: Host, to: Host, vni: number, inner: Uint8Array): Uint8Array {
  const header = new Uint8Array(8);
  header[0] = 8;
  header.set([(vni >> 16) & 255, (vni >> 8) & 255, vni & 255], 4);
  return udp(from, to, { from: 50_000, to: tunnelPort }, concat(header, inner));
}
/** A sNIC shim as an endpoint writes it. */
export const shim = (uid: number, more: Partial<NonNullable<Shims["snic"]>> = {}): NonNullable<Shims["snic"]> => ({
  ...{
    version: snicVersion,
    kind: snicKind.data,
    ttl: 4,
    stage: 0,
    uid,
    origin: 0,
    ingress: 0,
    unused: 0,
    unprocessed: 0,
  },
  ...more,
});
/** Bytes of a frame changed. */
export function patched(frame: Uint8Array, at: number, bytes: readonly number[]): Uint8Array {
  const out = frame.slice();
  out.set(bytes, at);
  return out;
}
/** The byte at which the first shim's fields begin. */
export const shimAt = headerOffsets.network;
