/** What a packet is to the Go-Back-N task, by its bytes alone (docs/supernic/go-back-n.md). */
import { type GbnHeader, gbnHeader, gbnTypes, managementSlot } from "../../../../shared/go-back-n/wire/index.ts";
import { decode, ethernetHeader, headerOffsets, ipProtocol } from "../../../../shared/wire/index.ts";
import { gbnFrameBytes, gbnManage, type GbnNode, gbnTaskSessions, kvNodePort } from "../../../wire/index.ts";
import { hasIp, longOf, wordOf } from "../ip.ts";
import type { TaskPacketModel } from "../task.ts";

/** Bytes of the headers up to the end of the Go-Back-N header, and of the header of a request behind it. */
export const gbnHeaderEnd = headerOffsets.payload + gbnHeader.bytes,
  requestBytes = 16;
/** Where a request's opcode stands in a frame, and the name or number of a session. */
const opcodeAt = gbnHeaderEnd + 3,
  nameAt = gbnHeaderEnd + requestBytes;
const udpBytes = 8,
  ipBytes = 20,
  nameBytes = 4;
const tagPrefix = 0x0247;

/** A client, and the node that he speaks to: what tells a session's peer from others. */
export interface Client {
  readonly node: number;
  readonly ip: number;
  readonly port: number;
  readonly slot: number;
}
export const sameClient = (a: Client, b: Client): boolean =>
  a.node === b.node && a.ip === b.ip && a.port === b.port && a.slot === b.slot;
/** Where frames for him go. */
export interface Place {
  readonly mac: bigint;
  /** Of the sNIC. */
  readonly port: number;
}
export type GbnPacketKind =
  /** It goes on as it came. */
  | { readonly is: "other" }
  /** It is dropped. */
  | { readonly is: "lost" }
  /** DATA, an ACK or a NACK of a session. */
  | { readonly is: "session"; readonly from: Client; readonly at: Place; readonly gbn: GbnHeader }
  /** OPEN_SESSION or CLOSE_SESSION; `name`: what the client calls the session, or its number. */
  | {
      readonly is: "manages";
      readonly from: Client;
      readonly at: Place;
      readonly opens: boolean;
      readonly name: number;
    }
  /** A reply of a node, with what its tag says. */
  | { readonly is: "reply"; readonly node: number; readonly session: number; readonly life: number };

const be = (b: Uint8Array, at: number, n: number): number => b.slice(at, at + n).reduce((x, byte) => x * 256 + byte, 0);
/** The whole packet as it came to the task. */
export const bytesOf = ({ header, headBytes, payload }: TaskPacketModel): Uint8Array =>
  Uint8Array.from([...header.slice(0, headBytes), ...(payload ?? [])]);

/** What a MAC says that is such a name of a session and its life. */
function tagOf(mac: Uint8Array): { readonly session: number; readonly life: number } | undefined {
  const [prefix, life, session] = [be(mac, 0, 2), be(mac, 2, 2), be(mac, 4, 2)];
  return prefix === tagPrefix && session < gbnTaskSessions ? { session, life } : undefined;
}
/** @param nodes by their places; undefined: there is none */
export function kindOf(p: TaskPacketModel, nodes: readonly (GbnNode | undefined)[]): GbnPacketKind {
  const { header: h, user, ingress, noL4 } = p,
    bytes = p.headBytes + p.payloadBytes,
    isUdp = hasIp(p) && h[23] === ipProtocol.udp && !noL4,
    index = (which: (n: GbnNode) => boolean): number => nodes.findIndex(n => n !== undefined && which(n));
  const [srcIp, dstIp] = [longOf(h, 26), longOf(h, 30)],
    from = index(n => n.ip >>> 0 === srcIp && n.port === ingress),
    to = index(n => n.ip >>> 0 === dstIp);
  if (isUdp && wordOf(h, 34) === kvNodePort && from >= 0) {
    const tag = tagOf(h);
    if (tag === undefined) return { is: "other" };
    const takes = nodes[from]?.user === user && bytes <= gbnFrameBytes - gbnHeader.bytes;
    return takes ? { is: "reply", node: from, ...tag } : { is: "lost" };
  }
  if (!isUdp || wordOf(h, 36) !== kvNodePort || to < 0) return { is: "other" };
  const length = wordOf(h, 38),
    total = wordOf(h, 16),
    whole =
      length + ipBytes === total && bytes >= total + headerOffsets.network && length >= udpBytes + gbnHeader.bytes;
  if (nodes[to]?.user !== user || !whole) return { is: "lost" };
  const gbn = decode(gbnHeader, h.slice(headerOffsets.payload)),
    isData = gbn.type === gbnTypes.data && length >= udpBytes + gbnHeader.bytes + requestBytes,
    isAnswer = gbn.type === gbnTypes.ack || gbn.type === gbnTypes.nack;
  const of = {
    from: { node: to, ip: srcIp, port: wordOf(h, 34), slot: gbn.srcSlot },
    at: { mac: decode(ethernetHeader, h).src, port: ingress },
  };
  if (gbn.dstSlot !== managementSlot)
    return gbn.dstSlot < gbnTaskSessions && (isData || isAnswer) ? { is: "session", ...of, gbn } : { is: "lost" };
  const opcode = h[opcodeAt] ?? 0,
    opens = opcode === gbnManage.open,
    manages =
      (opens || opcode === gbnManage.close) &&
      gbn.srcSlot !== managementSlot &&
      isData &&
      total === ipBytes + udpBytes + gbnHeader.bytes + requestBytes + nameBytes;
  if (!manages) return { is: "lost" };
  const name = be(
    bytesOf(p)
      .slice(nameAt, nameAt + nameBytes)
      .reverse(),
    0,
    nameBytes,
  );
  return { is: "manages", ...of, opens, name };
}
