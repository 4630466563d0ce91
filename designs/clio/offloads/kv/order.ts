import {
  assertAlways, bit, constant, decode, encodeOnehot, fromBits, input, lowestSet, module, mux, node, orTree, output, reg, source, struct, uint, vec, when, type Bit, type UInt,
} from "../../../../hdl-dsl/index.ts";

export interface KvOrderParameters { readonly contexts: number; readonly bucketBits: number }

/**
 * The order of requests on one bucket: those that write are alone in it, those that read share it, and each waits for what came before it and for nothing else. So there is no
 * starving, and requests on different buckets never wait for one another.
 *
 * `enter`: a request, in the order of arrival. `start`: it may begin; 2 cycles after `enter` when nothing is in its way, and one per cycle, the contexts in turn. `leave`: it
 * is done; what waited for it alone starts 2 cycles later. Bound: a place per context, so `enter` is always taken. Reset: nobody is inside.
 */
export const KvOrder = module("KvOrder",
  (p: KvOrderParameters) => {
    const context = uint(Math.log2(p.contexts));
    return {
      enter: input(struct({ valid: bit, context, bucket: uint(p.bucketBits), writes: bit })), leave: input(struct({ valid: bit, context })), start: source(context),
      inside: output(uint(p.contexts)),
    };
  },
  (io, p) => {
    const n = p.contexts, each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i)), none = constant(0, n);
    const inside = reg(uint(n), { init: 0 }), writes = reg(uint(n)), pending = reg(uint(n), { init: 0 });
    const buckets = reg(vec(uint(p.bucketBits), n));
    /** For each request those that it waits for. */
    const ahead = reg(vec(uint(n), n)), blocked = reg(uint(n));
    const entering = node(mux(io.enter.valid, decode(io.enter.context, n), none));
    const leaving = node(mux(io.leave.valid, decode(io.leave.context, n), none));
    inside.set(inside.and(leaving.not()).or(entering));

    const in_the_way = node(fromBits(each(i => {
      const meets = buckets.at(i).eq(io.enter.bucket).and(writes.bit(i).or(io.enter.writes));
      return inside.bit(i).and(leaving.bit(i).not()).and(meets);
    })));
    const left = each(i => node(ahead.at(i).and(leaving.not()), { name: `left_${i}` }));
    each(i => {
      when(entering.bit(i), () => { buckets.at(i).set(io.enter.bucket); });
      ahead.at(i).set(mux(entering.bit(i), in_the_way, left[i] as UInt));
    });
    blocked.set(fromBits(each(i => mux(entering.bit(i), in_the_way.any(), (left[i] as UInt).any()))));
    when(io.enter.valid, () => { writes.set(mux(io.enter.writes, writes.or(entering), writes.and(entering.not()))); });

    // Whoever waits for nobody, the one after the last first.
    const offered = reg(bit, { init: 0 }), offer = reg(uint(Math.log2(n))), last = reg(uint(n), { init: 1 });
    const ready = node(pending.and(blocked.not()));
    const after = node(ready.and(last.or(last.sub(1)).not()));
    const chosen = node(mux(after.any(), lowestSet(after), lowestSet(ready)));
    const room: Bit = offered.not().or(io.start.ready);
    const starting: UInt = node(mux(room, chosen, none));
    pending.set(pending.and(starting.not()).or(entering));
    when(room, () => {
      offered.set(ready.any());
      offer.set(encodeOnehot(chosen).is(Math.log2(n)));
      when(ready.any(), () => { last.set(chosen); });
    });
    io.start.valid.set(offered);
    io.start.payload.set(offer);
    io.inside.set(inside);

    assertAlways(entering.and(inside).any().not(), "a context enters when it is not inside");
    assertAlways(leaving.and(inside.not()).any().not(), "a context leaves when it is inside");
    assertAlways(leaving.and(pending).any().not(), "a context leaves when it has started");
    const clash = each(i => i).flatMap(i => each(k => k).filter(k => k > i).map(k => {
      const both = inside.bit(i).and(inside.bit(k)).and(pending.bit(i).not()).and(pending.bit(k).not());
      return both.and(buckets.at(i).eq(buckets.at(k))).and(writes.bit(i).or(writes.bit(k)));
    }));
    assertAlways(orTree(clash).not(), "whoever writes is alone in its bucket");
  },
  { nameOf: p => `KvOrder_c${p.contexts}_b${p.bucketBits}` });
