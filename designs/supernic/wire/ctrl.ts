/**
 * CTRL: what users and peers ask of a sNIC's software. A message is the header, a body and a tail that shows that the
 * sender has the key: the first 16 bytes of HMAC-SHA-256 (RFC 2104) over its two ends and all that is in front. Without
 * the ends, who has seen a message could send it again from elsewhere: to be done a second time, or by another sNIC.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { concat, decode, type Decoded, encode, layout, num, PacketError } from "../../shared/wire/index.ts";

/** The UDP port of CTRL. */
export const ctrlPort = 1300;
/** Bytes of the tail. */
export const ctrlTailBytes = 16;

/** What users ask (from 0x01) and what peers ask (from 0x20). */
export const ctrlOpcode = {
  DEPLOY_NT: 0x01,
  ADD_DAG: 0x02,
  REMOVE_DAG: 0x03,
  BIND: 0x04,
  LAUNCH: 0x05,
  STOP: 0x06,
  QUERY: 0x07,
  WEIGHT: 0x08,
  NT_CONFIG: 0x09,
  PEER_HELLO: 0x20,
  PEER_LOAD: 0x21,
  PEER_LAUNCH: 0x22,
  PEER_BITSTREAM: 0x23,
  PEER_READY: 0x24,
  PEER_PAUSE: 0x25,
  PEER_STATE: 0x26,
  PEER_PAGE_OUT: 0x27,
  PEER_PAGE_IN: 0x28,
  PEER_RELEASE: 0x29,
  PEER_PAGE_DROP: 0x2a,
} as const;
export type CtrlOpcodeName = keyof typeof ctrlOpcode;

/** What each is for. */
export const ctrlMeaning: Readonly<Record<CtrlOpcodeName, string>> = {
  DEPLOY_NT: "make a network task known: side, use of payload and memory, who may share it",
  ADD_DAG: "an order of network tasks; the reply has its UID",
  REMOVE_DAG: "give a UID back",
  BIND: "frames that match a rule take a DAG, without a shim",
  LAUNCH: "load the chains of a DAG",
  STOP: "unload them",
  QUERY: "counters and states of one's own",
  WEIGHT: "a user's weight in sharing",
  NT_CONFIG: "write rows of a network task's configuration",
  PEER_HELLO: "who I am and how I am reached",
  PEER_LOAD: "regions, chains, memory and ports of this sNIC, each period",
  PEER_LAUNCH: "load a chain for my users",
  PEER_BITSTREAM: "a part of a bitstream",
  PEER_READY: "the chain is loaded",
  PEER_PAUSE: "stop and drain a chain",
  PEER_STATE: "a part of a chain's state",
  PEER_PAGE_OUT: "a part of a page, to keep for me",
  PEER_PAGE_IN: "give a part of a page back",
  PEER_RELEASE: "what was loaded for me is no longer needed",
  PEER_PAGE_DROP: "a page is no longer needed",
};

/** How a request ended. */
export const ctrlStatus = { OK: 0, INVALID: 1, DENIED: 2, FULL: 3, BUSY: 4, EXPIRED: 5, UNKNOWN: 6 } as const;
export type CtrlStatusName = keyof typeof ctrlStatus;
export const ctrlStatusMeaning: Readonly<Record<CtrlStatusName, string>> = {
  OK: "done; 0 in requests",
  INVALID: "a field contradicts another or names nothing; nothing was done",
  DENIED: "not this user's to ask; nothing was done",
  FULL: "no room: a table, a quota or memory; nothing was done",
  BUSY: "send it again later",
  EXPIRED: "too late to tell whether it was done before; nothing was done now",
  UNKNOWN: "no such opcode",
};

const names = (codes: Readonly<Record<string, number>>): Record<number, string> =>
  Object.fromEntries(Object.entries(codes).map(([name, code]) => [code, name]));

/** In front of a message's body, behind UDP. */
export const ctrlHeader = layout("ctrl", "CTRL (UDP port 1300)", "le", {
  opcode: num(8, "what is asked; the same in the reply", "hex", names(ctrlOpcode)),
  status: num(8, "reply: how it ended; request: 0", "dec", names(ctrlStatus)),
  user: num(16, "whose key the tail is made with; the rack's, 0, for peers"),
  size: num(16, "bytes from this header's first to the body's last; the tail comes behind"),
  reply: num(1, "this is the reply", "bool"),
  unused: num(15, "0", "hex"),
  requestId: num(32, "unique per sender; the reply has the same", "hex"),
  retryOf: num(32, "requestId of the lost request that this one repeats; 0: none", "hex"),
});

/** In front of the header where the tail is made, and never sent: as in the checksum of UDP. */
export const ctrlEnds = layout("ctrlEnds", "CTRL, the ends of a message, which only the tail covers", "be", {
  srcIp: num(32, "IPv4 address of who sends it", "ipv4"),
  dstIp: num(32, "IPv4 address of whom it is for", "ipv4"),
  srcPort: num(16, "UDP port of who sends it"),
  dstPort: num(16, "UDP port of whom it is for"),
});
export type CtrlEnds = Decoded<typeof ctrlEnds>;
/** Who sends, and to whom. */
export const endsOf = (from: CtrlEnd, to: CtrlEnd): CtrlEnds => ({
  srcIp: from.ip,
  dstIp: to.ip,
  srcPort: from.port,
  dstPort: to.port,
});
interface CtrlEnd {
  readonly ip: number;
  readonly port: number;
}

/** A message taken apart. */
export interface CtrlMessage {
  readonly header: Decoded<typeof ctrlHeader>;
  readonly body: Uint8Array;
}

const tailOf = (key: Uint8Array, ends: CtrlEnds, message: Uint8Array): Uint8Array =>
  new Uint8Array(
    createHmac("sha256", key).update(encode(ctrlEnds, ends)).update(message).digest().subarray(0, ctrlTailBytes),
  );

/** A message as it stands behind the UDP header; `size` is worked out unless it is given. */
export function ctrlMessage(
  key: Uint8Array,
  ends: CtrlEnds,
  header: Partial<Decoded<typeof ctrlHeader>>,
  body: Uint8Array = new Uint8Array(),
): Uint8Array {
  const message = concat(encode(ctrlHeader, { size: ctrlHeader.bytes + body.length, ...header }), body);
  return concat(message, tailOf(key, ends, message));
}

/**
 * A message whose size is right and whose tail is that of its user; undefined for any other. What it says may still be
 * wrong: who has the key has to be told.
 */
export function openCtrl(
  message: Uint8Array,
  ends: CtrlEnds,
  keyOf: (user: number) => Uint8Array | undefined,
): CtrlMessage | undefined {
  const sent = message.length - ctrlTailBytes;
  if (sent < ctrlHeader.bytes) return undefined;
  const header = decode(ctrlHeader, message),
    key = keyOf(header.user);
  if (header.size !== sent || key === undefined) return undefined;
  if (!timingSafeEqual(tailOf(key, ends, message.subarray(0, sent)), message.subarray(sent))) return undefined;
  return { header, body: message.slice(ctrlHeader.bytes, sent) };
}

/** What is wrong with a message, the first in this order; undefined: nothing. */
function wrongWith(message: Uint8Array, h: Decoded<typeof ctrlHeader>): string | undefined {
  const sent = message.length - ctrlTailBytes;
  if (h.size !== sent)
    return `size is ${h.size}; it must be ${sent}, the message's ${message.length} bytes without the tail`;
  if (!Object.values<number>(ctrlOpcode).includes(h.opcode))
    return `opcode is 0x${h.opcode.toString(16)}; it must be one of ${Object.keys(ctrlOpcode).join(", ")}`;
  if (h.reply === 0 && h.status !== 0) return `status is ${h.status} in a request; it must be 0`;
  if (h.unused !== 0) return `unused is 0x${h.unused.toString(16)}; it must be 0`;
  return undefined;
}

/**
 * Takes a message apart. @param keyOf the key of a user, or undefined where there is no such user
 * @throws PacketError in one sentence for a message that is cut short, contradicts itself or has another's tail
 */
export function readCtrl(
  message: Uint8Array,
  ends: CtrlEnds,
  keyOf: (user: number) => Uint8Array | undefined,
): CtrlMessage {
  const least = ctrlHeader.bytes + ctrlTailBytes;
  if (message.length < least)
    throw new PacketError(`ctrl: the message has ${message.length} bytes; it must have ${least} or more`);
  const header = decode(ctrlHeader, message),
    wrong = wrongWith(message, header),
    key = keyOf(header.user);
  if (wrong !== undefined) throw new PacketError(`ctrl: ${wrong}`);
  if (key === undefined) throw new PacketError(`ctrl: user is ${header.user}; there is no such user`);
  if (!timingSafeEqual(tailOf(key, ends, message.subarray(0, header.size)), message.subarray(header.size)))
    throw new PacketError(
      `ctrl: the tail is not made with the key of user ${header.user} for these ends; send it with that key from the address in it`,
    );
  return { header, body: message.slice(ctrlHeader.bytes, header.size) };
}
