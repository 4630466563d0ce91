/** The hash of a flow: frames of a flow have the same, and keep their order. */

/** Bits of the hash. */
export const flowHashBits = 10;
/** Bits of what is hashed: IPv4 source 32, destination 32, ports 32, protocol 8, from the highest; or two MACs. */
export const flowKeyBits = 104;
/** x^10 + x^9 + x^5 + x^4 + x + 1, the CRC-10 of ATM (ITU-T I.610), without its highest term. */
const polynomial = 0x233n;

/** CRC-10 of a key, its highest bit first. */
export function flowHash(key: bigint): bigint {
  const top = 1n << BigInt(flowHashBits - 1),
    mask = (1n << BigInt(flowHashBits)) - 1n;
  let crc = 0n;
  for (let i = flowKeyBits - 1; i >= 0; i--) {
    const feedback = ((crc & top) === 0n ? 0n : 1n) ^ ((key >> BigInt(i)) & 1n);
    crc = ((crc << 1n) & mask) ^ (feedback === 0n ? 0n : polynomial);
  }
  return crc;
}

/** TCP, of which a sNIC knows no more than this: its ports stand where UDP's do. */
export const tcpProtocol = { number: 6, headerBytes: 20 } as const;
