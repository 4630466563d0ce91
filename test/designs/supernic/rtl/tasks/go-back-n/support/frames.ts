/** Clients, nodes, and what they send. */
import { clioMessage, opcode, sessionBody } from "../../../../../../../designs/clio/wire/index.ts";
import {
  gbnFrame,
  gbnHeader,
  type GbnHeader,
  gbnTypes,
} from "../../../../../../../designs/shared/go-back-n/wire/index.ts";
import {
  decode,
  encode,
  type Endpoint,
  ethernetHeader,
  internetChecksum,
  ipv4Header,
  udpHeader,
} from "../../../../../../../designs/shared/wire/index.ts";
import { type GbnNode, kvNodePort } from "../../../../../../../designs/supernic/wire/index.ts";
import { spreadIp, spreadMac, spreadPort } from "../../../../../../support/spread.ts";

export const user = 3;
export const nodes: readonly GbnNode[] = [0, 1, 2, 3].map(n => ({
  mac: spreadMac(n, 1),
  ip: spreadIp(n, 1),
  port: 8 + n,
  user,
}));
export const nodeEnd = (n: number): Endpoint => {
  const { mac, ip } = nodes[n] as GbnNode;
  return { mac, ip, port: kvNodePort };
};
export const clientEnd = (n: number): Endpoint => ({
  mac: spreadMac(n),
  ip: spreadIp(n),
  port: spreadPort(n % 7),
});
/** The port of the sNIC at which a client is. */
export const clientPort = (n: number): number => n % 8;

export const manageFrame = (from: Endpoint, to: Endpoint, slot: number, code: number, name: number): Uint8Array =>
  gbnFrame(
    from,
    to,
    { type: gbnTypes.data, sequence: 0, srcSlot: slot, dstSlot: 0 },
    clioMessage({ opcode: code, requestId: name, retryOf: 0x1234_5678 }, encode(sessionBody, { session: name })),
  );
export const openFrame = (from: Endpoint, to: Endpoint, slot: number, name: number): Uint8Array =>
  manageFrame(from, to, slot, opcode.OPEN_SESSION, name);
export const closeFrame = (from: Endpoint, to: Endpoint, slot: number, session: number): Uint8Array =>
  manageFrame(from, to, slot, opcode.CLOSE_SESSION, session);
export const sessionFrame = (from: Endpoint, to: Endpoint, header: GbnHeader, payload?: Uint8Array): Uint8Array =>
  gbnFrame(from, to, header, payload);

/** Headers of a UDP frame, what stands behind them, and that lengths and checksum are right. @throws when not */
export function parsed(frame: Uint8Array) {
  const ethernet = decode(ethernetHeader, frame),
    ip = decode(ipv4Header, frame.slice(14)),
    udp = decode(udpHeader, frame.slice(34));
  if (internetChecksum(frame, 14, 34) !== 0) throw new Error("a wrong IPv4 checksum");
  if (ip.totalLength !== udp.length + 20) throw new Error("lengths that differ");
  if (udp.checksum !== 0) throw new Error("a UDP checksum");
  if (frame.length < 14 + ip.totalLength) throw new Error("a frame that is cut short");
  return { ethernet, ip, udp, body: frame.slice(42, 14 + ip.totalLength) };
}
export function parsedGbn(frame: Uint8Array) {
  const { body, ...rest } = parsed(frame),
    gbn = decode(gbnHeader, body);
  if (gbn.unused !== 0) throw new Error("unused bits that are not 0");
  return { ...rest, gbn, body: body.slice(gbnHeader.bytes) };
}
