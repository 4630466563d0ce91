/** CRC-32 of the 8 bytes of a word by a table: Castagnoli's polynomial (0) and IEEE 802.3's (1). */
const tables = [0x1edc6f41, 0x04c11db7].map(polynomial => {
  // The polynomial with its bits turned round: bytes go in lowest bit first.
  const reversed = Number.parseInt(Array.from(polynomial.toString(2).padStart(32, "0")).reverse().join(""), 2);
  return Array.from({ length: 256 }, (_, byte) => {
    let r = byte;
    for (let i = 0; i < 8; i++) r = (r & 1) === 1 ? (r >>> 1) ^ reversed : r >>> 1;
    return r >>> 0;
  });
});

export function crc32Of(which: 0 | 1, value: bigint): number {
  const table = tables[which] as readonly number[];
  let r = 0xffff_ffff;
  for (let i = 0n; i < 8n; i++) r = (table[(r ^ Number((value >> (8n * i)) & 0xffn)) & 0xff] as number) ^ (r >>> 8);
  return ~r >>> 0;
}
