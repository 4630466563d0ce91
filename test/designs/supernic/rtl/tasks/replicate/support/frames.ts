/** Frames of clients and nodes for replication: requests that want copies, replies, and others that nearly are. */
import { clioHeader, replyFrame } from "../../../../../../../designs/clio/wire/index.ts";
import {
  concat,
  decode,
  encode,
  ethernetHeader,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../../../../../../designs/shared/wire/index.ts";
import type { TaskPacketModel } from "../../../../../../../designs/supernic/model/index.ts";
import { kvNodePort, type ReplicaGroup, replicaKeyHash } from "../../../../../../../designs/supernic/wire/index.ts";
import { spreadMac } from "../../../../../../support/spread.ts";

export interface Client {
  readonly mac: bigint;
  readonly ip: number;
  readonly port: number;
}
export const clientOf = (n: number): Client => ({
  mac: spreadMac(n),
  ip: 0xc0a8_0100 + n,
  port: 4000 + n,
});
export const nodes = Array.from({ length: 4 }, (_, n) => ({
  mac: 0x025a_00a0_00aan + BigInt(n) * 0x1_0000_0001n,
  ip: (0xc0a8_f009 + n * 0x0001_fe03) >>> 0,
  port: n + 1,
}));
/** Bytes of the body of a write whose replies need the last carry of their checksum for the second of these. */
export const carryingBytes = 40;
/** Clients that differ in their address, and in their port alone; their numbers are the same. */
export function someClients(): readonly Client[] {
  const asked = (client: Client): Uint8Array =>
      requestFrame(client, 0, { requestId: 1, body: new Uint8Array(carryingBytes) }),
    [first, second] = groupOf(0).nodes.map(n => n.ip);
  if (first === undefined || second === undefined) throw new RangeError("the group has two nodes");
  return [
    clientOf(1),
    { ...clientOf(1), port: sharingPort(clientOf(1)) },
    carrying(client => nodeReply(1, asked(client), 0), second, first),
    carrying(asked, first, second),
  ];
}
/** Another port of a client, with which its requests have places in the same sets. */
function sharingPort({ port }: Client): number {
  const onWire = (p: number): bigint => BigInt(((p & 255) << 8) | (p >> 8)) << 32n;
  for (let other = port + 1; other < 0x10000; other++)
    if (replicaKeyHash(onWire(port) ^ onWire(other)) === 0n) return other;
  throw new RangeError("no port shares the sets");
}
/** One whose frames need the last carry of their checksum, when an address of them becomes another. */
function carrying(frameOf: (client: Client) => Uint8Array, before: number, after: number): Client {
  const fold = (sum: number): number => (sum & 0xffff) + (sum >>> 16),
    words = (ip: number): readonly number[] => [ip >>> 16, ip & 0xffff];
  for (let low = 0; low < 0x10000; low++) {
    const client = { ...clientOf(2), ip: 0xc0a8_0000 + low },
      frame = frameOf(client),
      sum = ((frame[24] ?? 0) << 8) | (frame[25] ?? 0),
      all = [~sum, ...words(before).map(w => ~w), ...words(after)].reduce((n, w) => n + (w & 0xffff), 0);
    if (fold(all) > 0xffff) return client;
  }
  throw new RangeError("no client's frames carry twice");
}
/** User of all groups, and the groups by their `arg`: of one, two, three and four nodes. */
export const user = 3;
export const groups: readonly ReplicaGroup[] = [2, 3, 4, 1].map((count, i) => ({
  number: i === 3 ? 15 : i,
  user,
  nodes: nodes.slice(i === 3 ? 3 : 0).slice(0, count),
}));
export const groupOf = (arg: number): ReplicaGroup => {
  const found = groups.find(g => g.number === arg % 16);
  if (found === undefined) throw new RangeError(`there is no group ${arg}`);
  return found;
};
const native = (n: { readonly mac: bigint; readonly ip: number }) => ({ mac: n.mac, ip: n.ip, port: kvNodePort });

export interface Ask {
  readonly requestId: number;
  readonly opcode?: number;
  readonly retryOf?: number;
  readonly replicate?: boolean;
  readonly tracked?: boolean;
  readonly body?: Uint8Array;
}
const blank = { pid: 17, tag: 7, status: 0, flagRoute: 0, seqId: 9, retryOf: 0, flagRetry: 0 };
/** A write to the first node of a group. */
export function requestFrame(client: Client, arg: number, a: Ask): Uint8Array {
  const body = a.body ?? new Uint8Array(20),
    [first] = groupOf(arg).nodes;
  if (first === undefined) throw new RangeError("a group has a node");
  const clio = encode(clioHeader, {
    ...blank,
    opcode: a.opcode ?? 0x50,
    flagRepl: a.replicate === false ? 0 : 1,
    flagTracked: a.tracked === false ? 0 : 1,
    size: clioHeader.bytes + body.length,
    requestId: a.requestId,
    ...(a.retryOf !== undefined && { flagRetry: 1, retryOf: a.retryOf }),
  });
  return udpFrame(client, native(first), concat(clio, body));
}
/** The headers of a frame, and its body. */
export function parsed(frame: Uint8Array) {
  const clio = decode(clioHeader, frame.slice(42));
  return {
    ethernet: decode(ethernetHeader, frame),
    ipv4: decode(ipv4Header, frame.slice(14)),
    udp: decode(udpHeader, frame.slice(34)),
    clio,
    body: frame.slice(58, 42 + clio.size),
  };
}
/** What a node says to a copy. */
export const nodeReply = (node: number, request: Uint8Array, status: number): Uint8Array => {
  const { body, ...h } = parsed(request),
    at = nodes[node];
  if (at === undefined) throw new RangeError(`there is no node ${node}`);
  const said = status === 0 ? body.slice(0, 14) : new Uint8Array();
  return replyFrame(native(at), { ...h, native: true }, h.clio.opcode + 1, status, said);
};
/** A frame as the task is told of it. */
export function packetOf(bytes: Uint8Array, o: { ingress: number; arg: number; user?: number }): TaskPacketModel {
  const header = new Uint8Array(64);
  header.set(bytes.slice(0, 64));
  return {
    ...{ header, uid: 1, user: o.user ?? user, ingress: o.ingress, flowHash: 0, noL4: false, arg: o.arg },
    headBytes: Math.min(64, bytes.length),
    payloadBytes: Math.max(0, bytes.length - 64),
    ...(bytes.length > 64 && { payload: bytes.slice(64) }),
  };
}
export const fromClient = (bytes: Uint8Array, arg: number): TaskPacketModel => packetOf(bytes, { ingress: 0, arg });
export const fromNode = (node: number, bytes: Uint8Array, arg: number): TaskPacketModel =>
  packetOf(bytes, { ingress: nodes[node]?.port ?? 0, arg });
