import { addressBits, bitsFor } from "../../types/bits.ts";
import { output, type Port, sink, source, type StreamPort } from "../../types/ports.ts";
import { type Shape, shapeName, uint, type UIntShape } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { ram, styleName } from "../../build/memory.ts";
import { type Def, module } from "../../build/module.ts";
import { mux, switchOn, when } from "../../build/statements.ts";
import { cat } from "../../build/value.ts";
import { assignView } from "../../build/view.ts";
/** What the queue holds, how many, and where. */
export interface FifoParameters<S extends Shape = Shape> {
  /** Of an element. */ readonly shape: S;
  /** Elements: any number of 1 or more (with 1, a push and a pop take turns). */
  readonly depth: number;
  /**
   * Where the words live; `auto` lets synthesis choose. `distributed` words are read in the same cycle, so they need
   * neither output register nor bypass.
   */
  readonly style?: "block" | "distributed" | "ultra" | "auto";
}

const definition = module(
  "Fifo",
  (p: FifoParameters) => ({ push: sink(p.shape), pop: source(p.shape), level: output(uint(bitsFor(p.depth))) }),
  (io, p) => {
    const width = addressBits(p.depth),
      wraps = 2 ** width !== p.depth;
    const head = reg(uint(width), { init: 0 });
    const tail = reg(uint(width), { init: 0 });
    const count = reg(uint(bitsFor(p.depth)), { init: 0 });
    const store = ram(p.shape, { depth: p.depth, collision: "new", style: p.style ?? "auto", outside: "unreached" });
    const after = (v: UInt): UInt => (wraps ? mux(v.eq(p.depth - 1), v.sub(v), v.add(1)) : v.add(1));
    const push = node(io.push.fire);
    const pop = node(io.pop.fire);

    io.push.ready.set(count.ne(p.depth));
    store.write(push, tail, io.push.payload);
    when(push, () => tail.set(after(tail)));
    const nextHead = node(mux(pop, after(head), head));
    head.set(nextHead);
    switchOn(cat(push, pop))
      .is(0b10, () => count.set(count.add(1)))
      .is(0b01, () => count.set(count.sub(1)));

    io.pop.valid.set(count.ne(0));
    assignView(
      io.pop.payload,
      p.style === "distributed" ? store.readAsync(head) : store.readSync(nextHead, { name: "front" }),
      "pop_payload",
    );
    io.level.set(count);
  },
  { nameOf: p => `Fifo_${shapeName(p.shape)}_d${p.depth}${styleName(p.style)}` },
);

/**
 * Synchronous FIFO of `depth` elements of any shape. Latency 1 cycle from push to pop, initiation interval 1, also when
 * it is full and popped every cycle. Full: `push.ready` is 0, also in a cycle that pops (ready does not wait for the
 * consumer). Empty: `pop.valid` is 0; a pushed element can be popped in the next cycle. Pushed and popped in one cycle:
 * `level`, the number of elements (0 to depth), stays.
 */
export function Fifo<const S extends Shape>(
  p: FifoParameters<S>,
): Def<{
  readonly push: StreamPort<"in", S>;
  readonly pop: StreamPort<"out", S>;
  readonly level: Port<"out", UIntShape>;
}> {
  return definition({ ...p, style: p.style ?? "auto" }) as never;
}
