/** The checksum of the IPv4 header, without a chain of carries. Wires only. */
import { type Bit, cat, node, type UInt } from "../../../../../hdl-dsl/index.ts";
import { frameOffsets } from "../../../wire/index.ts";

/**
 * Carries go to the next place. Those out of the highest come in at the lowest: a sum modulo 65535 is the same then, so
 * nothing is lost, and nothing runs along a word.
 */
const carried = (v: UInt, places: number): UInt =>
  cat(v.bits(0, v.width - places), v.bits(v.width - places, places)).is(v.width);
const twoOf = (a: UInt, b: UInt, c: UInt): UInt => a.and(b).or(c.and(a.or(b)));

/** Three words as two of the same sum. */
function three(a: UInt, b: UInt, c: UInt, name: string): readonly [UInt, UInt] {
  const twos = twoOf(a, b, c);
  return [node(a.xor(b).xor(c), { name: `${name}_ones` }), node(carried(twos, 1), { name: `${name}_twos` })];
}

type Six = readonly [UInt, UInt, UInt, UInt, UInt, UInt];
/** Six words as three of the same sum: in each place a LUT counts six bits, for each bit of their number. */
function six([a, b, c, d, e, f]: Six, name: string): readonly [UInt, UInt, UInt] {
  const left = a.xor(b).xor(c),
    right = d.xor(e).xor(f);
  const ab = node(twoOf(a, b, c), { name: `${name}_left` }),
    de = node(twoOf(d, e, f), { name: `${name}_right` }),
    both = node(left.and(right), { name: `${name}_both` });
  return [
    node(left.xor(right), { name: `${name}_ones` }),
    node(carried(ab.xor(de).xor(both), 1), { name: `${name}_twos` }),
    node(carried(twoOf(ab, de, both), 2), { name: `${name}_fours` }),
  ];
}

/**
 * Ones in all places where the ten words of the header add up to a multiple of 65535, which is what a right checksum
 * makes them (RFC 1071). Of two words in their place, one is the other's complement then. Both would be 65535 only if
 * six bits were counted as seven in each place, and ten zeros, which leave two, are no such sum.
 */
export function checksumPlaces(header: UInt): UInt {
  const byte = (i: number): UInt => header.bits((frameOffsets.network + i) * 8, 8);
  const word = (i: number): UInt => cat(byte(2 * i), byte(2 * i + 1));
  const first = six([word(0), word(1), word(2), word(3), word(4), word(5)], "sum_first"),
    second = three(word(6), word(7), word(8), "sum_second");
  const joined = six([...first, ...second, word(9)], "sum_joined"),
    [a, b] = three(...joined, "sum");
  return a.xor(b);
}

/** Whether the checksum of the IPv4 header is right. */
export const checksumIsRight = (header: UInt): Bit => node(checksumPlaces(header).all(), { name: "sum_right" });
