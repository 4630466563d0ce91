import {
  bit,
  type Bit,
  constant,
  fromBits,
  input,
  module,
  node,
  onehotMux,
  orTree,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ctxBits, inlets, sizeBits, twoTurns, userClasses } from "../inside/index.ts";
import type { EgressParameters } from "./ports.ts";
import { ListOf, Picked } from "./records.ts";

const Entry = (p: EgressParameters) => struct({ ctx: uint(ctxBits(p)), size: uint(sizeBits) });
const sizeCount = 2 ** sizeBits;
/** Packets that are chosen for a port before `fits` shows the first of them. */
export const blindPicks = 2;

/** The list of one port and class. */
const listOf = (p: EgressParameters, at: string) => ({
  some: reg(bit, { init: 0, name: `some_${at}` }),
  head: reg(Entry(p), { name: `head_${at}` }),
  tail: reg(uint(ctxBits(p)), { name: `tail_${at}` }),
  open: reg(bit, { init: 0, name: `open_${at}` }),
  drops: reg(bit, { init: 0, name: `drops_${at}` }),
});
type List = ReturnType<typeof listOf>;

/** What was chosen for a port, a cycle later; and whether one may be chosen for it now, by its size. */
function portOf(p: EgressParameters, q: number, room: Bit, fits: readonly Bit[], smallAlone: boolean) {
  const chosen = reg(bit, { init: 0, name: `chosen_${q}` }),
    picked = reg(Entry(p), { name: `picked_${q}` }),
    of = reg(uint(userClasses), { name: `picked_class_${q}` }),
    dropped = reg(bit, { name: `picked_dropped_${q}` }),
    wasAny = reg(bit, { init: 0, name: `was_chosen_${q}` }),
    wasLarge = reg(bit, { init: 0, name: `was_large_${q}` });
  const frame = node(chosen.andNot(dropped), { name: `frame_for_${q}` }),
    large = node(frame.and(picked.size.any()), { name: `large_for_${q}` });
  wasAny.set(frame);
  wasLarge.set(large);
  const lets = fits.map((fit, size) => {
    const q1 = reg(bit, { init: 0, name: `fits_${q}_${size}_q` });
    q1.set(fit);
    const before = size === 0 && !smallAlone ? large.or(wasLarge) : frame.or(wasAny);
    return q1.and(room).andNot(before);
  });
  return { chosen, picked, of, dropped, lets: node(fromBits(lets), { name: `lets_${q}` }) };
}

/**
 * Packets that wait, in a list by port and class, linked by their contexts. A list that `open` has is served when its
 * first packet `fits` its port, round robin over ports and over the classes of each; one that `drops` has is served
 * too, and its packets are marked. Latency 2 from `push` to `picked`, initiation interval 1, of one list too; a packet
 * that is not of the smallest size follows another one of its port after 3 cycles. All contexts have room in each list,
 * so `push` is always taken. Nothing is picked while `stalls`, from the next cycle on. Reset: all lists are empty.
 */
export const Lists = module(
  "Lists",
  (p: EgressParameters & { readonly smallAlone: boolean }) => ({
    push: input(struct({ valid: bit, ctx: uint(ctxBits(p)), list: ListOf(p), size: uint(sizeBits) })),
    /** By size, ports that have room for one more; of the smallest for `blindPicks` more. */
    fits: input(vec(uint(inlets(p)), sizeCount)),
    /** Ports that have room now; by port, classes that are not paused. */
    room: input(uint(inlets(p))),
    open: input(vec(uint(userClasses), inlets(p))),
    drops: input(vec(uint(userClasses), inlets(p))),
    stalls: input(bit),
    picked: output(struct({ valid: bit, packet: Picked(p) })),
  }),
  (io, p) => {
    const n = inlets(p),
      { push } = io;
    const goes = reg(bit, { init: 0, name: "goes" });
    goes.set(io.stalls.not());
    const fitsOf = (q: number): readonly Bit[] => Array.from({ length: sizeCount }, (_, s) => io.fits.at(s).bit(q));
    const ports = Array.from({ length: n }, (_, q) => portOf(p, q, io.room.bit(q), fitsOf(q), p.smallAlone)),
      lists = ports.map((_, q) => Array.from({ length: userClasses }, (_x, k) => listOf(p, `${q}_${k}`)));
    const asks = (l: List, q: number, k: number): Bit => {
      l.open.set(io.open.at(q).bit(k));
      l.drops.set(io.drops.at(q).bit(k));
      const lets = ports[q]?.lets.shr(l.head.size).bit(0) ?? l.open;
      return node(l.some.and(goes).and(l.drops.or(l.open.and(lets))), { name: `asks_${q}_${k}` });
    };
    const turn = twoTurns(
      "list",
      lists.map((row, q) => row.map((l, k) => asks(l, q, k))),
    );

    // Which one is behind: by the tail of the list that gets one more. Each port has a copy to read of its own.
    const tails = lists.map(row => {
      const classes = row.map((_, k) => push.list.class.bit(k));
      return onehotMux(
        classes,
        row.map(l => l.tail),
      );
    });
    const tail = onehotMux(
        tails.map((_, q) => push.list.port.bit(q)),
        tails,
      ),
      entry = { ctx: push.ctx, size: push.size };
    ports.forEach((port, q) => {
      const next = ram(Entry(p), { depth: p.contexts, collision: "undefined", style: "distributed", name: `next_${q}` }),
        mine = node(push.valid.and(push.list.port.bit(q)), { name: `push_${q}` });
      const row = lists[q] ?? [],
        some = row.map((l, k) => l.some.and(push.list.class.bit(k)));
      // The tail of a list that is empty may be in another one by now.
      next.write(mine.and(orTree(some)), tail, entry);
      const members = turn.members[q] ?? [],
        group = turn.groups[q] ?? constant(0, 1);
      const head = onehotMux(
          members,
          row.map(l => l.head),
        ),
        behind = next.readAsync(head.ctx);
      row.forEach((l, k) => {
        const pops = node(group.and(members[k] ?? constant(0, 1)), { name: `pop_${q}_${k}` }),
          pushed = node(mine.and(push.list.class.bit(k)), { name: `push_${q}_${k}` }),
          single = l.head.ctx.eq(l.tail);
        const empties = node(pops.and(single), { name: `empties_${q}_${k}` });
        l.some.set(pushed.or(l.some.andNot(empties)));
        when(pushed.and(empties.or(l.some.not())), () => l.head.set(entry)).elseWhen(pops, () => l.head.set(behind));
        when(pushed, () => l.tail.set(push.ctx));
      });
      port.chosen.set(group);
      port.picked.set(head);
      port.of.set(fromBits(members).is(userClasses));
      port.dropped.set(
        onehotMux(
          members,
          row.map(l => l.drops),
        ),
      );
    });

    const picks = ports.map(port => port.chosen),
      one = <V extends UInt | Bit>(f: (port: (typeof ports)[number]) => V): V =>
        onehotMux(picks, ports.map(f)) as unknown as V;
    const port = fromBits(picks).is(n);
    io.picked.set({
      valid: port.any(),
      packet: {
        ctx: one(c => c.picked.ctx),
        list: { port, class: one(c => c.of) },
        size: one(c => c.picked.size),
        dropped: one(c => c.dropped),
      },
    });
  },
  { nameOf: p => `Lists_p${p.ports}_c${p.contexts}${p.smallAlone ? "_alone" : ""}` },
);
