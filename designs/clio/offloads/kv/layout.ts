import { bit, type Bit, cat, constant, crc32Next, mux, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { blockBits, classCount, type KvParameters, sizeBits, unitBytes } from "./parameters.ts";
import { kvBody, status } from "../../wire/index.ts";

/** The four requests, by the two bits of their opcodes that differ. */
export const operation = { read: 0, create: 1, update: 2, delete: 3 } as const;

/**
 * An entry of a slot, and the link behind the seven of them (fingerprint and size 0): 64 bits. `block`: address / 64 of
 * the block that holds the pair, or of the next slot. `size`: bytes of the value, so that one READ fetches the pair and
 * not a byte more.
 */
export const Entry = struct({ block: uint(blockBits), size: uint(sizeBits), fingerprint: uint(8), valid: bit });

/**
 * Where a key belongs: CRC-32 (IEEE 802.3) of its 8 bytes, lowest first. The low bits name the bucket, the highest 8
 * are the fingerprint.
 */
export function hashOf(key: UInt): UInt<32> {
  return crc32Next(constant(0xffffffff, 32), key).not();
}
export const bucketBits = (p: Pick<KvParameters, "buckets">): number => Math.max(1, Math.log2(p.buckets));
/** The number of the bucket (0 when there is only one). */
export function bucketOf(hash: UInt, p: Pick<KvParameters, "buckets">): UInt {
  return p.buckets === 1 ? constant(0, 1) : hash.trunc(bucketBits(p));
}
export function fingerprintOf(hash: UInt): UInt {
  return hash.bits(24, 8);
}

/** Bits of a class's number. Class c has blocks of 64 * 2^c bytes. */
export const classBits = 3;
/** The class of the block for a value of `size` bytes: the smallest that holds it and the 12 bytes in front of it. */
export function classOf(size: UInt): UInt {
  let found: UInt = constant(classCount - 1, classBits);
  for (let c = classCount - 2; c >= 0; c--)
    found = mux(size.le(unitBytes * 2 ** c - kvBody.bytes), constant(c, classBits), found);
  return found;
}

/** The address of a block's first byte, as the node takes it. */
export function addressOf(block: UInt): UInt {
  return cat(block, constant(0, 6)).zext(64);
}

/**
 * Whether a reply with this status has `kvReplyBody`: that something was done, or that a key is missing or there
 * already. All else is status alone.
 */
export function hasBody(code: UInt): Bit {
  return code.eq(status.OK).or(code.eq(status.FAIL));
}
