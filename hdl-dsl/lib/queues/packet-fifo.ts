import { output, type Port, sink, source, type StreamPort } from "../../types/ports.ts";
import { bit, type Shape, shapeName, uint, type UIntShape } from "../../types/shape.ts";
import type { Bit, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { ram, styleName } from "../../build/memory.ts";
import { type Def, module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
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
    const after = (v: UInt): UInt => (wraps ? mux(v.eq(p.depth - 1), constant(0, width), v.add(1)) : v.add(1));
    const store = ram(p.shape, { depth: p.depth, collision: "new", style: p.style ?? "auto", outside: "unreached" });
    // Each place stands beside the one behind it: nothing is counted and then compared, and what pops or is pushed is
    // known late.
    const place = (init: number) => reg(uint(width), { init });
    const head = place(0),
      headNext = place(1 % p.depth),
      tail = place(0),
      tailNext = place(1 % p.depth);
    const start = place(0), // where the packet that is coming in begins
      startNext = place(1 % p.depth);
    const readable = reg(bit, { init: 0 }); // a whole packet is inside
    const full = reg(bit, { init: 0 });
    // With one more and one fewer beside it: which of them comes next is known late, too.
    const packets = reg(counted, { init: 0 }),
      more = reg(counted, { init: 1 }),
      fewer = reg(counted, { init: 2 ** counted.width - 1 });

    // A packet that fills the store alone would wait for ever: it stays so until its last beat, and the rest
    // is thrown away.
    const lost = node(full.andNot(readable));
    io.push.ready.set(full.not().or(lost));
    const push = node(io.push.fire),
      pop = node(io.pop.fire);
    const last = node(field(io.push.payload, p.last)),
      poppedLast = node(field(io.pop.payload, p.last).and(pop));
    const ends = node(push.and(last));
    const bad = node(p.drop === undefined ? lost : lost.or(field(io.push.payload, p.drop)));
    const commit = node(ends.and(bad.not())),
      rollback = node(ends.and(bad)),
      kept = node(io.push.valid.andNot(full));
    store.write(kept, tail, io.push.payload);

    when(kept, () => {
      tail.set(tailNext);
      tailNext.set(after(tailNext));
    });
    when(commit, () => {
      start.set(tailNext);
      startNext.set(after(tailNext));
    });
    when(rollback, () => {
      tail.set(start);
      tailNext.set(startNext);
    });
    // A beat that comes in where the oldest stands takes the last room, unless that one leaves or the packet is lost.
    full.set(mux(pop.or(rollback), constant(0, 1), full.or(kept.and(tailNext.eq(head)))));
    // Whoever commits brings a beat; who pops may take the last one.
    readable.set(commit.or(readable.andNot(pop.and(headNext.eq(start)))));
    when(commit.andNot(poppedLast), () => {
      fewer.set(packets);
      packets.set(more);
      more.set(more.add(1));
    }).elseWhen(poppedLast.andNot(commit), () => {
      more.set(packets);
      packets.set(fewer);
      fewer.set(fewer.sub(1));
    });

    const nextHead = node(mux(pop, headNext, head));
    head.set(nextHead);
    when(pop, () => headNext.set(after(headNext)));
    io.pop.valid.set(readable);
    assignView(
      io.pop.payload,
      p.style === "distributed" ? store.readAsync(head) : store.readSync(nextHead, { name: "front" }),
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
