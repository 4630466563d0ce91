import { cat, type UInt } from "../../../../hdl-dsl/index.ts";

/** Bits of a byte address that lie within a region of 1 GB. */
const regionShift = 30;
/** Bits of a region's number within its process: those of a page-table tag at most. */
const numberBits = 18,
  pidBits = 16;

/**
 * The table's entry of a region of a process: its number's low bits, with the process ID mirrored over them from the
 * other end. So 2^a processes with 2^b regions each, numbered from 0, share no entry while a + b is no more than the
 * entry's bits. Beyond that, regions that share an entry count as written when one of them is: a victim may be chosen
 * worse for it, and never an active one for an idle one. Wires and one XOR.
 */
export function regionIndexOf(pid: UInt, va: UInt, bits: number): UInt {
  const low = va.bits(regionShift, bits),
    mirrored = mirror(pid, bits),
    rest = pid.bits(bits, pidBits - bits).zext(bits),
    high = va.bits(regionShift + bits, numberBits - bits).zext(bits);
  return low.xor(mirrored).xor(rest).xor(high);
}
const mirror = (pid: UInt, bits: number): UInt => {
  const [first, ...others] = Array.from({ length: bits }, (_, i) => pid.bit(i));
  return cat(first as UInt, ...others);
};
