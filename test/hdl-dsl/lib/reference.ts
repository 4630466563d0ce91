/** Reference models of the library's units: plain, bit by bit or word by word, as the standards tell it. */

/** CRC-32 of IEEE 802.3, one bit at a time, of whole bytes. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes)
    for (let i = 0; i < 8; i++) {
      const fed = (crc ^ (byte >> i)) & 1;
      crc = (crc >>> 1) ^ (fed === 1 ? 0xedb88320 : 0);
    }
  return ~crc >>> 0;
}

/** RFC 1071: complement of the one's complement sum of big-endian words, an odd byte followed by 0. */
export function internetChecksum(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += (bytes[i] as number) * 256 + (bytes[i + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}
