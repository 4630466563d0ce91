import {
  assignView,
  bit,
  type Bit,
  constant,
  type Given,
  mux,
  ram,
  reg,
  type Shape,
  type StreamOut,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";

/** A queue whose room is claimed when something is asked for, and used when it comes. */
export interface ClaimedQueue<S extends Shape> {
  /** One more may be claimed. */
  readonly room: Bit;
  /** Given when one is claimed, when one that was claimed earlier comes, and where they go. To be called once. */
  serve(claims: Bit, comes: Bit, value: Given<S>, out: StreamOut<S>): void;
}

/**
 * A queue of `depth` (a power of two) for what is read from a memory: a read is started only when there is room for
 * what it gives, so that a receiver who stalls holds up nobody else. Latency 1 from coming to `out`, initiation
 * interval 1.
 */
export function claimedQueue<S extends Shape>(name: string, shape: S, depth: number): ClaimedQueue<S> {
  const width = Math.log2(depth);
  // Claimed and not yet given out.
  const claimed = reg(uint(width + 1), { init: 0, name: `${name}_claimed` });
  return {
    room: claimed.bit(width).not(),
    serve: (claims, comes, value, out) => {
      const queue = ram(shape, { depth, collision: "undefined", style: "distributed", name: `${name}_queue` });
      const tail = reg(uint(width), { init: 0, name: `${name}_tail` });
      const head = reg(uint(width), { init: 0, name: `${name}_head` });
      queue.write(comes, tail, value);
      when(comes, () => tail.set(tail.add(1)));
      when(out.fire, () => head.set(head.add(1)));
      // A register, so that it is there early in the cycle. The one that is taken was the last when the pointer behind
      // it is the tail.
      const stored = reg(bit, { init: 0, name: `${name}_stored` });
      stored.set(mux(comes.or(stored.and(out.fire.not())), constant(1, 1), stored.and(head.add(1).ne(tail))));
      out.valid.set(stored);
      assignView(out.payload, queue.readAsync(head), "payload");
      when(claims.and(out.fire.not()), () => claimed.set(claimed.add(1))).elseWhen(out.fire.and(claims.not()), () =>
        claimed.set(claimed.sub(1)),
      );
    },
  };
}
