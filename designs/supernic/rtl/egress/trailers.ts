/** Trailers of packets inside: which have one, what it is, which are to lose theirs. Page: docs/supernic/payload.md. */
import {
  type Bit,
  bit,
  cat,
  constant,
  decode,
  fromBits,
  mux,
  node,
  orTree,
  ram,
  reg,
  repeat,
  uint,
  type UInt,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import { trailerBytes } from "../../wire/index.ts";
import { type EgressParameters, puttersOf, type TrailerOf, trailersOf } from "./ports.ts";

type Said = Val<ReturnType<typeof TrailerOf>>;
interface Context {
  readonly valid: Bit;
  readonly ctx: UInt;
}

/**
 * A mark for each context and task, from when its trailer is told until the context is free. Gives those of the context
 * that was looked at in the cycle before: a bit for each task that puts, and whether one cuts. Reset: no marks.
 */
export function trailerMarks(
  p: EgressParameters,
  said: readonly Said[],
  look: Context,
  release: Context,
): { readonly trails: UInt; readonly cut: Bit } | undefined {
  const uses = trailersOf(p),
    none = constant(0, p.contexts);
  if (uses.length === 0) return undefined;
  const looked = said.map(({ valid, ctx }, i) => {
    const marks = reg(uint(p.contexts), { init: 0, name: `trailers_${i}` }),
      mine = reg(bit, { init: 0, name: `has_trailer_${i}` });
    const comes = mux(valid, decode(ctx, p.contexts), none),
      goes = mux(release.valid, decode(release.ctx, p.contexts), none);
    marks.set(marks.and(goes.not()).or(comes).is(p.contexts));
    mine.set(marks.shr(look.ctx).bit(0));
    return mine;
  });
  const of = (use: "puts" | "cuts"): Bit[] => looked.filter((_, i) => uses[i] === use);
  return {
    trails: puttersOf(p) === 0 ? constant(0, 1) : fromBits(of("puts")),
    cut: node(orTree([constant(0, 1), ...of("cuts")]), { name: "cuts_trailer" }),
  };
}
/** Bytes of a payload without the trailer that is cut. */
export function withoutTrailer(bytes: UInt, cut: Bit): UInt {
  const low = Math.log2(trailerBytes),
    high = bytes.bits(low, bytes.width - low);
  return cat(high.sub(cut.zext(high.width)), bytes.bits(0, low)).is(bytes.width);
}

/** The trailers that were put, a memory for each task; gives that of a context a cycle later, while `en`. */
export function trailerStore(p: EgressParameters, said: readonly Said[]) {
  const stores = said.map(({ valid, ctx, bytes }, i) => {
    const store = ram(uint(8 * trailerBytes), {
      depth: p.contexts,
      collision: "undefined",
      style: "block",
      name: `trailer_bytes_${i}`,
    });
    store.write(valid, ctx, bytes);
    return store;
  });
  return (at: UInt, en: Bit): ((trails: UInt) => UInt) => {
    const words = stores.map((store, i) => store.readSync(at, { en, name: `trailer_word_${i}` }));
    return trails =>
      words.map((word, i): UInt => word.and(repeat(trails.bit(i), 8 * trailerBytes))).reduce((a, b) => a.or(b));
  };
}
