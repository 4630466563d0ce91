/** The checksum of the IPv4 header, in two stages. Wires only. */
import { type Bit, cat, node, type UInt } from "../../../../../hdl-dsl/index.ts";
import { ipv4Header } from "../../../../shared/wire/index.ts";
import { frameOffsets } from "../../../wire/index.ts";

/** Bits of a sum of the header's words: ten of them carry less than 4 bits. */
const sumBits = 20;

/** The ten words of the header: seven and three, each a tree of adders. */
export function wordSums(header: UInt): UInt {
  const byte = (i: number): UInt => header.bits((frameOffsets.network + i) * 8, 8);
  const word = (i: number): UInt => cat(byte(2 * i), byte(2 * i + 1)).zext(sumBits);
  const total = (from: number, to: number): UInt => {
    const middle = (from + to) >> 1;
    return to - from === 1 ? word(from) : total(from, middle).add(total(middle, to));
  };
  const words = ipv4Header.bytes / 2;
  return cat(total(words >> 1, words), total(0, words >> 1));
}

/**
 * Whether the sum is a multiple of 65535. Folding the carries to 0xffff tests the same; here one comparison does: the
 * carries and the low word add up without a new carry.
 */
export function sumIsRight(sums: UInt): Bit {
  const sum = node(sums.bits(0, sumBits).add(sums.bits(sumBits, sumBits)));
  const carries = sum.bits(16, 4),
    complement = sum.bits(0, 4).eq(carries.not());
  const sumRight = node(sum.bits(4, 12).all().and(complement));
  return sumRight;
}
