/** The TLB: a key stands in it at most once, and what it answers is what it was last told. */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  cover,
  input,
  instance,
  module,
  node,
  output,
  type Proof,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { Tlb } from "../virtual-memory/rtl/index.ts";

const KEY_BITS = 2,
  KEYS = 2 ** KEY_BITS,
  ENTRIES = 2;
const Answer = struct({ ppn: uint(1), write: bit, read: bit });

/**
 * The surroundings do what translation does (translate.ts): the cycle after `advance` acts on the outcome, as a lookup
 * (use when it hits; a miss asks for the key's page) or as a shootdown (clear). Cycles in which the outcome is not
 * acted on may fill the page of a miss that is under way; the misses of one key share one fetch, so a key is filled
 * once per fetch.
 */
const harness = module(
  "TlbProof",
  () => ({
    key: input(uint(KEY_BITS)),
    advance: input(bit),
    shoots: input(bit),
    tracked: input(uint(KEY_BITS)),
    fill: input(struct({ valid: bit, key: uint(KEY_BITS), mapping: Answer })),
    hit: output(bit),
  }),
  io => {
    const dut = instance("dut", Tlb({ entries: ENTRIES, keyBits: KEY_BITS, ppnBits: 1 }));
    const live = reg(bit, { init: 0, name: "model_live" }),
      stage = reg(uint(KEY_BITS), { name: "model_stage" });
    live.set(io.advance);
    when(io.advance, () => stage.set(io.key));
    const lookup = node(live.and(io.shoots.not()), { name: "model_lookup" });
    dut.key.set(io.key);
    dut.advance.set(io.advance);
    dut.touch.set(lookup.and(dut.hit));
    dut.clear.set(live.and(io.shoots));
    dut.fill.set({
      valid: io.fill.valid,
      key: io.fill.key,
      mapping: { ppn: io.fill.mapping.ppn, write: io.fill.mapping.write, read: io.fill.mapping.read },
    });
    io.hit.set(dut.hit);

    // Misses under way, one bit per key.
    const fetching = reg(vec(bit, KEYS), { init: 0, name: "model_fetching" });
    fetching.toArray().forEach((f, k) => {
      when(io.fill.valid.and(io.fill.key.eq(k)), () => f.set(0)).elseWhen(
        lookup.and(dut.hit.not()).and(stage.eq(k)),
        () => f.set(1),
      );
    });
    assumeAlways(io.fill.valid.not().or(live.not()), "a fill has the second stage to itself");
    assumeAlways(io.fill.valid.not().or(fetching.at(io.fill.key)), "only what is being fetched is filled");

    // Any one key, the same in all cycles: what holds for it holds for every key.
    const tracked = reg(uint(KEY_BITS), { init: 0, name: "model_tracked" }),
      chosen = reg(bit, { init: 0, name: "model_chosen" });
    chosen.set(1);
    when(chosen.not(), () => tracked.set(io.tracked));
    const about = node(chosen.and(stage.eq(tracked)), { name: "model_about" });
    const told = reg(bit, { init: 0, name: "model_told" }),
      mapping = reg(uint(3), { name: "model_mapping" });
    when(io.fill.valid.and(chosen).and(io.fill.key.eq(tracked)), () => {
      told.set(1);
      mapping.set(catMapping(io.fill.mapping));
    }).elseWhen(live.and(io.shoots).and(about), () => told.set(0));
    const answer = node(lookup.and(dut.hit).and(about), { name: "model_answer" });
    assertAlways(answer.not().or(told), "a hit is on a key that was filled and not cleared since");
    assertAlways(answer.not().or(catMapping(dut.mapping).eq(mapping)), "a hit answers what was filled last");
    cover(answer, "the tracked key hits");
    cover(lookup.and(dut.hit.not()).and(about).and(told), "a key that was filled has been replaced");
    cover(dut.evicts, "a fill replaces an entry");
  },
);

const catMapping = (m: { readonly ppn: UInt; readonly write: Bit; readonly read: Bit }): UInt =>
  cat(m.ppn, m.write, m.read);

export const tlbProof: Proof = {
  module: `Tlb, ${ENTRIES} entries, ${KEYS} keys`,
  harness: harness(),
  reach: 16,
  faults: [{ what: "the compare does not see the fill of its cycle", from: /fill_key == key/, to: "1'b0" }],
};
