import {
  assertAlways,
  bit,
  cat,
  input,
  module,
  mux,
  node,
  ram,
  reg,
  source,
  switchOn,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { cellBits, FreedCell, type StoreParameters } from "./records.ts";

/**
 * Cells that came back, in block memory, the first one first. Latency 1 from `back` to `next`, initiation interval 1
 * for each. Full: never, as it has a place for each cell (asserted). None: `next.valid` is 0. Reset: none.
 *
 * Unlike a `Fifo` it has registers for what a deep list would find out late: whether it has any, and by the count
 * whether the word that is read next is the one that is written now.
 */
export const BackList = module(
  "BackList",
  (p: Pick<StoreParameters, "cells">) => ({ back: input(FreedCell(p)), next: source(uint(cellBits(p))) }),
  (io, p) => {
    const bits = cellBits(p),
      { back, next } = io;
    const head = reg(uint(bits), { init: 0 }),
      tail = reg(uint(bits), { init: 0 }),
      count = reg(uint(bits + 1), { init: 0 }),
      any = reg(bit, { init: 0 });
    const words = ram(uint(bits), { depth: p.cells, collision: "undefined", style: "block", name: "words" });
    const pop = node(next.fire, { name: "pop" }),
      nextHead = node(mux(pop, head.add(1), head), { name: "next_head" });
    words.write(back.valid, tail, back.cell);
    tail.set(mux(back.valid, tail.add(1), tail));
    head.set(nextHead);
    switchOn(cat(back.valid, pop))
      .is(0b10, () => count.set(count.add(1)))
      .is(0b01, () => count.set(count.sub(1)));
    any.set(back.valid.or(count.gt(1)).or(any.andNot(pop)));

    // What comes to an empty list, or as the last one goes, is read next: it is not in the memory yet.
    const passes = reg(bit, { init: 0, name: "passes" }),
      passing = reg(uint(bits), { name: "passing" }),
      word = words.readSync(nextHead, { name: "word" });
    passes.set(back.valid.and(mux(pop, count.eq(1), any.not())));
    passing.set(back.cell);
    next.valid.set(any);
    next.payload.set(mux(passes, passing, word));

    assertAlways(back.valid.not().or(count.lt(p.cells)), "the list has room for every cell");
    assertAlways(any.eq(count.any()), "there is one when one is counted");
    assertAlways(tail.sub(head).eq(count.trunc(bits)), "what is counted is between both ends");
  },
  { nameOf: p => `BackList_c${p.cells}` },
);
