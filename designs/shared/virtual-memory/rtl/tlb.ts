import {
  assertAlways,
  atMostOne,
  bit,
  type Bit,
  encodeOnehot,
  fromBits,
  input,
  instance,
  Lru,
  module,
  mux,
  node,
  onehotMux,
  output,
  reg,
  struct,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";

/** What a translation gives. */
export const Mapping = (p: { readonly ppnBits: number }) => struct({ ppn: uint(p.ppnBits), write: bit, read: bit });

/**
 * Translation lookaside buffer: a fully associative CAM with true LRU (paper §4.4.2; 16 to 128 entries).
 *
 * Two stages. The key is compared in the cycle of `advance`; the outcome stands from the next cycle on, until the next
 * `advance`. A `fill` or `clear` belongs to that second stage; the compare of the same cycle already sees a fill, so a
 * key can never enter twice because its first fill was on the way. Latency 1, initiation interval 1.
 *
 * `touch` marks the entry found as most recently used; `fill` replaces the least recently used entry; `clear`
 * invalidates the entry found. At most one of the three per cycle.
 */
export const Tlb = module(
  "Tlb",
  (p: { entries: number; keyBits: number; ppnBits: number }) => ({
    key: input(uint(p.keyBits)),
    advance: input(bit),
    hit: output(bit),
    mapping: output(Mapping(p)),
    touch: input(bit),
    clear: input(bit),
    fill: input(struct({ valid: bit, key: uint(p.keyBits), mapping: Mapping(p) })),
    /** The fill of this cycle replaces a valid entry. */
    evicts: output(bit),
  }),
  (io, p) => {
    const index = uint(Math.log2(p.entries));
    const keys = reg(vec(uint(p.keyBits), p.entries));
    const valid = reg(vec(bit, p.entries), { init: 0 });
    const mappings = reg(vec(Mapping(p), p.entries));
    const found = reg(uint(p.entries), { init: 0 });

    const lru = instance(Lru({ entries: p.entries }));
    // The order learns of a use one cycle late, from registers; should that use be of the oldest entry, the next in age
    // is the victim.
    const touched = reg(bit, { init: 0 });
    const touchedIndex = reg(index);
    lru.touch.valid.set(touched);
    lru.touch.index.set(touchedIndex);
    const victim = node(mux(touched.and(touchedIndex.eq(lru.victim)), lru.next, lru.victim));
    const victims = Array.from({ length: p.entries }, (_, i) => victim.eq(i));

    const matches = keys.toArray().map((k, i) => {
      const replaced = io.fill.valid.and(victims[i] as Bit);
      const stands = valid
        .at(i)
        .and(k.eq(io.key))
        .and(io.clear.and(found.bit(i)).not());
      return mux(replaced, io.fill.key.eq(io.key), stands);
    });
    when(io.advance, () => found.set(fromBits(matches)));

    const hit = found.any();
    io.hit.set(hit);
    io.mapping.set(
      onehotMux(
        Array.from({ length: p.entries }, (_, i) => found.bit(i)),
        mappings.toArray(),
      ),
    );

    for (let i = 0; i < p.entries; i++) {
      when(io.fill.valid.and(victims[i] as Bit), () => {
        keys.at(i).set(io.fill.key);
        valid.at(i).set(1);
        mappings.at(i).set(io.fill.mapping);
      }).elseWhen(io.clear.and(found.bit(i)), () => valid.at(i).set(0));
    }
    io.evicts.set(io.fill.valid.and(valid.at(victim)));
    touched.set(io.touch.or(io.fill.valid));
    touchedIndex.set(mux(io.fill.valid, victim, encodeOnehot(found).is(index.width)));

    assertAlways(atMostOne(found), "a key is in the TLB at most once");
    assertAlways(io.fill.valid.and(io.touch.or(io.clear)).not(), "one TLB operation per cycle");
  },
);
