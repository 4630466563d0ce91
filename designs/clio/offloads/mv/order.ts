import {
  assertAlways, bit, encodeOnehot, fromBits, input, lowestSet, module, mux, node, orTree, reg, sink, source, struct, uint, vec, when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits } from "./types.ts";

export interface OrderParameters { readonly contexts: number }

/** A request that comes into the order. Free ones (`keyed` 0) touch no object; `lists`: they change which objects there are. */
export const Entering = (p: OrderParameters) => struct({ context: uint(contextBits(p)), object: uint(32), keyed: bit, writes: bit, lists: bit });
export const Leaving = (p: OrderParameters) => struct({ valid: bit, context: uint(contextBits(p)) });

/**
 * The order of requests: one that writes an object waits for all that came before it to the same object, one that reads it for those that write it; one that creates or deletes waits for
 * those that do. All others overlap. Each context has a row of those that it waits for, taken when it comes and cleared one by one as they leave, so nobody waits for one that came later.
 *
 * Latency: 2 cycles from `enter` to `start`, 2 from the `leave` that it waited for. Initiation interval 1. Among those that may start it goes round. Never full: a context is in it once. Reset: empty.
 */
export const MvOrder = module("MvOrder",
  (p: OrderParameters) => ({ enter: sink(Entering(p)), leave: input(Leaving(p)), start: source(uint(contextBits(p))) }),
  (io, p) => {
    const n = p.contexts, each = <T>(f: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => f(i)), none = each(() => 0);
    const present = reg(vec(bit, n), { init: none });
    const waiting = reg(vec(bit, n), { init: none });
    const objects = reg(vec(uint(32), n));
    const keyed = reg(vec(bit, n));
    const writes = reg(vec(bit, n));
    const lists = reg(vec(bit, n));
    const rows = reg(vec(uint(n), n));

    io.enter.ready.set(1);
    const e = io.enter.payload, comes = node(io.enter.valid), l = io.leave;
    const leaves = node(fromBits(each(i => l.valid.and(l.context.eq(i)))));
    const before = node(fromBits(each(i => {
      const same = keyed.at(i).and(e.keyed).and(objects.at(i).eq(e.object)).and(writes.at(i).or(e.writes));
      return present.at(i).and(leaves.bit(i).not()).and(same.or(lists.at(i).and(e.lists)));
    })));

    // What may start: the one behind the last that did comes first.
    const free = node(fromBits(each(i => waiting.at(i).and(rows.at(i).eq(0)))));
    const started = reg(uint(n), { init: 1 });
    const after = node(free.and(started.or(started.sub(1)).not()));
    const choice = node(mux(after.any(), lowestSet(after), lowestSet(free)));
    const out_valid = reg(bit, { init: 0 });
    const out = reg(uint(contextBits(p)));
    const picks = node(out_valid.not().or(io.start.ready).and(free.any()));
    when(out_valid.not().or(io.start.ready), () => { out_valid.set(free.any()); });
    when(picks, () => { out.set(encodeOnehot(choice)); started.set(choice); });
    io.start.valid.set(out_valid);
    io.start.payload.set(out);

    each(i => {
      rows.at(i).set(rows.at(i).and(leaves.not()));
      when(leaves.bit(i), () => { present.at(i).set(0); });
      when(picks.and(choice.bit(i)), () => { waiting.at(i).set(0); });
      when(comes.and(e.context.eq(i)), () => {
        present.at(i).set(1);
        waiting.at(i).set(1);
        objects.at(i).set(e.object);
        keyed.at(i).set(e.keyed);
        writes.at(i).set(e.writes);
        lists.at(i).set(e.lists);
        rows.at(i).set(before);
      });
    });
    assertAlways(comes.not().or(orTree(each(i => e.context.eq(i).and(present.at(i)))).not()), "a context comes once");
    assertAlways(l.valid.not().or(orTree(each(i => l.context.eq(i).and(present.at(i)).and(waiting.at(i).not())))), "who leaves has started");
    for (let i = 0; i < n; i++) for (let k = 0; k < i; k++) {
      const meet = present.at(i).and(waiting.at(i).not()).and(present.at(k)).and(waiting.at(k).not());
      const clash = keyed.at(i).and(keyed.at(k)).and(objects.at(i).eq(objects.at(k))).and(writes.at(i).or(writes.at(k))).or(lists.at(i).and(lists.at(k)));
      assertAlways(meet.and(clash).not(), `contexts ${k} and ${i} are not under way together when they clash`);
    }
  },
  { nameOf: p => `MvOrder_c${p.contexts}` });
