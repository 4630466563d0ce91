/** The LRU list: a permutation at all times, and its last is the one that was touched longest ago. */
import { assertAlways, bit, cover, input, instance, module, node, output, reg, struct, uint, when, type Bit, type Proof } from "../../../hdl-dsl/index.ts";
import { Lru, orTree } from "./lru.ts";

const ENTRIES = 4;

const harness = module("LruProof", () => ({ touch: input(struct({ valid: bit, index: uint(2) })), victim: output(uint(2)) }), io => {
  // That each number stands in the list once is the unit's own assertion: it holds for any number at any time.
  const dut = instance("dut", Lru({ entries: ENTRIES }));
  dut.touch.set({ valid: io.touch.valid, index: io.touch.index });
  io.victim.set(dut.victim);
  // For every pair, which of the two was touched later; at first the lower number counts as the later.
  const later = Array.from({ length: ENTRIES }, (_, a) => Array.from({ length: ENTRIES }, (_x, b) => (a < b ? reg(bit, { init: 1, name: `model_${a}_later_than_${b}` }) : undefined)));
  const touched = Array.from({ length: ENTRIES }, (_, a) => node(io.touch.valid.and(io.touch.index.eq(a)), { name: `model_touches_${a}` }));
  later.forEach((row, a) => {
    row.forEach((r, b) => {
      if (r === undefined) return;
      when(touched[a] as Bit, () => { r.set(1); }).elseWhen(touched[b] as Bit, () => { r.set(0); });
    });
  });
  const isLater = (a: number, b: number): Bit => (a < b ? later[a]?.[b] as unknown as Bit : (later[b]?.[a] as unknown as Bit).not());
  for (let v = 0; v < ENTRIES; v++) {
    const oldest = Array.from({ length: ENTRIES }, (_, a) => a).filter(a => a !== v).map(a => isLater(a, v)).reduce((a, b) => a.and(b));
    assertAlways(dut.victim.eq(v).eq(oldest as never), `${v} is the victim when all others were touched later`);
    cover(dut.victim.eq(v).and(orTree(touched)), `${v} is the victim`);
  }
});

export const lruProof: Proof = {
  module: `Lru, ${ENTRIES} entries`, harness: harness(),
  faults: [
    { what: "a touch of the most recent pushes the oldest out", from: "(here_2 | here_1 | here_0)", to: "(here_2 | here_1)" },
    { what: "a touch that is not valid counts", from: "else if (touch_valid)", to: "else" },
  ],
};
