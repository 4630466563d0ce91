import { cat, node, type UInt } from "../../../../hdl-dsl/index.ts";

/** Bits of a byte address that lie within a region of 1 GB. */
const regionShift = 30;
/** Bits of a region's number within its process: those of a page-table tag at most. */
const numberBits = 18,
  pidBits = 16;

/** Pieces of so many bits, the lowest first. */
function pieces(value: UInt, bits: number): readonly UInt[] {
  const out: UInt[] = [];
  for (let from = 0; from < value.width; from += bits)
    out.push(value.bits(from, Math.min(bits, value.width - from)).zext(bits));
  return out;
}
const mirror = (value: UInt): UInt => {
  const [first, ...others] = Array.from({ length: value.width }, (_, i) => value.bit(i));
  return cat(first as UInt, ...others);
};

/**
 * The table's entry of a region of a process: its number's low bits, with the process ID mirrored over them from the
 * other end. So 2^a processes with 2^b regions each, numbered from 0, share no entry while a + b is no more than the
 * entry's bits. Beyond that, regions that share an entry count as written when one of them is: a victim may be chosen
 * worse for it, and never an active one for an idle one. Wires and a few XOR. `regionEntry` is the same for software.
 */
export function regionIndexOf(pid: UInt, va: UInt, bits: number): UInt {
  const [low, ...rest] = pieces(pid.bits(0, pidBits), bits),
    parts = [...pieces(va.bits(regionShift, numberBits), bits), mirror(low as UInt), ...rest];
  return node(
    parts.reduce((a, b) => a.xor(b)),
    { name: "region_entry" },
  );
}
