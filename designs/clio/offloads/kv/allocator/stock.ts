/** What is taken, what is kept here, and the work in progress: the registers, and the stack of kept blocks. */
import {
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  node,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { classBits } from "../layout.ts";
import { blockBits, classCount, type KvParameters, unitShift } from "../parameters.ts";
import { Take } from "./ports.ts";

/** Free blocks of a class that are kept here. */
const kept = 16,
  keptBits = Math.log2(kept);

/** Registers that more than one step writes. */
export function stockOf(p: KvParameters) {
  const block = uint(blockBits),
    zeros = Array.from({ length: classCount }, () => 0);
  return {
    /** The region that ALLOC is asked in. */
    region: reg(uint(bitsFor(p.regions)), { init: 0 }),
    /** Blocks that are taken; free ones that are kept here, of each class and in all. */
    live: reg(uint(bitsFor(p.regions * 2 ** (30 - unitShift))), { init: 0 }),
    levels: reg(vec(uint(bitsFor(kept)), classCount), { init: zeros }),
    /** Whether there are some, class by class. */
    filled: reg(vec(bit, classCount), { init: zeros }),
    cached: reg(uint(bitsFor(kept * classCount)), { init: 0 }),
    stack: ram(block, { depth: 2 ** classBits * kept, collision: "undefined", style: "distributed" }),
    // Work in progress: who asked and for what, the block that goes back, what became of the request.
    kind: reg(uint(classBits)),
    asked: reg(Take(p)),
    home: reg(block),
    givingSlot: reg(bit, { init: 0 }),
    taking: reg(bit, { init: 0 }),
    answer: reg(struct({ status: uint(4), block })),
    /** Memory has run out: what is kept goes back, or has. */
    flushing: reg(bit, { init: 0 }),
    flushed: reg(bit, { init: 0 }),
  };
}
export type Stock = ReturnType<typeof stockOf>;

/** The kept blocks of the class at hand. */
export function keptOf({ levels, filled, stack, kind }: Stock) {
  const level = node(levels.at(kind)),
    some = node(filled.at(kind)),
    room = node(level.bit(keptBits).not());
  // The n-th block of a class lies at place n, so who takes one waits for no sum.
  const popped = node(stack.readAsync(cat(kind, level.trunc(keptBits))));
  return { level, some, room, popped };
}

/** Blocks come to those that are kept, and go. */
export function stackOf({ stack, kind, levels, filled, cached }: Stock, level: UInt) {
  // A pushed block is on the stack one cycle later.
  const push = reg(bit, { init: 0 }),
    pushAt = reg(uint(classBits + keptBits)),
    pushed = reg(uint(blockBits));
  stack.write(push, pushAt, pushed);
  pushAt.set(cat(kind, level.add(1).trunc(keptBits)));
  push.set(0);
  // Each level counts by itself, so no sum waits for the class.
  const counts = (to: (n: UInt) => UInt, some: (n: UInt) => Bit): void => {
    for (let i = 0; i < classCount; i++)
      when(kind.eq(i), () => {
        levels.at(i).set(to(levels.at(i)));
        filled.at(i).set(some(levels.at(i)));
      });
    cached.set(to(cached));
  };
  return {
    /** A block was pushed in the cycle before. */
    push,
    pushes(block: UInt): void {
      push.set(1);
      pushed.set(block);
      counts(
        n => n.add(1),
        () => constant(1, 1),
      );
    },
    pops: (): void =>
      counts(
        n => n.sub(1),
        n => n.ne(1),
      ),
  };
}
