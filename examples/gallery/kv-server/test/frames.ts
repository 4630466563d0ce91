/** Frames of a client, field by field from RFC 791, 768 and 1071, and the replies that the server should make. */
export interface Request {
  readonly operation: number;
  readonly tag: number;
  readonly key: string;
  readonly value: string;
  readonly clientMac: bigint;
  readonly clientIp: number;
  readonly clientPort: number;
  /** UDP's checksum is left out. */
  readonly unchecked?: boolean;
}
export const server = { mac: 0x02_00_00_00_00_2an, ip: 0x0a00002a, port: 7777 };

const bytesOf = (v: number | bigint, n: number): number[] =>
  Array.from({ length: n }, (_, i) => Number((BigInt(v) >> BigInt(8 * (n - 1 - i))) & 0xffn));
/** The complement of the sum with its carries added in. */
export function checksum(bytes: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] ?? 0) * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16);
  return 0xffff - sum;
}

interface Ends {
  readonly mac: bigint;
  readonly ip: number;
  readonly port: number;
}
function frame(from: Ends, to: Ends, payload: readonly number[], identification: number, checked: boolean): Uint8Array {
  const ip = [0x45, 0, ...bytesOf(28 + payload.length, 2), ...bytesOf(identification, 2), 0x40, 0, 64, 17];
  const addresses = [...bytesOf(from.ip, 4), ...bytesOf(to.ip, 4)],
    udp = [...bytesOf(from.port, 2), ...bytesOf(to.port, 2), ...bytesOf(8 + payload.length, 2)];
  const sum = checksum([...addresses, 0, 17, ...bytesOf(8 + payload.length, 2), ...udp, 0, 0, ...payload]);
  return Uint8Array.from([
    ...[...bytesOf(to.mac, 6), ...bytesOf(from.mac, 6), 0x08, 0x00],
    ...[...ip, ...bytesOf(checksum([...ip, 0, 0, ...addresses]), 2), ...addresses],
    ...[...udp, ...bytesOf(checked ? (sum === 0 ? 0xffff : sum) : 0, 2), ...payload],
  ]);
}

const clientOf = (r: Request): Ends => ({ mac: r.clientMac, ip: r.clientIp, port: r.clientPort });
const text = (s: string): number[] => [...Buffer.from(s.padEnd(8, "\0"), "latin1")];

export const requestFrame = (r: Request): Uint8Array =>
  frame(
    clientOf(r),
    server,
    [r.operation, 0xee, ...bytesOf(r.tag, 4), ...text(r.key), ...text(r.value)],
    r.tag % 65536,
    r.unchecked !== true,
  );
export const replyFrame = (r: Request, status: number, value: string): Uint8Array =>
  frame(
    server,
    clientOf(r),
    [r.operation, status, ...bytesOf(r.tag, 4), ...text(r.key), ...text(value)],
    r.tag % 65536,
    false,
  );
