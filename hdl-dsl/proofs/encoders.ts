/** Encoders without state. */
import { input, output } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import type { Bit, UInt } from "../types/value.ts";
import { addressBits } from "../types/bits.ts";
import { node } from "../build/declare.ts";
import { module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { fromGray, toGray } from "../lib/index.ts";
import {
  atMostOne,
  bitsAbove,
  decode,
  encodeOnehot,
  encodePriority,
  firstSet,
  lowestFlat,
  lowestOfFirst,
  lowestSet,
  orTree,
  several,
  toBits,
} from "../vectors/index.ts";
import type { Proof } from "./harness/proof.ts";

const WIDTH = 6,
  INDEX = addressBits(WIDTH);

/** At most one bit is set, said without the library's own `atMostOne`. */
const alone = (v: UInt): Bit =>
  orTree(toBits(v).map((b, i) => (i === 0 ? constant(0, 1) : b.and(v.bits(0, i).any())))).not();

/** A function that gives the lowest bit that is set, one-hot. */
const lowestHarness = (name: string, lowestOf: (v: UInt) => UInt) =>
  module(
    name,
    () => ({ v: input(uint(WIDTH)), lowest: output(uint(WIDTH)) }),
    io => {
      io.lowest.set(lowestOf(io.v).is(WIDTH));
      const { v, lowest } = io;
      assertAlways(atMostOne(lowest), "one bit at most");
      assertAlways(lowest.any().eq(v.any()), "one bit when there is one");
      assertAlways(lowest.and(v).eq(lowest), "a bit of the operand");
      for (let i = 1; i < WIDTH; i++)
        assertAlways(lowest.bit(i).not().or(v.bits(0, i).any().not()), `bit ${i}: none below it is set`);
      cover(lowest.bit(WIDTH - 1), "the highest bit alone");
      cover(v.all(), "all bits set");
    },
  )();

const turnsHarness = module(
  "LowestOfFirstProof",
  () => ({ asks: input(uint(WIDTH)), last: input(uint(WIDTH)), turn: output(uint(WIDTH)) }),
  io => {
    const { asks, last, turn } = io;
    const after = node(asks.and(bitsAbove(last)), { name: "after" });
    turn.set(lowestOfFirst(after, asks).is(WIDTH));
    assumeAlways(alone(last).and(last.any()), "one was served last");
    assertAlways(alone(turn), "one bit at most");
    assertAlways(turn.any().eq(asks.any()), "one bit when anybody asks");
    assertAlways(turn.and(asks).eq(turn), "whoever asks");
    for (let l = 0; l < WIDTH; l++) {
      for (let k = 1; k < WIDTH; k++) {
        const at = (l + k) % WIDTH,
          before = orTree([constant(0, 1), ...Array.from({ length: k - 1 }, (_, j) => asks.bit((l + 1 + j) % WIDTH))]);
        assertAlways(
          cat(last.bit(l), asks.bit(at), before.not()).all().not().or(turn.bit(at)),
          `after ${l}: ${at} has its turn when none between asks`,
        );
      }
    }
    cover(after.any().not().and(turn.bit(0)), "round the end");
  },
);

const severalHarness = module(
  "SeveralProof",
  () => ({ v: input(uint(WIDTH)), more: output(bit) }),
  io => {
    io.more.set(several(io.v));
    assertAlways(io.more.eq(alone(io.v).not()), "several says that two are set");
    assertAlways(atMostOne(io.v).eq(io.more.not()), "at most one is the opposite");
    cover(io.v.all(), "all bits set");
  },
);

const onehotHarness = module(
  "EncodeOnehotProof",
  () => ({ v: input(uint(WIDTH)), number: output(uint<number>(INDEX)) }),
  io => {
    io.number.set(encodeOnehot(io.v));
    assumeAlways(atMostOne(io.v), "one bit at most is set");
    for (let i = 0; i < WIDTH; i++) assertAlways(io.v.bit(i).not().or(io.number.eq(i)), `bit ${i} gives ${i}`);
    assertAlways(io.v.any().or(io.number.eq(0)), "none gives 0");
    cover(io.number.eq(WIDTH - 1), "the highest number");
  },
);

/** A function that gives the number of the lowest bit that is set. */
const priorityHarness = (name: string, encode: (v: UInt) => { readonly any: Bit; readonly index: UInt }) =>
  module(
    name,
    () => ({ v: input(uint(WIDTH)), number: output(uint<number>(INDEX)) }),
    io => {
      const { any, index } = encode(io.v);
      io.number.set(index);
      assertAlways(any.eq(io.v.ne(0)), "any says that one is set");
      for (let i = 0; i < WIDTH; i++)
        assertAlways(io.v.bit(i).not().or(index.le(i)), `no number above ${i} when bit ${i} is set`);
      assertAlways(any.not().or(io.v.shr(index).bit(0)), "the bit of the number is set");
      assertAlways(any.or(index.eq(0)), "none gives 0");
      cover(io.v.all(), "all bits set");
    },
  )();

const decodeHarness = module(
  "DecodeProof",
  () => ({ number: input(uint<number>(INDEX)), v: output(uint(WIDTH)) }),
  io => {
    io.v.set(decode(io.number, WIDTH).is(WIDTH));
    assertAlways(atMostOne(io.v), "one bit at most");
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
    assertAlways(changed.any().and(atMostOne(changed)), "neighbours differ in one bit, the last and the first too");
    cover(io.v.all().and(io.gray.eq(constant(2 ** (WIDTH - 1), WIDTH))), "from the last number to the first");
  },
);

export const encoderProofs: readonly Proof[] = [
  {
    module: `lowestSet, ${WIDTH} bits`,
    harness: lowestHarness("LowestSetProof", lowestSet),
    faults: [{ what: "the carry is forgotten", from: /\(~v \+ 6'd1\)/, to: "(~v)" }],
  },
  {
    module: `lowestFlat, ${WIDTH} bits`,
    harness: lowestHarness("LowestFlatProof", lowestFlat),
    faults: [{ what: "bit 4 does not look at bit 3", from: /v\[3:0\]/, to: "v[2:0]" }],
  },
  {
    module: `lowestOfFirst, ${WIDTH} bits`,
    harness: turnsHarness(),
    faults: [{ what: "whoever was last goes on", from: /\(last - 6'd1\)/, to: "(last - 6'd2)" }],
  },
  {
    module: `several, ${WIDTH} bits`,
    harness: severalHarness(),
    faults: [{ what: "one is several", from: /\(v - 6'd1\)/, to: "v" }],
  },
  {
    module: `encodeOnehot, ${WIDTH} bits`,
    harness: onehotHarness(),
    faults: [{ what: "bit 5 does not count for the highest place", from: /v\[4\] \| v\[5\]/, to: "v[4]" }],
  },
  {
    module: `encodePriority, ${WIDTH} bits`,
    harness: priorityHarness("EncodePriorityProof", encodePriority),
    faults: [{ what: "the carry is forgotten", from: /\(?~v \+ 6'd1\)?/, to: "(~v)" }],
  },
  {
    module: `firstSet, ${WIDTH} bits`,
    harness: priorityHarness("FirstSetProof", firstSet),
    faults: [{ what: "bit 0 does not hide bit 1", from: /~v\[0\] & v\[1\]/, to: "v[1]" }],
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
