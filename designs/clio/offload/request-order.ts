import {
  assertAlways,
  bit,
  type Bit,
  bitsAbove,
  carryEqual,
  constant,
  decode,
  encodeOnehot,
  fromBits,
  input,
  lowestOfFirst,
  module,
  mux,
  node,
  orTree,
  output,
  reg,
  source,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";

export interface RequestOrderParameters {
  readonly contexts: number;
  readonly keyBits: number;
}
/**
 * A request that comes in. `keyed`: it is about `key` (a bucket, an object), and `writes` it or only reads it. `lists`:
 * it is one of those of which there is never more than one at a time, whatever their keys.
 */
export const OrderEnter = (p: RequestOrderParameters) =>
  struct({
    valid: bit,
    context: uint(Math.log2(p.contexts)),
    key: uint(p.keyBits),
    keyed: bit,
    writes: bit,
    lists: bit,
  });
export const OrderLeave = (p: { readonly contexts: number }) =>
  struct({ valid: bit, context: uint(Math.log2(p.contexts)) });

/**
 * The order of requests to an offload. Requests that write a key are alone in it, those that read share it, those that
 * `lists` are one at a time. Each waits for the requests before it that conflict, and for nothing else. So there is no
 * starving, and requests on different keys never wait for one another.
 *
 * `enter`: a request, in the order of arrival. `start`: it may begin; 2 cycles after `enter` when nothing is in its
 * way, and one per cycle, the contexts in turn. `leave`: the request is done; requests that waited for it alone start 2
 * cycles later. Bound: a place per context, so `enter` is always taken. Reset: no request is inside.
 */
export const RequestOrder = module(
  "RequestOrder",
  (p: RequestOrderParameters) => ({
    enter: input(OrderEnter(p)),
    leave: input(OrderLeave(p)),
    start: source(uint(Math.log2(p.contexts))),
    inside: output(uint(p.contexts)),
  }),
  (io, p) => {
    const n = p.contexts,
      each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i)),
      none = constant(0, n);
    const inside = reg(uint(n), { init: 0 }),
      writes = reg(uint(n)),
      keyed = reg(uint(n)),
      lists = reg(uint(n)),
      pending = reg(uint(n), { init: 0 });
    const keys = reg(vec(uint(p.keyBits), n));
    /** For each request those that it waits for. */
    const ahead = reg(vec(uint(n), n)),
      blocked = reg(uint(n));
    const entering = node(mux(io.enter.valid, decode(io.enter.context, n), none));
    const leaving = node(mux(io.leave.valid, decode(io.leave.context, n), none));
    inside.set(inside.and(leaving.not()).or(entering));

    const inTheWay = node(
      fromBits(
        each(i => {
          const bothKeyed = keyed.bit(i).and(io.enter.keyed),
            meets = carryEqual(keys.at(i), io.enter.key, bothKeyed).and(writes.bit(i).or(io.enter.writes));
          return inside
            .bit(i)
            .and(leaving.bit(i).not())
            .and(meets.or(lists.bit(i).and(io.enter.lists)));
        }),
      ),
    );
    const left = each(i => node(ahead.at(i).and(leaving.not()), { name: `left_${i}` }));
    each(i => {
      when(entering.bit(i), () => keys.at(i).set(io.enter.key));
      ahead.at(i).set(mux(entering.bit(i), inTheWay, left[i] as UInt));
    });
    blocked.set(fromBits(each(i => mux(entering.bit(i), inTheWay.any(), (left[i] as UInt).any()))));
    const marked = (of: UInt, given: Bit): UInt => mux(given, of.or(entering), of.and(entering.not()));
    when(io.enter.valid, () => {
      writes.set(marked(writes, io.enter.writes));
      keyed.set(marked(keyed, io.enter.keyed));
      lists.set(marked(lists, io.enter.lists));
    });

    // A context that waits for no other, beginning behind the last one chosen.
    const offered = reg(bit, { init: 0 }),
      offer = reg(uint(Math.log2(n))),
      last = reg(uint(n), { init: 1 });
    const ready = node(pending.and(blocked.not()));
    const after = node(ready.and(bitsAbove(last)));
    const chosen = node(lowestOfFirst(after, ready));
    const room: Bit = offered.not().or(io.start.ready);
    const starting: UInt = node(mux(room, chosen, none));
    pending.set(pending.and(starting.not()).or(entering));
    when(room, () => {
      offered.set(ready.any());
      offer.set(encodeOnehot(chosen).is(Math.log2(n)));
      when(ready.any(), () => last.set(chosen));
    });
    io.start.valid.set(offered);
    io.start.payload.set(offer);
    io.inside.set(inside);

    assertAlways(entering.and(inside).any().not(), "a context enters when it is not inside");
    assertAlways(leaving.and(inside.not()).any().not(), "a context leaves when it is inside");
    assertAlways(leaving.and(pending).any().not(), "a context leaves when it has started");
    const clash = each(i => i).flatMap(i =>
      each(k => k)
        .filter(k => k > i)
        .map(k => {
          const both = inside.bit(i).and(inside.bit(k)).and(pending.bit(i).not()).and(pending.bit(k).not());
          const key = keys
            .at(i)
            .eq(keys.at(k))
            .and(keyed.bit(i))
            .and(keyed.bit(k))
            .and(writes.bit(i).or(writes.bit(k)));
          return both.and(key.or(lists.bit(i).and(lists.bit(k))));
        }),
    );
    assertAlways(orTree(clash).not(), "whoever writes is alone with its key, whoever lists alone");
  },
  { nameOf: p => `RequestOrder_c${p.contexts}_k${p.keyBits}` },
);
