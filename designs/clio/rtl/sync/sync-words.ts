import {
  assertAlways,
  bit,
  type Bit,
  constant,
  encodePriority,
  fromBits,
  input,
  module,
  node,
  orTree,
  output,
  reg,
  struct,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";

export interface SyncWordsParameters {
  /** Operations in flight, at most. */
  readonly lanes: number;
  /** Bits of a word's number. */
  readonly numberBits: number;
}
/** Bits of a lane's number. */
export const laneBits = (p: { readonly lanes: number }): number => Math.max(1, Math.log2(p.lanes));

/**
 * The words that operations in flight work on, one to a lane, each in one lane at most. `word` is looked up in the same
 * cycle: `free` when no lane has it and a lane is left, which is `lane`. `claim` then takes that lane. `release` gives
 * one back, to be seen from the next cycle on. Full (all lanes taken): `free` is 0. Reset: all lanes are left.
 */
export const SyncWords = module(
  "SyncWords",
  (p: SyncWordsParameters) => ({
    word: input(uint(p.numberBits)),
    free: output(bit),
    lane: output(uint(laneBits(p))),
    claim: input(bit),
    release: input(struct({ valid: bit, lane: uint(laneBits(p)) })),
  }),
  (io, p) => {
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: p.lanes }, (_, i) => f(i));
    const taken = reg(vec(bit, p.lanes), { init: each(() => 0) });
    const words = reg(vec(uint(p.numberBits), p.lanes));

    const clash = node(orTree(each(i => taken.at(i).and(words.at(i).eq(io.word)))));
    const left = node(fromBits(each(i => taken.at(i).not())));
    const chosen = p.lanes === 1 ? { any: left.any(), index: constant(0, 1) } : encodePriority(left);
    io.free.set(chosen.any.and(clash.not()));
    io.lane.set(chosen.index);

    each(i => {
      when(io.release.valid.and(io.release.lane.eq(i)), () => taken.at(i).set(0));
      when(io.claim.and(chosen.index.eq(i)), () => {
        taken.at(i).set(1);
        words.at(i).set(io.word);
      });
    });

    const holds = each(i => io.release.lane.eq(i).and(taken.at(i)));
    assertAlways(io.release.valid.not().or(orTree(holds)), "a lane that is given back was taken");
    assertAlways(io.claim.not().or(io.free), "a lane is claimed where there is one, and the word is in none");
    const pairs: Bit[] = each(i => i).flatMap(i =>
      each(k => k)
        .filter(k => k > i)
        .map(k =>
          taken
            .at(i)
            .and(taken.at(k))
            .and(words.at(i).eq(words.at(k))),
        ),
    );
    if (pairs.length > 0) assertAlways(orTree(pairs).not(), "no word is in two lanes");
  },
);
