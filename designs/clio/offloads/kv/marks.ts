import { type Bit, cat, constant, decode, mux, node, ram, reg, type UInt, uint } from "../../../../hdl-dsl/index.ts";
import { bucketBits } from "./layout.ts";

/** Buckets whose marks are one word: the walk passes over a word without marks at once. */
const MOST_TOGETHER = 64;

/** What a walk sees of the bucket asked for in the cycle before. */
export interface Marked {
  /** The bucket had a pair some time. */
  readonly here: Bit;
  /** A bucket of its word had one. */
  readonly near: Bit;
}
export interface BucketMarks extends Marked {
  /** log2 of the buckets of a word. */
  readonly wordBits: number;
}

/**
 * A mark for each bucket that ever had a pair, `buckets` bits in words of 64 (all of a smaller table). Marks outlive a
 * reset, which costs the next walk time and nothing else.
 *
 * @param walk the bucket of the walk, which is asked for while `walks` is 1, and stands from then on.
 * @param asked the bucket of the request; it has to stand for a cycle before `set`.
 * @param set marks `asked`, for as long as it is 1.
 */
export function bucketMarks(
  p: { readonly buckets: number },
  at: { readonly walk: UInt; readonly walks: Bit; readonly asked: UInt; readonly set: Bit },
): BucketMarks {
  const width = Math.min(MOST_TOGETHER, p.buckets),
    wordBits = Math.log2(width),
    depth = p.buckets / width;
  const wordOf = (bucket: UInt): UInt =>
    depth === 1 ? constant(0, 1) : bucket.bits(wordBits, bucketBits(p) - wordBits);
  const within = (bucket: UInt): UInt => (wordBits === 0 ? constant(0, 1) : bucket.trunc(wordBits));
  const words = ram(uint(width + 1), { depth: Math.max(2, depth), collision: "undefined", init: [0], name: "marks" });
  // The word stays while it is written.
  const marked = words.readSync(wordOf(mux(at.walks, at.walk, at.asked)), { en: at.set.not(), name: "marked" });
  const renewed = node(marked.trunc(width).or(decode(within(at.asked), width)), { name: "renewed_marks" });
  // The bit above the marks says whether there are any: no tree of 64 stands behind the memory for that.
  words.write(at.set, wordOf(at.asked), cat(constant(1, 1), renewed));
  const place = reg(uint(width), { name: "walk_place" });
  place.set(decode(within(at.walk), width));
  return { here: marked.trunc(width).and(place).any(), near: marked.bit(width), wordBits };
}
