import { output, sink, source } from "../types/ports.ts";
import { uint, type Shape } from "../types/shape.ts";
import type { Bit, UInt } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { ram } from "../build/memory.ts";
import { module } from "../build/module.ts";
import { mux, when } from "../build/statements.ts";

export interface FifoParameters {
  readonly shape: Shape;
  /** Elements, 2 or more; any number. */
  readonly depth: number;
  /** Where the words live; `auto` lets synthesis choose. */
  readonly style?: "block" | "distributed" | "ultra" | "auto";
}

/** Bits that hold 0 .. n. */
export const bitsFor = (n: number): number => Math.max(1, Math.ceil(Math.log2(n + 1)));
/** Bits of an address of `depth` words. */
export const addressBits = (depth: number): number => Math.max(1, Math.ceil(Math.log2(depth)));

/**
 * Synchronous FIFO of `depth` elements. Latency 1 cycle from push to pop, initiation interval 1, full rate when full and popped.
 * Full: `push.ready` is 0 (also in a cycle that pops: ready does not wait for the consumer). Empty: `pop.valid` is 0. `level` counts the elements.
 */
export const Fifo = module("Fifo",
  (p: FifoParameters) => ({ push: sink(p.shape), pop: source(p.shape), level: output(uint(bitsFor(p.depth))) }),
  (io, p) => {
    const width = addressBits(p.depth), wraps = 2 ** width !== p.depth;
    const head = reg(uint(width), { init: 0 });
    const tail = reg(uint(width), { init: 0 });
    const count = reg(uint(bitsFor(p.depth)), { init: 0 });
    const store = ram(p.shape, { depth: p.depth, collision: "new", style: p.style ?? "auto" });
    const after = (v: UInt): UInt => (wraps ? mux(v.eq(p.depth - 1), v.sub(v), v.add(1)) : v.add(1));
    const push = node(io.push.fire as Bit);
    const pop = node(io.pop.fire as Bit);

    io.push.ready.set(count.ne(p.depth));
    store.write(push, tail, io.push.payload as never);
    when(push, () => { tail.set(after(tail)); });
    const next_head = node(mux(pop, after(head), head as UInt));
    head.set(next_head);
    when(push.and(pop.not()), () => { count.set(count.add(1)); })
      .elseWhen(pop.and(push.not()), () => { count.set(count.sub(1)); });

    io.pop.valid.set(count.ne(0));
    (io.pop.payload as unknown as { set(v: unknown): void }).set(store.readSync(next_head, { name: "front" }));
    io.level.set(count);
  });
