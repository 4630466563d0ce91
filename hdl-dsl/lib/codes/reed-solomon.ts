import { sink, source } from "../../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape, vec, type VecShape } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { orTree } from "../../vectors/index.ts";
import { linearMap } from "./linear.ts";

/** A Reed-Solomon code over symbols of `symbolBits` bits. */
export interface ReedSolomonParameters {
  /** Bits of a symbol, 3 to 16. */
  readonly symbolBits: number;
  /** Check symbols of a code word, 2 t: t symbols can be put right. */
  readonly checkSymbols: number;
  /** The field's polynomial, its highest term among it: 0x11d for most codes of 8 bits. */
  readonly polynomial: number;
  /** Power of the first root of the generator polynomial; 0 when left out. */
  readonly firstRoot?: number;
}
/** A symbol of a code word, the one of the highest power first. */
export type ReedSolomonSymbol = StructShape<{ readonly symbol: UIntShape; readonly last: UIntShape<1> }>;
/** What a code word's check brought: `clean` where every syndrome is 0. */
export type ReedSolomonCheck = StructShape<{
  readonly clean: UIntShape<1>;
  readonly syndromes: VecShape<UIntShape>;
}>;

/** The product of two elements of the field. */
export function fieldProduct(a: number, b: number, polynomial: number, symbolBits: number): number {
  let out = 0;
  for (let i = symbolBits - 1; i >= 0; i--) {
    out <<= 1;
    if (out >> symbolBits) out ^= polynomial;
    if ((b >> i) & 1) out ^= a;
  }
  return out;
}
/**
 * Roots of the generator polynomial: powers of the element 2, from the first one on. @throws RangeError for a
 * polynomial of another degree
 */
export function reedSolomonRoots(p: ReedSolomonParameters): readonly number[] {
  if (p.symbolBits < 3 || p.symbolBits > 16 || p.polynomial >> p.symbolBits !== 1)
    throw new RangeError(
      `Reed-Solomon: polynomial 0x${p.polynomial.toString(16)} is not of degree ${p.symbolBits}, for symbols of 3 to 16 bits`,
    );
  let power = 1;
  const next = (): void => void (power = fieldProduct(power, 2, p.polynomial, p.symbolBits));
  for (let i = 0; i < (p.firstRoot ?? 0); i++) next();
  return Array.from({ length: p.checkSymbols }, () => {
    const root = power;
    next();
    return root;
  });
}

/**
 * The syndromes of Reed-Solomon code words, by Horner's rule: one symbol a cycle, each syndrome its own register. A
 * code word ends with `last`; all its syndromes are 0 when it is whole.
 *
 * Latency 1 cycle from a word's last symbol to its check, initiation interval 1, also from word to word. Full (a
 * check waits and the next word's last symbol is there): `from.ready` is 0. Taken and coming in one cycle: both
 * happen. Reset forgets the word that is coming in and the check that waits.
 */
export const ReedSolomonSyndromes = module(
  "ReedSolomonSyndromes",
  (p: ReedSolomonParameters) => {
    reedSolomonRoots(p);
    return {
      from: sink(struct({ symbol: uint(p.symbolBits), last: bit }) as ReedSolomonSymbol),
      to: source(struct({ clean: bit, syndromes: vec(uint(p.symbolBits), p.checkSymbols) }) as ReedSolomonCheck),
    };
  },
  (io, p) => {
    const symbol = uint<number>(p.symbolBits),
      { payload } = io.from;
    const full = reg(bit, { init: 0 }),
      room = node(full.not().or(io.to.ready)),
      ends = node(io.from.fire.and(payload.last));
    io.from.ready.set(room.or(payload.last.not()));
    when(room, () => full.set(ends));
    const held: UInt[] = reedSolomonRoots(p).map((root, i) => {
      const sum = reg(symbol, { init: 0, name: `sum_${i}` }),
        result = reg(symbol, { name: `syndrome_${i}` });
      const times = linearMap(sum, p.symbolBits, x =>
        BigInt(fieldProduct(Number(x), root, p.polynomial, p.symbolBits)),
      );
      const next = node(times.xor(payload.symbol), { name: `next_${i}` });
      when(io.from.fire, () => sum.set(next));
      when(ends, () => {
        sum.set(0);
        result.set(next);
      });
      return result;
    });
    io.to.valid.set(full);
    io.to.payload.clean.set(orTree(held.map(s => s.any())).not());
    io.to.payload.syndromes.toArray().forEach((s, i) => s.set(held[i] as UInt));
  },
  {
    nameOf: p =>
      `ReedSolomonSyndromes_b${p.symbolBits}_c${p.checkSymbols}_p${p.polynomial.toString(16)}_r${p.firstRoot ?? 0}`,
  },
);
