import { type Bit, cat, constant, fromBits, mux, toBits, type UInt } from "../../../../hdl-dsl/index.ts";

/** The lowest of several bits: whether there is one, and its number. */
export interface First {
  readonly any: Bit;
  readonly index: UInt;
}
/** The lowest of up to four bits. */
function firstOfFew(v: UInt): First {
  const [a, b, c, d] = toBits(v) as [Bit, Bit?, Bit?, Bit?],
    no = constant(0, 1);
  if (b === undefined) return { any: a, index: no };
  const low = a.not().and(b.or(d === undefined || c === undefined ? no : c.not().and(d))),
    high = a
      .or(b)
      .not()
      .and(c === undefined ? no : d === undefined ? c : c.or(d));
  return { any: v.any(), index: c === undefined ? low : cat(high, low) };
}
/** The number of the lowest bit, by fours: a tree of half the depth of one by twos. */
export function firstByFours(v: UInt): First {
  if (v.width <= 4) return firstOfFew(v);
  const size = 4 ** (Math.ceil(Math.log2(v.width) / 2) - 1),
    parts = Array.from({ length: Math.ceil(v.width / size) }, (_, i) =>
      firstByFours(v.bits(i * size, Math.min(size, v.width - i * size))),
    ),
    top = firstOfFew(fromBits(parts.map(p => p.any))),
    bits = Math.log2(size);
  const low = parts.reduceRight<UInt>((rest, p) => mux(p.any, p.index.resize(bits), rest), constant(0, bits));
  return { any: top.any, index: cat(top.index, low).resize(Math.ceil(Math.log2(v.width))) };
}
