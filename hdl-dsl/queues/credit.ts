/** Credits: flow control over a link whose ready would come too late. */
import { bitsFor } from "../types/bits.ts";
import { type Shape, uint } from "../types/shape.ts";
import type { Bit, StreamIn, UInt } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { assertAlways, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { assignView } from "../build/view.ts";
import { nameOf, stream } from "../stream/stream.ts";
import { fifoWithLevel } from "./fifo.ts";

/**
 * The producer's side: a transfer costs a credit, `returned` gives one back. `credits` is how many there are after
 * reset, the room at the other end. `out` does not look at its ready: the receiver always has room for what credits
 * allow, so any number of registers may stand between. Latency 0, initiation interval 1 while credits last; none left:
 * `from.ready` is 0, also in a cycle that returns one. Spent and returned in one cycle: `left` stays.
 * @param o.name of the output; default: that of the constant
 */
export function creditSender<S extends Shape>(
  from: StreamIn<S>,
  credits: number,
  returned: Bit,
  o: { readonly name?: string } = {},
): { readonly out: StreamIn<S>; readonly left: UInt } {
  const { name } = nameOf(o, "credited");
  const left = reg(uint(bitsFor(credits)), { init: credits, name: `${name}_left` });
  const open = node(left.any(), { name: `${name}_open` });
  const out = stream(from.shape, { name });
  out.valid.set(from.valid.and(open));
  assignView(out.payload, from.payload, "payload");
  from.ready.set(open);
  const spent = from.fire;
  when(spent.and(returned.not()), () => left.set(left.sub(1))).elseWhen(returned.and(spent.not()), () =>
    left.set(left.add(1)),
  );
  assertAlways(
    returned
      .not()
      .or(spent)
      .or(left.ne(constant(credits, left.width))),
    `${name}: no more credits come back than went out`,
  );
  return { out: out, left };
}

/**
 * The consumer's side: room for `credits` transfers, and a pulse in `returned` for each that leaves it. A transfer
 * that comes finds room; otherwise the producer has spent credits that it did not have (asserted). Latency 1,
 * initiation interval 1. For full throughput `credits` must cover the link's round trip in cycles: its registers both
 * ways, plus 3.
 * @param o.name of the output; default: that of the constant
 */
export function creditReceiver<S extends Shape>(
  from: StreamIn<S>,
  credits: number,
  o: { readonly name?: string } = {},
): { readonly out: StreamIn<S>; readonly returned: Bit } {
  const { name } = nameOf(o, "received");
  assertAlways(from.valid.not().or(from.ready), `${name}: what credits allow finds room`);
  const { out, level } = fifoWithLevel(from, credits, { name });
  // The count of elements inside is for observers only.
  void level;
  const returned = reg(uint(1), { init: 0, name: `${name}_returned` });
  returned.set(out.fire);
  return { out, returned };
}
