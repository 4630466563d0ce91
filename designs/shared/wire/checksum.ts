/**
 * The Internet checksum (RFC 1071) of a range of bytes: ones' complement of the ones' complement sum of
 * 16-bit network-order words.
 */
export function internetChecksum(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let sum = 0;
  for (let i = start; i < end; i += 2) sum += ((bytes[i] ?? 0) << 8) | (i + 1 < end ? (bytes[i + 1] ?? 0) : 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

/**
 * A checksum after one 16-bit word has changed, without the rest of the data (RFC 1624, equation 3: HC' = ~(~HC + ~m +
 * m')). A corrupt message stays corrupt: the difference is carried over, not repaired.
 */
export function updateChecksum(checksum: number, before: number, after: number): number {
  let sum = (~checksum & 0xffff) + (~before & 0xffff) + after;
  sum = (sum & 0xffff) + (sum >>> 16);
  sum = (sum & 0xffff) + (sum >>> 16);
  return ~sum & 0xffff;
}
