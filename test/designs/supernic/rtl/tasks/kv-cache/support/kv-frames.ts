/** Frames of Clio-KV, as clients and the node send them. */
import { clioHeader, kvBody, kvReplyBody, replyFrame } from "../../../../../../../designs/clio/wire/index.ts";
import type { KvPacket } from "../../../../../../../designs/supernic/model/index.ts";
import { kvNodePort, kvOpcode } from "../../../../../../../designs/supernic/wire/index.ts";
import {
  concat,
  decode,
  encode,
  ethernetHeader,
  ipv4Header,
  udpFrame,
  udpHeader,
} from "../../../../../../../designs/shared/wire/index.ts";
import { spreadMac } from "../../../../../../support/spread.ts";

export const user = 3,
  nodePort = 1;
export const node = { mac: 0x025a_0000_00aan, ip: 0xc0a8_f009, port: kvNodePort };
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
/** A client whose replies of `valueBytes` need the last carry of their checksum: the sum folds twice. */
export function carryingClient(valueBytes: number): Client {
  const words = (ip: number): number => (ip >>> 16) + (ip & 0xffff);
  for (let low = 0; low < 0x10000; low++) {
    const ip = 0xc0a8_0000 + low,
      sum = 0x4500 + 0x4000 + 0x4011 + 48 + valueBytes + words(node.ip) + words(ip);
    if ((sum & 0xffff) + (sum >>> 16) > 0xffff) return { ...clientOf(2), ip };
  }
  throw new RangeError(`no client's replies of ${valueBytes} bytes carry twice`);
}
export interface Ask {
  readonly op: keyof typeof kvOpcode;
  readonly key: bigint;
  readonly value?: Uint8Array;
  readonly pid?: number;
  readonly requestId: number;
  readonly retryOf?: number;
  readonly tracked?: boolean;
}
const blank = { tag: 7, status: 0, flagRoute: 0, flagRepl: 0, seqId: 9, retryOf: 0, flagRetry: 0 };
export function requestFrame(client: Client, a: Ask): Uint8Array {
  const value = a.value ?? new Uint8Array(),
    body = concat(encode(kvBody, { user: 5, keySize: 8, valueSize: value.length, key: a.key }), value);
  const clio = encode(clioHeader, {
    ...blank,
    pid: a.pid ?? 17,
    opcode: kvOpcode[a.op],
    flagTracked: a.tracked === false ? 0 : 1,
    size: clioHeader.bytes + body.length,
    requestId: a.requestId,
    ...(a.retryOf !== undefined && { flagRetry: 1, retryOf: a.retryOf }),
  });
  return udpFrame(client, node, concat(clio, body));
}
/** The headers of a frame, and what of its body is of interest here. */
export function parsed(frame: Uint8Array) {
  const ethernet = decode(ethernetHeader, frame),
    ipv4 = decode(ipv4Header, frame.slice(14)),
    udp = decode(udpHeader, frame.slice(34)),
    clio = decode(clioHeader, frame.slice(42));
  return { ethernet, ipv4, udp, clio, body: frame.slice(58, 42 + clio.size) };
}
/** What the node says to a request. */
export const nodeReply = (request: Uint8Array, status: number, value?: Uint8Array): Uint8Array => {
  const { body, ...h } = parsed(request),
    says = value ?? new Uint8Array();
  const reply =
    status === 0 || status === 4
      ? concat(encode(kvReplyBody, { user: body[0] ?? 0, keySize: 8, valueSize: says.length }), says)
      : new Uint8Array();
  return replyFrame(node, { ...h, native: true }, h.clio.opcode + 1, status, reply);
};
export const fromClient = (bytes: Uint8Array): KvPacket => ({ bytes, user, ingress: 0 });
export const fromNode = (bytes: Uint8Array): KvPacket => ({ bytes, user, ingress: nodePort });
