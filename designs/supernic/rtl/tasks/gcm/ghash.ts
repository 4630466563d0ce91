import {
  bit,
  constant,
  input,
  module,
  node,
  orTree,
  output,
  ram,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../../shared/frame/index.ts";
import { aesKeys } from "../../../wire/index.ts";
import { blockBits, lanes } from "../aes/index.ts";
import { mirrored, product, reduced } from "./field.ts";

const keyBits = Math.log2(aesKeys);
/** How often the products of the lanes are cut in halves; and that of the sum, whose way is in a circle. */
const laneCuts = 3,
  sumCuts = 0;
/** Cycles from the last blocks of a message to its hash. */
export const hashLatency = 5;

/** Up to four blocks of a message; those behind `blocks` are 0. */
export const HashWord = struct({
  key: uint(keyBits),
  first: bit,
  last: bit,
  /** 0 to 4. */
  blocks: uint(3),
  data: uint(lanes * blockBits),
});
/** A power of a hash key: H^(`power` + 1), bit i the coefficient of x^i. */
export const HashPower = struct({ valid: bit, key: uint(keyBits), power: uint(2), value: uint(blockBits) });

/** The blocks where their weights are: the first one by itself, the last one in the last lane. */
function aligned({ data, blocks }: Val<typeof HashWord>): { readonly first: UInt; readonly others: readonly UInt[] } {
  const block = (i: number): UInt => data.bits(i * blockBits, blockBits),
    short = node(constant(lanes, 3).sub(blocks).trunc(2), { name: "blocks_short" }),
    none = constant(0, blockBits);
  const others = [1, 2, 3].map(lane =>
    pickOf(
      short,
      [0, 1, 2, 3].map(by => (lane - by > 0 ? block(lane - by) : none)),
    ),
  );
  return { first: block(0), others };
}

/** Powers of all keys. */
function powersOf(write: Val<typeof HashPower>, n: number) {
  const table = ram(uint(blockBits), {
    depth: aesKeys,
    style: "distributed",
    collision: "undefined",
    name: `powers_${n + 1}`,
  });
  table.write(write.valid.and(write.power.eq(n)), write.key, write.value);
  return table;
}
/** A value some cycles later. */
function later(value: UInt, cycles: number, name: string): UInt {
  let at = value;
  for (let i = 1; i <= cycles; i++) {
    const q = reg(uint(value.width), { name: cycles === 1 ? `${name}_q` : `${name}_q${i}` });
    q.set(at.is(value.width));
    at = q;
  }
  return at;
}

/**
 * GHASH (SP 800-38D, section 6.4) of a message under one of 64 hash keys, up to four blocks a cycle: Y becomes
 * (Y + X0) H^n + X1 H^(n-1) and so on for n blocks. Each key has its powers 1 to 4 (`power` writes them; a word that is
 * under way with that key has old ones or new ones). The sum of the blocks behind the first is made ahead, so only one
 * product is in a circle. Latency 5, initiation interval 1; nothing waits. Reset: nothing is under way; powers stay.
 */
export const Ghash = module(
  "Ghash",
  () => ({
    word: input(struct({ valid: bit, ...HashWord.fields })),
    power: input(HashPower),
    hash: output(struct({ valid: bit, value: uint(blockBits) })),
    idle: output(bit),
  }),
  io => {
    const { word } = io,
      valid = Array.from({ length: hashLatency }, (_, i) => reg(bit, { init: 0, name: `valid_${i + 1}` })),
      marks = Array.from({ length: hashLatency - 1 }, (_, i) =>
        reg(struct({ first: bit, last: bit, any: bit }), { name: `marks_${i + 1}` }),
      );
    valid.forEach((v, i) => v.set(valid[i - 1] ?? word.valid));
    marks.forEach((m, i) => m.set(marks[i - 1] ?? { first: word.first, last: word.last, any: word.blocks.any() }));

    // 1: as polynomials. 2: in their lanes, with the powers by which they are multiplied.
    const came = reg(HashWord, { name: "came" });
    came.set({
      key: word.key,
      first: word.first,
      last: word.last,
      blocks: word.blocks,
      data: mirrored(word.data).is(lanes * blockBits),
    });
    const powers = Array.from({ length: lanes }, (_, n) => powersOf(io.power, n).readAsync(came.key)),
      { first, others } = aligned(came),
      weight = pickOf(node(came.blocks.sub(1).trunc(2), { name: "weight" }), powers);
    // 3: the products of the lanes. 4: their sum, reduced.
    const products = others.map((block, i) => {
      const x = later(block, 1, `block_${i + 1}`),
        h = later(powers[lanes - 2 - i] ?? block, 1, `power_${i + 1}`);
      return later(product(x, h, laneCuts), 1, `product_${i + 1}`);
    });
    const rest = later(reduced(products.reduce((a, b) => a.xor(b))), 1, "rest"),
      firsts = later(first, 3, "first"),
      weights = later(weight, 3, "weight");
    // 5: the circle.
    const sum = reg(uint(blockBits), { name: "sum" }),
      ends = reg(bit, { init: 0, name: "ends" }),
      now = valid[hashLatency - 2] ?? ends,
      mark = marks[hashLatency - 2];
    if (mark === undefined) throw new RangeError("marks ride with the words");
    const before = node(sum.and(repeat(mark.first.not(), blockBits)).xor(firsts), { name: "sum_and_first" }),
      next = node(reduced(product(before, weights, sumCuts)).xor(rest), { name: "next_sum" });
    when(now.and(mark.any), () => sum.set(next.is(blockBits)));
    ends.set(now.and(mark.last));
    io.hash.set({ valid: ends, value: mirrored(sum).is(blockBits) });
    io.idle.set(orTree(valid).not());
  },
);
