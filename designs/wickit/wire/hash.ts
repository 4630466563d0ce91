/**
 * The two hashes of a word (instruction HASH): CRC-32 of its 8 bytes, lowest first, by the polynomials of Castagnoli
 * and of IEEE 802.3. Two polynomials, since one CRC with two starts differs by a constant: keys that meet would meet
 * twice.
 */
export const hashPolynomials = [0x82f63b78n, 0xedb88320n] as const;
const all = 0xffff_ffffn;

/** The register after the 64 bits of `data` from `crc`, bit 0 first. */
export function hashStep(which: 0 | 1, crc: bigint, data: bigint): bigint {
  let r = crc;
  for (let i = 0n; i < 64n; i++) r = (r >> 1n) ^ (((r ^ (data >> i)) & 1n) * hashPolynomials[which]);
  return r;
}
/** What the register's start and end add to the hash of any word, since a CRC is linear. */
export const hashConstant = (which: 0 | 1): bigint => hashStep(which, all, 0n) ^ all;
