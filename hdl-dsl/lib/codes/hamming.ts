/**
 * Single error correction, double error detection: Hamming codes with one more check bit, in Hsiao's form (each data
 * bit is in an odd number of checks, and the checks are of about equal size). Combinational, data of any width.
 */
import type { Bit, UInt } from "../../types/value.ts";
import { cat } from "../../build/value.ts";
import { node } from "../../build/declare.ts";
import { fromBits } from "../../vectors/index.ts";
import { linearMap } from "./linear.ts";

/** Check bits for so many data bits: 8 for 64. */
export function secdedCheckBits(dataBits: number): number {
  for (let r = 2; ; r++) if (2 ** (r - 1) - r >= dataBits) return r;
}

const ones = (v: number): number => v.toString(2).replaceAll("0", "").length;

/** The checks that each data bit is in, as a number: odd weights from 3 up, so that checks stay of about equal size. */
export function secdedColumns(dataBits: number): readonly number[] {
  const r = secdedCheckBits(dataBits),
    load = Array.from({ length: r }, () => 0);
  const taken: number[] = [],
    all = Array.from({ length: 2 ** r }, (_, v) => v);
  for (let weight = 3; taken.length < dataBits; weight += 2) {
    const left = new Set(all.filter(v => ones(v) === weight));
    while (left.size > 0 && taken.length < dataBits) {
      // The one whose checks have the fewest bits so far.
      const cost = (v: number): number => load.reduce((n, l, i) => n + (((v >> i) & 1) === 1 ? l * l + l : 0), 0);
      const best = [...left].reduce((a, b) => (cost(b) < cost(a) ? b : a));
      left.delete(best);
      taken.push(best);
      load.forEach((_, i) => (load[i] = (load[i] as number) + ((best >> i) & 1)));
    }
  }
  return taken;
}

/** The check bits of data. One parity for each: 3 levels for 64 bits. */
export function secdedChecks(data: UInt): UInt {
  const columns = secdedColumns(data.width);
  return linearMap(data, secdedCheckBits(data.width), x =>
    columns.reduce((sum, c, i) => (((x >> BigInt(i)) & 1n) === 1n ? sum ^ BigInt(c) : sum), 0n),
  );
}

/** The word with its check bits above it. */
export const secdedEncode = (data: UInt): UInt => cat(secdedChecks(data), data);

/** A word after its check. */
export interface SecdedWord {
  /** The data, a single wrong bit put right. As it came where two bits are wrong. */
  readonly data: UInt;
  /** One bit was wrong, of the data or of the checks. */
  readonly corrected: Bit;
  /** Two bits are wrong: nothing can be put right. */
  readonly uncorrectable: Bit;
}
/**
 * Checks a word of `dataBits` bits with its check bits above it, as `secdedEncode` makes it. One wrong bit, wherever it
 * is, is put right; two are told. Three or more may pass as one.
 */
export function secdedDecode(word: UInt, dataBits: number): SecdedWord {
  const r = secdedCheckBits(dataBits);
  if (word.width !== dataBits + r)
    throw new RangeError(`secdedDecode: ${dataBits} data bits have ${r} check bits; the word has ${word.width} bits`);
  const data = word.trunc(dataBits),
    syndrome = node(secdedChecks(data).xor(word.bits(dataBits, r)), { name: "syndrome" });
  const wrong = fromBits(secdedColumns(dataBits).map(c => syndrome.eq(c)));
  const odd = syndrome.parity();
  return { data: data.xor(wrong), corrected: odd, uncorrectable: syndrome.any().andNot(odd) };
}
