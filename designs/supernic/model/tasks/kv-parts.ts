/** Fields of Clio-KV's frames as the models of the KV cache take them, and the reply that the node would give. */
import { kvOpcode, kvReply } from "../../wire/index.ts";

/** Bytes of the kvHeaders. */
export const kvHeaders = { ethernet: 14, ip: 20, udp: 8, clio: 16, kv: 12, kvReply: 4 } as const;
const clioAt = 42,
  bodyAt = 58,
  keyAt = 62;
/** First bytes of addresses, ports and key. */
export const kvAt = { src: 26, dst: 30, srcPort: 34, dstPort: 36, key: keyAt } as const;
const be = (b: Uint8Array, at: number, n: number): number => b.slice(at, at + n).reduce((x, byte) => x * 256 + byte, 0);
export const le = (b: Uint8Array, at: number, n: number): bigint =>
  b.slice(at, at + n).reduceRight((x, byte) => (x << 8n) | BigInt(byte), 0n);
const le16 = (b: Uint8Array, at: number): number => Number(le(b, at, 2));

/** Fields of a frame for the node or from it. */
export function partsOf(bytes: Uint8Array) {
  const header = new Uint8Array(64);
  header.set(bytes.slice(0, 64));
  const isUdp =
    bytes.length >= kvHeaders.ethernet + kvHeaders.ip &&
    be(header, 12, 2) === 0x800 &&
    header[14] === 0x45 &&
    header[23] === 17;
  return {
    header,
    isUdp,
    total: be(header, 16, 2),
    src: be(header, 26, 4),
    dst: be(header, 30, 4),
    srcPort: be(header, 34, 2),
    dstPort: be(header, 36, 2),
    pid: le(header, clioAt, 2),
    opcode: header[clioAt + 3] ?? 0,
    status: (header[clioAt + 4] ?? 0) & 15,
    tracked: (((header[clioAt + 4] ?? 0) >> 6) & 1) === 1,
    size: le16(header, clioAt + 6),
    keySize: header[bodyAt + 1] ?? 0,
    valueSize: le16(header, bodyAt + 2),
    whole: bytes.length >= 64,
    payload: Math.max(0, bytes.length - 64),
  };
}
export type Parts = ReturnType<typeof partsOf>;
/** Who asks, in the order of the hardware's fields: address, port, process, request, tag, sequence. */
export function askerOf(p: Parts, ip: number, port: number): bigint {
  const { header } = p,
    parts: readonly (readonly [bigint, number])[] = [
      [le(header, ip, 4), 32],
      [le(header, port, 2), 16],
      [p.pid, 16],
      [le(header, clioAt + 8, 4), 32],
      [BigInt(header[clioAt + 2] ?? 0), 8],
      [BigInt(header[clioAt + 5] ?? 0), 8],
    ];
  let at = 0n,
    all = 0n;
  for (const [value, bits] of parts) {
    all |= value << at;
    at += BigInt(bits);
  }
  return all;
}
function checksum(header: Uint8Array): number {
  let sum = 0;
  for (let i = 14; i < 34; i += 2) if (i !== 24) sum += be(header, i, 2);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}

/** The reply that the node would give, from a request's first 64 bytes. */
export function replyTo(request: Uint8Array, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(keyAt + value.length),
    total = kvHeaders.ip + kvHeaders.udp + kvHeaders.clio + kvHeaders.kvReply + value.length,
    put = (at: number, n: number): void => {
      out.set([n >> 8, n & 255], at);
    };
  out.set(request.slice(6, 12), 0);
  out.set(request.slice(0, 6), 6);
  out.set([8, 0, 0x45, 0], 12);
  put(16, total);
  out.set([0, 0, 0x40, 0, 64, 17], 18);
  out.set(request.slice(30, 34), 26);
  out.set(request.slice(26, 30), 30);
  out.set(request.slice(36, 38), 34);
  out.set(request.slice(34, 36), 36);
  put(38, total - kvHeaders.ip);
  out.set(request.slice(clioAt, bodyAt + 1), clioAt);
  out[clioAt + 3] = kvReply(kvOpcode.read);
  out[clioAt + 4] = (request[clioAt + 4] ?? 0) & 0xf0;
  const size = kvHeaders.clio + kvHeaders.kvReply + value.length;
  out.set([size & 255, size >> 8], clioAt + 6);
  out.set([8, value.length & 255, value.length >> 8], bodyAt + 1);
  out.set(value, keyAt);
  put(24, checksum(out));
  return out;
}
