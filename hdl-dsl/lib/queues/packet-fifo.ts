import { output, type Port, sink, source, type StreamPort } from "../../types/ports.ts";
import { bit, type Shape, shapeName, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { ram, styleName } from "../../build/memory.ts";
import { type Def, module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { assignView } from "../../build/view.ts";
import { addressBits, bitsFor } from "../../types/bits.ts";
/** What the queue holds, and which fields mark a packet's end and its loss. */
export interface PacketFifoParameters<S extends Shape = Shape> {
  /** Of a beat. */ readonly shape: S;
  /** Beats: any number of 2 or more; no packet of more than that comes through. */
  readonly depth: number;
  /** The name of a one-bit field of the shape that marks the last beat of a packet. */
  readonly last: string;
  /** The name of a one-bit field: set on the last beat, it discards the packet. Left out: all are kept. */
  readonly drop?: string;
  /** `auto`: synthesis chooses. */ readonly style?: "block" | "distributed" | "ultra" | "auto";
}

const definition = module(
  "PacketFifo",
  (p: PacketFifoParameters) => ({
    push: sink(p.shape),
    pop: source(p.shape),
    packets: output(uint(bitsFor(p.depth))),
    dropped: output(bit),
  }),
  (io, p) => {
    const width = addressBits(p.depth),
      wraps = 2 ** width !== p.depth,
      counted = uint(bitsFor(p.depth));
    const field = (v: unknown, name: string): Bit => (v as Readonly<Record<string, Bit>>)[name] as Bit;
    // Places have one bit more, which changes whenever they come round: all room is used where that alone differs. So
    // nothing is counted, and no sum stands between a beat that comes and what can be read.
    const placed = uint(width + 1),
      index = (v: UInt): UInt => v.trunc(width),
      after = (v: UInt): UInt =>
        wraps ? mux(index(v).eq(p.depth - 1), cat(v.bit(width).not(), constant(0, width)), v.add(1)) : v.add(1),
      isRoundBehind = (a: UInt, b: UInt): Bit => cat(a.bit(width).not(), index(a)).eq(b);
    const store = ram(p.shape, { depth: p.depth, collision: "new", style: p.style ?? "auto", outside: "unreached" });
    const head = reg(placed, { init: 0 }),
      tail = reg(placed, { init: 0 });
    const start = reg(placed, { init: 0 }); // where the packet that is coming in begins
    const packets = reg(counted, { init: 0 });

    const full = node(isRoundBehind(head, tail));
    // A packet that fills the store alone would wait for ever: it stays so until its last beat, and the rest
    // is thrown away.
    const lost = node(isRoundBehind(start, tail));
    io.push.ready.set(full.not().or(lost));
    const push = node(io.push.fire),
      pop = node(io.pop.fire);
    const last = node(field(io.push.payload, p.last)),
      poppedLast = node(field(io.pop.payload, p.last).and(pop));
    const ends = node(push.and(last));
    const bad = node(p.drop === undefined ? lost : lost.or(field(io.push.payload, p.drop)));
    const commit = node(ends.and(bad.not())),
      rollback = node(ends.and(bad));
    store.write(push.and(lost.not()), index(tail), io.push.payload);

    when(push.and(lost.not()), () => tail.set(after(tail)));
    when(commit, () => start.set(after(tail)));
    when(rollback, () => tail.set(start));
    when(commit.and(poppedLast.not()), () => packets.set(packets.add(1))).elseWhen(poppedLast.and(commit.not()), () =>
      packets.set(packets.sub(1)),
    );

    const nextHead = node(mux(pop, after(head), head));
    head.set(nextHead);
    io.pop.valid.set(head.ne(start));
    assignView(
      io.pop.payload,
      p.style === "distributed" ? store.readAsync(index(head)) : store.readSync(index(nextHead), { name: "front" }),
      "pop_payload",
    );
    io.packets.set(packets);
    io.dropped.set(rollback);
  },
  {
    nameOf: p =>
      `PacketFifo_${shapeName(p.shape)}_d${p.depth}_${p.last}${p.drop === undefined ? "" : `_drop_${p.drop}`}${styleName(p.style)}`,
  },
);

/**
 * FIFO of whole packets: a packet can be popped only after its last beat has come. A packet whose last beat has `drop`
 * set is discarded, its room given back at once. Latency 1 cycle from a packet's last beat to its first at `pop`;
 * initiation interval 1. Full: `push.ready` is 0, also in a cycle that pops. A packet that alone fills the store is
 * longer than the store. All of it is discarded, its rest too, so that the FIFO never deadlocks. `dropped` is 1 in the
 * cycle that discards a packet. `packets` counts the whole ones inside. Empty: `pop.valid` is 0. Popped and committed
 * in one cycle: both happen.
 */
export function PacketFifo<const S extends Shape>(
  p: PacketFifoParameters<S>,
): Def<{
  readonly push: StreamPort<"in", S>;
  readonly pop: StreamPort<"out", S>;
  readonly packets: Port<"out", UIntShape>;
  readonly dropped: Port<"out", UIntShape<1>>;
}> {
  return definition({ ...p, style: p.style ?? "auto" }) as never;
}
