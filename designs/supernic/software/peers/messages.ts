/** Messages of peers: CTRL messages of user 0 in UDP frames, with the key of the pair. */
import {
  concat,
  decode,
  type Decoded,
  dissectStack,
  encode,
  headerOffsets,
  ipProtocol,
  PacketError,
  udpFrame,
  udpHeader,
} from "../../../shared/wire/index.ts";
import {
  ctrlMessage,
  type CtrlMessage,
  ctrlPort,
  ctrlStatus,
  type CtrlStatusName,
  endsOf,
  openCtrl,
  peerEntryBody,
  peerHelloBody,
  peerLoadBody,
} from "../../wire/index.ts";
import type { PeerWay } from "../setup/index.ts";

/** The user of peers' messages. */
const rack = 0;
/** Entries of a LOAD, at most. */
export const mostEntries = 64;

/** A peer as the rack's setup has it. It does not tell these itself. */
export interface PeerPlace {
  readonly number: number;
  readonly name: string;
  readonly mac: bigint;
  readonly ip: number;
  /** The port that leads there, and the links on the way. */
  readonly port: number;
  readonly hops: number;
  /** Another way, for when nothing is heard by the first. */
  readonly around?: PeerWay | undefined;
  readonly key: Uint8Array;
}
export interface OwnPlace {
  readonly mac: bigint;
  readonly ip: number;
}
export interface Message {
  readonly opcode: number;
  readonly requestId: number;
  readonly status?: CtrlStatusName;
  readonly reply?: boolean;
  readonly body: Uint8Array;
}

/** A message to a peer, as a frame. */
export function peerFrame(
  own: OwnPlace,
  to: PeerPlace,
  { opcode, requestId, status, reply, body }: Message,
): Uint8Array {
  const from = { ...own, port: ctrlPort },
    there = { mac: to.mac, ip: to.ip, port: ctrlPort },
    header = { opcode, requestId, user: rack, status: ctrlStatus[status ?? "OK"], reply: reply === true ? 1 : 0 };
  return udpFrame(from, there, ctrlMessage(to.key, endsOf(from, there), header, body));
}

export type Read =
  | { readonly is: "other" }
  /** It says that it is a peer's, and is not. */
  | { readonly is: "stranger" }
  | { readonly is: "message"; readonly peer: PeerPlace; readonly message: CtrlMessage };

/** A frame that came in. `other`: nothing that a peer sends. */
export function readPeerFrame(frame: Uint8Array, own: OwnPlace, peers: readonly PeerPlace[]): Read {
  const { ipv4, udp } = dissectStack(frame),
    peer = peers.find(p => p.ip === ipv4?.src);
  if (peer === undefined || ipv4?.dst !== own.ip || ipv4.protocol !== ipProtocol.udp || udp?.dstPort !== ctrlPort)
    return { is: "other" };
  const { transport, network } = headerOffsets,
    end = transport + udp.length,
    fits = udp.length >= udpHeader.bytes && end <= network + ipv4.totalLength && end <= frame.length;
  const ends = endsOf({ ip: peer.ip, port: udp.srcPort }, { ip: own.ip, port: ctrlPort }),
    message = fits
      ? openCtrl(frame.slice(transport + udpHeader.bytes, end), ends, user => (user === rack ? peer.key : undefined))
      : undefined;
  if (message === undefined || udp.srcPort !== ctrlPort) return { is: "stranger" };
  return { is: "message", peer, message };
}

export type Hello = Decoded<typeof peerHelloBody>;
export type Entry = Decoded<typeof peerEntryBody>;
export interface Load extends Decoded<typeof peerLoadBody> {
  readonly list: readonly Entry[];
}
export const helloOf = (body: Uint8Array): Hello | undefined =>
  body.length === peerHelloBody.bytes ? tried(() => decode(peerHelloBody, body)) : undefined;
export function loadOf(body: Uint8Array): Load | undefined {
  const { bytes } = peerEntryBody,
    rest = body.length - peerLoadBody.bytes;
  if (rest < 0) return undefined;
  const head = tried(() => decode(peerLoadBody, body));
  if (head === undefined || head.entries > mostEntries || rest !== head.entries * bytes) return undefined;
  const list = Array.from({ length: head.entries }, (_, i) =>
    decode(peerEntryBody, body, peerLoadBody.bytes + i * bytes),
  );
  return { ...head, list };
}
export const loadBody = (head: Partial<Decoded<typeof peerLoadBody>>, list: readonly Partial<Entry>[]): Uint8Array =>
  concat(encode(peerLoadBody, { ...head, entries: list.length }), ...list.map(e => encode(peerEntryBody, e)));

function tried<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (e) {
    if (e instanceof PacketError) return undefined;
    throw e;
  }
}
