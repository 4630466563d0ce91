/** LRU lists: a permutation at all times, and the last of the list is the one that was touched longest ago. */
import { input, output, type Port } from "../types/ports.ts";
import { bit, struct, type StructShape, uint, type UIntShape } from "../types/shape.ts";
import type { Bit } from "../types/value.ts";
import { addressBits } from "../types/bits.ts";
import { node, reg } from "../build/declare.ts";
import { type Def, instance, module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover, when } from "../build/statements.ts";
import { Lru } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";

type LruDef = Def<{
  readonly touch: Port<"in", StructShape<{ readonly valid: UIntShape<1>; readonly index: UIntShape }>>;
  readonly victim: Port<"out", UIntShape>;
}>;

/**
 * The unit against a matrix that says for every pair which was touched later. After reset the lower number counts
 * as the later.
 */
export function lruHarness(name: string, entries: number, unit: LruDef): Def {
  const width = addressBits(entries);
  return module(
    name,
    () => ({ touch: input(struct({ valid: bit, index: uint<number>(width) })), victim: output(uint<number>(width)) }),
    io => {
      const dut = instance("dut", unit);
      dut.touch.set({ valid: io.touch.valid, index: io.touch.index });
      io.victim.set(dut.victim);
      if (2 ** width !== entries) assumeAlways(io.touch.index.lt(entries), "only numbers of the list are touched");
      const all = Array.from({ length: entries }, (_, i) => i);
      const touched = all.map(a => node(io.touch.valid.and(io.touch.index.eq(a)), { name: `model_touches_${a}` }));
      const later = new Map(
        all.flatMap(a =>
          all.slice(a + 1).map(b => [`${a} ${b}`, reg(bit, { init: 1, name: `model_${a}_later_than_${b}` })] as const),
        ),
      );
      for (const [pair, r] of later) {
        const [a, b] = pair.split(" ").map(Number) as [number, number];
        when(touched[a] as Bit, () => r.set(1)).elseWhen(touched[b] as Bit, () => r.set(0));
      }
      const isLater = (a: number, b: number): Bit =>
        a < b ? (later.get(`${a} ${b}`) as Bit) : (later.get(`${b} ${a}`) as Bit).not();
      assertAlways(
        all.map(v => dut.victim.eq(v)).reduce((a, b) => a.or(b)),
        "the victim is a number of the list",
      );
      for (const v of all) {
        const oldest = all
          .filter(a => a !== v)
          .map(a => isLater(a, v))
          .reduce((a, b) => a.and(b));
        assertAlways(
          dut.victim.eq(v).eq(oldest),
          `${v} is the victim when all others were touched later, and only then`,
        );
        cover(dut.victim.eq(v).and(touched.reduce((a, b) => a.or(b))), `${v} is the victim`);
      }
    },
  )();
}

export const lruProofs: readonly Proof[] = [
  {
    module: "Lru, 4 entries",
    harness: lruHarness("LruProof", 4, Lru({ entries: 4 })),
    faults: [
      {
        what: "a touch of the most recent pushes the oldest out",
        from: "(here[2] | here[1] | here[0])",
        to: "(here[2] | here[1])",
      },
    ],
  },
  {
    module: "Lru, 3 entries",
    harness: lruHarness("OddLruProof", 3, Lru({ entries: 3 })),
    faults: [{ what: "a touch that is not valid counts", from: "else if (touch_valid)", to: "else" }],
  },
];
