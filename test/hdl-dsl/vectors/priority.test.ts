import { describe, expect, it, test } from "vitest";
import {
  atMostOne,
  bit,
  bitsAbove,
  encodePriority,
  firstSet,
  input,
  lowestFlat,
  lowestOfFirst,
  lowestSet,
  module,
  output,
  several,
  uint,
} from "../../../hdl-dsl/index.ts";
import { addressBits } from "../../../hdl-dsl/types/bits.ts";
import { type Bench, runBench, simulate } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";

/** Every way to choose, side by side. */
const Choices = module(
  "Choices",
  (p: { readonly width: number }) => ({
    v: input(uint(p.width)),
    last: input(uint(p.width)),
    carried: output(uint(p.width)),
    flat: output(uint(p.width)),
    turn: output(uint(p.width)),
    codeAny: output(bit),
    code: output(uint(addressBits(p.width))),
    treeAny: output(bit),
    tree: output(uint(addressBits(p.width))),
    more: output(bit),
    fewer: output(bit),
  }),
  io => {
    const code = encodePriority(io.v),
      tree = firstSet(io.v);
    io.carried.set(lowestSet(io.v));
    io.flat.set(lowestFlat(io.v));
    io.turn.set(lowestOfFirst(io.v.and(bitsAbove(io.last)), io.v));
    io.codeAny.set(code.any);
    io.code.set(code.index);
    io.treeAny.set(tree.any);
    io.tree.set(tree.index);
    io.more.set(several(io.v));
    io.fewer.set(atMostOne(io.v));
  },
);
type Ports = ReturnType<typeof Choices>["ports"];

/** The number of the lowest bit that is set, or undefined. */
const lowestOf = (v: bigint): number | undefined => {
  const text = v.toString(2);
  return v === 0n ? undefined : text.length - 1 - text.lastIndexOf("1");
};
const bitAt = (i: number | undefined): bigint => (i === undefined ? 0n : 1n << BigInt(i));

const compare =
  (width: number) =>
  (b: Pick<Bench<Ports>, "io" | "sim">): void => {
    const { io, sim } = b,
      all = (1n << BigInt(width)) - 1n;
    for (let i = 0; i < 400; i++) {
      // Every single bit, none, then few bits and many.
      const few = sim.random.bits(width) & sim.random.bits(width) & sim.random.bits(width);
      const v = i <= width ? (1n << BigInt(i)) & all : i % 3 === 0 ? sim.random.bits(width) : few;
      const last = i % width,
        after = v & ~((1n << BigInt(last + 1)) - 1n);
      io.v.value = v;
      io.last.value = 1n << BigInt(last);
      sim.settle();
      const lowest = lowestOf(v),
        found = { any: lowest === undefined ? 0 : 1, index: lowest ?? 0 };
      expect([io.carried.big, io.flat.big]).toEqual([bitAt(lowest), bitAt(lowest)]);
      expect(io.turn.big).toBe(bitAt(lowestOf(after) ?? lowest));
      expect({ any: io.codeAny.num, index: io.code.num }).toEqual(found);
      expect({ any: io.treeAny.num, index: io.tree.num }).toEqual(found);
      const more = (v & (v - 1n)) === 0n || v === 0n ? 0 : 1;
      expect([io.more.num, io.fewer.num]).toEqual([more, 1 - more]);
    }
  };

describe("the lowest bit that is set, by every function", () => {
  it.each([1, 2, 3, 5, 8, 11, 16, 64])("%i bits", async width => {
    using sim = await simulate(Choices({ width }));
    compare(width)({ io: sim.io, sim });
  });

  test.each([
    ["lowestSet forgets the carry", "(~v + 8'd1)", "~v"],
    ["lowestFlat does not look at all bits below", "~(|v[4:0])", "~(|v[3:0])"],
    ["the tree forgets that bit 0 hides bit 1", "~v[0] & v[1]", "v[1]"],
    ["the last one has another turn", "(last - 8'd1)", "(last - 8'd2)"],
  ] as const)("planted fault: %s", (_name, from, to) =>
    findsFault(
      runBench("choices", plant(Choices({ width: 8 }), from, to), { wave: false }, async b => {
        await b.risingEdge();
        compare(8)(b);
      }),
      /./,
    ),
  );
});
