/** Encoders without state. */
import { input, output } from "../types/ports.ts";
import { uint } from "../types/shape.ts";
import type { UInt } from "../types/value.ts";
import { addressBits } from "../types/bits.ts";
import { node } from "../build/declare.ts";
import { module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { decode, encodeOnehot, encodePriority, fromGray, toGray } from "../lib/index.ts";
import { lowestSet } from "../stream/arbiter.ts";
import type { Proof } from "./harness/proof.ts";

const WIDTH = 6,
  INDEX = addressBits(WIDTH);
const none = (v: UInt): ReturnType<UInt["eq"]> => v.and(v.sub(1)).any().not();

const lowestHarness = module(
  "LowestSetProof",
  () => ({ v: input(uint(WIDTH)), lowest: output(uint(WIDTH)) }),
  io => {
    io.lowest.set(lowestSet(io.v).is(WIDTH));
    const { v, lowest } = io;
    assertAlways(none(lowest), "one bit at most");
    assertAlways(lowest.any().eq(v.any()), "one bit when there is one");
    assertAlways(lowest.and(v).eq(lowest), "a bit of the operand");
    for (let i = 1; i < WIDTH; i++)
      assertAlways(lowest.bit(i).not().or(v.bits(0, i).any().not()), `bit ${i}: none below it is set`);
    cover(lowest.bit(WIDTH - 1), "the highest bit alone");
    cover(v.all(), "all bits set");
  },
);

const onehotHarness = module(
  "EncodeOnehotProof",
  () => ({ v: input(uint(WIDTH)), number: output(uint<number>(INDEX)) }),
  io => {
    io.number.set(encodeOnehot(io.v));
    assumeAlways(none(io.v), "one bit at most is set");
    for (let i = 0; i < WIDTH; i++) assertAlways(io.v.bit(i).not().or(io.number.eq(i)), `bit ${i} gives ${i}`);
    assertAlways(io.v.any().or(io.number.eq(0)), "none gives 0");
    cover(io.number.eq(WIDTH - 1), "the highest number");
  },
);

const priorityHarness = module(
  "EncodePriorityProof",
  () => ({ v: input(uint(WIDTH)), number: output(uint<number>(INDEX)) }),
  io => {
    const { any, index } = encodePriority(io.v);
    io.number.set(index);
    assertAlways(any.eq(io.v.ne(0)), "any says that one is set");
    for (let i = 0; i < WIDTH; i++)
      assertAlways(io.v.bit(i).not().or(index.le(i)), `no number above ${i} when bit ${i} is set`);
    assertAlways(any.not().or(io.v.shr(index).bit(0)), "the bit of the number is set");
    assertAlways(any.or(index.eq(0)), "none gives 0");
    cover(io.v.all(), "all bits set");
  },
);

const decodeHarness = module(
  "DecodeProof",
  () => ({ number: input(uint<number>(INDEX)), v: output(uint(WIDTH)) }),
  io => {
    io.v.set(decode(io.number, WIDTH).is(WIDTH));
    assertAlways(none(io.v), "one bit at most");
    assertAlways(io.number.lt(WIDTH).eq(io.v.any()), "a bit for each number that has one");
    assertAlways(io.number.ge(WIDTH).or(encodeOnehot(io.v).eq(io.number)), "encoded again it is the number");
    cover(io.v.bit(WIDTH - 1), "the highest bit");
  },
);

const grayHarness = module(
  "GrayProof",
  () => ({ v: input(uint(WIDTH)), gray: output(uint(WIDTH)) }),
  io => {
    io.gray.set(toGray(io.v).is(WIDTH));
    const next = node(toGray(io.v.add(1)), { name: "following" }),
      changed = node(io.gray.xor(next.is(WIDTH)), { name: "changed" });
    assertAlways(fromGray(io.gray).eq(io.v), "decoded it is the number again");
    assertAlways(changed.any().and(none(changed)), "neighbours differ in one bit, the last and the first too");
    cover(io.v.all().and(io.gray.eq(constant(2 ** (WIDTH - 1), WIDTH))), "from the last number to the first");
  },
);

export const encoderProofs: readonly Proof[] = [
  {
    module: `lowestSet, ${WIDTH} bits`,
    harness: lowestHarness(),
    faults: [{ what: "the carry is forgotten", from: /\(~v \+ 6'd1\)/, to: "(~v)" }],
  },
  {
    module: `encodeOnehot, ${WIDTH} bits`,
    harness: onehotHarness(),
    faults: [{ what: "bit 5 does not count for the highest place", from: /v\[4\] \| v\[5\]/, to: "v[4]" }],
  },
  {
    module: `encodePriority, ${WIDTH} bits`,
    harness: priorityHarness(),
    faults: [{ what: "the carry is forgotten", from: /\(?~v \+ 6'd1\)?/, to: "(~v)" }],
  },
  {
    module: `decode, ${WIDTH} bits`,
    harness: decodeHarness(),
    faults: [{ what: "two bits for one number", from: /number == 3'd4/, to: "number[2]" }],
  },
  {
    module: `Gray code, ${WIDTH} bits`,
    harness: grayHarness(),
    faults: [{ what: "a shift too far", from: /v \^ \(v >> (6'd)?1\)|v \^ \{1'd0, v\[5:1\]\}/, to: "v ^ (v >> 2)" }],
  },
];
