import { sink, source, type StreamPort } from "../../types/ports.ts";
import { type Shape, shapeName, uint } from "../../types/shape.ts";
import type { UInt } from "../../types/value.ts";
import { clockDomain, inDomain } from "../../build/clock-domain.ts";
import { node, reg } from "../../build/declare.ts";
import { ram, styleName } from "../../build/memory.ts";
import { type Def, module } from "../../build/module.ts";
import { mux } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { assignView } from "../../build/view.ts";
import { toGray } from "../codes/index.ts";
import { synchronise } from "../clocks/index.ts";
/** What the queue holds, how many, and where. */
export interface AsyncFifoParameters<S extends Shape = Shape> {
  /** Of an element. */ readonly shape: S;
  /** Elements: a power of two, 2 or more (the pointers count in Gray code). */
  readonly depth: number;
  /** Where the words live; `auto` lets synthesis choose. */
  readonly style?: "block" | "distributed" | "auto";
}

function checkDepth(depth: number): void {
  const next = 2 ** Math.max(1, Math.ceil(Math.log2(Math.max(1, depth))));
  if (depth !== next)
    throw new RangeError(`AsyncFifo: a depth of ${depth} is no power of two of 2 or more; the next one is ${next}`);
}

const definition = module(
  "AsyncFifo",
  (p: AsyncFifoParameters) => {
    checkDepth(p.depth);
    return { push: sink(p.shape, { domain: "push" }), pop: source(p.shape, { domain: "pop" }) };
  },
  (io, p) => {
    const pushing = clockDomain("push"),
      popping = clockDomain("pop");
    const address = Math.log2(p.depth),
      width = address + 1;
    const store = inDomain(pushing, () =>
      ram(p.shape, { depth: p.depth, collision: "undefined", style: p.style ?? "auto" }),
    );
    // The pointers as the other side sees them: registers, so that no glitch crosses.
    const tailGray = inDomain(pushing, () => reg(uint(width), { init: 0 }));
    const headGray = inDomain(popping, () => reg(uint(width), { init: 0 }));
    inDomain(pushing, () => {
      const headSeen = synchronise(headGray, { name: "head_seen" });
      const tail = reg(uint(width), { init: 0 });
      // A lap ahead: in Gray code the two highest bits differ and no other does.
      io.push.ready.set(tailGray.ne(headSeen.xor(constant(3n << BigInt(width - 2), width))));
      const push = io.push.fire;
      const nextTail = node(mux(push, tail.add(1), tail));
      tail.set(nextTail);
      tailGray.set(toGray(nextTail));
      store.write(push, tail.trunc(address), io.push.payload);
    });
    inDomain(popping, () => {
      const tailSeen = synchronise(tailGray, { name: "tail_seen" });
      const head = reg(uint(width), { init: 0 });
      io.pop.valid.set(headGray.ne(tailSeen));
      const nextHead = node(mux(io.pop.fire, head.add(1), head));
      head.set(nextHead);
      headGray.set(toGray(nextHead));
      // The word at the head is read in every cycle; once the pointer behind it has crossed, it was written before
      // the last read.
      const at: UInt = (p.style === "distributed" ? head : nextHead).trunc(address);
      assignView(
        io.pop.payload,
        p.style === "distributed" ? store.readAsync(at) : store.readSync(at, { name: "front" }),
        "pop_payload",
      );
    });
  },
  { nameOf: p => `AsyncFifo_${shapeName(p.shape)}_d${p.depth}${styleName(p.style)}` },
);

/**
 * FIFO between clock domains `push` and `pop` of any two periods and phases. Pointers cross in Gray code through two
 * registers each. Latency from push to pop: 1 cycle of `push` and 2 to 3 cycles of `pop`. Initiation interval 1 on
 * both sides while the depth covers the round trip: about 4 cycles of each clock, 8 elements for equal clocks. Full:
 * `push.ready` is 0; a pop shows there 2 to 3 cycles of `push` later. Empty: `pop.valid` is 0. Both sides are
 * careful, never wrong: full and empty may show longer than they are. Both domains are to be reset together, before
 * anything is pushed.
 */
export function AsyncFifo<const S extends Shape>(
  p: AsyncFifoParameters<S>,
): Def<{ readonly push: StreamPort<"in", S>; readonly pop: StreamPort<"out", S> }> {
  return definition({ ...p, style: p.style ?? "auto" }) as never;
}
