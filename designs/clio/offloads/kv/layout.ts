import { bit, type Bit, cat, constant, mux, priority, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { blockBits, classCount, type KvParameters, sizeBits, unitBytes } from "./parameters.ts";
import { kvBody, statusBits } from "../../wire/index.ts";

/** The four requests, by the two bits of their opcodes that differ. */
export const operation = { read: 0, create: 1, update: 2, delete: 3 } as const;

/**
 * An entry of a slot, and the link behind the seven of them (fingerprint and size 0): 64 bits. `block`: address / 64 of
 * the block that holds the pair, or of the next slot. `size`: bytes of the value, so that one READ fetches the pair and
 * not a byte more.
 */
export const Entry = struct({ block: uint(blockBits), size: uint(sizeBits), fingerprint: uint(8), valid: bit });

/** The four words of HalfSipHash's state. */
type SipState = readonly [UInt, UInt, UInt, UInt];
const rotated = (v: UInt, by: number): UInt => cat(v.bits(0, 32 - by), v.bits(32 - by, by));

const highBegin = 0x74656462;
/** The state that a key of 64 bits gives. */
export function sipBegin(secret: UInt): SipState {
  const low = secret.bits(0, 32),
    high = secret.bits(32, 32);
  return [low, high, low.xor(0x6c796765), high.xor(highBegin)];
}
/** One round: two additions behind each other. */
export function sipRound([a, b, c, d]: SipState): SipState {
  const a1 = a.add(b),
    b1 = rotated(b, 5).xor(a1),
    c1 = c.add(d),
    d1 = rotated(d, 8).xor(c1);
  const a2 = rotated(a1, 16).add(d1),
    c2 = c1.add(b1);
  return [a2, rotated(b1, 13).xor(c2), rotated(c2, 16), rotated(d1, 7).xor(a2)];
}
/**
 * Where a key belongs: HalfSipHash-1-3 of its 8 bytes, lowest first, and of its owner's PID, under a secret key
 * (Aumasson and Bernstein, SipHash: a fast short-input PRF). Six rounds: one for each word and for the last word with
 * the length, and three. The low bits name the bucket, the highest 8 are the fingerprint.
 */
export const sipRounds = 6;
/** The word that the first round takes. */
export const sipFirst = (key: UInt): UInt => key.bits(0, 32);
/** @param step a round's number @returns the word that the round behind it takes */
export function sipNext(step: UInt, key: UInt, pid: UInt): UInt {
  const last = cat(constant(10, 8), constant(0, 8), pid);
  return priority([step.eq(0), key.bits(32, 32)], [step.eq(1), last], constant(0, 32));
}
/**
 * The last part of a state takes the word of the next round a cycle before it: nothing then stands before its sums.
 * @param step the round's number @param word the one that it takes @param next the one behind it
 * @returns the state after that round
 */
export function sipStep(step: UInt, state: SipState, word: UInt, next: UInt): SipState {
  const [a, b, c, d] = sipRound(state);
  return [a.xor(word), b, c.xor(mux(step.eq(2), constant(0xff, 32), 0)), d.xor(next)];
}
/** The last part of the state that `sipBegin` gave, with the first word in. */
export const sipTake = (state: SipState, word: UInt): UInt => state[1].xor(highBegin).xor(word);
/** The hash in the state behind the last round. */
export const sipEnd = (state: SipState): UInt => state[1].xor(state[3]);
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
  return code.eq(statusBits.OK).or(code.eq(statusBits.FAIL));
}
