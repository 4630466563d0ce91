import type { Endpoint } from "../../designs/shared/wire/index.ts";

/**
 * Addresses of clients and nodes whose bits are all over the place. With addresses that differ in their last byte, a
 * bench does not see what happens to the others. An odd number's is the inverse of that of the even one before it.
 */
function spread(n: number, bits: number, salt: number): bigint {
  let word = BigInt.asUintN(64, BigInt(1 + (n >> 1)) * 0x9e37_79b9_7f4a_7c15n + BigInt(salt) * 0xd1b5_4a32_d192_ed03n);
  word = BigInt.asUintN(64, (word ^ (word >> 31n)) * 0xbf58_476d_1ce4_e5b9n);
  word = BigInt.asUintN(bits, word ^ (word >> 29n));
  return n % 2 === 0 ? word : BigInt.asUintN(bits, ~word);
}
/** No group's. */
export const spreadMac = (n: number, salt = 0): bigint => spread(n, 48, salt) & ~(1n << 40n);
/** Of a host: in 42.0.0.0/8, and for odd numbers in 213.0.0.0/8. */
export const spreadIp = (n: number, salt = 0): number =>
  (n % 2 === 0 ? 0x2a00_0000 : 0xd500_0000) + Number(spread(n, 24, 1 + salt));
/** From 1,024 up; the inverse but for its two highest bits. */
export const spreadPort = (n: number, salt = 0): number =>
  (n % 2 === 0 ? 0x4000 : 0x8000) + Number(spread(n, 14, 2 + salt));
export const spreadEndpoint = (n: number, salt = 0): Endpoint => ({
  mac: spreadMac(n, salt),
  ip: spreadIp(n, salt),
  port: spreadPort(n, salt),
});
