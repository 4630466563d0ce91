import { type Bit, mux, node, ram, reg, type StreamIn, uint, type Val, when } from "../../../../hdl-dsl/index.ts";
import type { Parameters } from "../../config/index.ts";
import { Request } from "../records/records.ts";

/** Requests kept until they are settled: those in the two stages behind, and some before them. */
const depth = 8;

export interface Intake {
  /** A request for the first stage, the asker's of this cycle among them. */
  readonly any: Bit;
  readonly next: Val<ReturnType<typeof Request>>;
  /** The oldest that is not settled: that of the second stage. */
  readonly settling: Val<ReturnType<typeof Request>>;
  readonly empty: Bit;
}

/**
 * A queue that is read ahead and can go back. `take` goes one further, `settle` lets the oldest go, `rewind` goes back
 * to the oldest that stays. Latency 0 to `next`. Full: 8 requests; then `ready` is 0.
 */
export function intake(
  p: Parameters,
  from: StreamIn<ReturnType<typeof Request>>,
  o: { readonly take: Bit; readonly settle: Bit; readonly rewind: Bit },
): Intake {
  const pointer = uint(Math.log2(depth) + 1);
  const store = ram(Request(p), { depth, collision: "undefined", style: "distributed", name: "requests" });
  const head = reg(pointer, { init: 0, name: "intake_head" }),
    ahead = reg(pointer, { init: 0, name: "intake_ahead" }),
    tail = reg(pointer, { init: 0, name: "intake_tail" });
  const address = (v: Val<typeof pointer>) => v.trunc(pointer.width - 1);
  const none = node(ahead.eq(tail));
  from.ready.set(tail.sub(head).ne(depth));
  store.write(from.fire, address(tail), from.payload);
  when(from.fire, () => tail.set(tail.add(1)));
  const left = node(mux(o.settle, head.add(1), head));
  head.set(left);
  when(o.rewind, () => ahead.set(left)).elseWhen(o.take, () => ahead.set(ahead.add(1)));
  return {
    any: node(none.not().or(from.fire), { name: "intake_any" }),
    next: mux(none, from.payload, store.readAsync(address(ahead))),
    settling: store.readAsync(address(head)),
    empty: head.eq(tail),
  };
}
