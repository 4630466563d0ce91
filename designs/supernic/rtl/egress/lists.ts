import {
  bit,
  type Bit,
  constant,
  fromBits,
  input,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  pack,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  unpack,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../shared/frame/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";
import { ctxBits, inlets, sizeBits, userClasses } from "../inside/index.ts";
import { classTurn } from "./class-turn.ts";
import type { EgressParameters } from "./ports.ts";
import { ListOf, Picked } from "./records.ts";
import { urgencyOf } from "./urgency.ts";

const Entry = (p: EgressParameters) => struct({ ctx: uint(ctxBits(p)), size: uint(sizeBits) });
const sizeCount = 2 ** sizeBits;
/** Packets that are chosen for a port before `fits` shows the first of them. */
export const blindPicks = 2;

/** The list of one port and class. */
const listOf = (p: EgressParameters, at: string) => ({
  some: reg(bit, { init: 0, name: `some_${at}` }),
  head: reg(Entry(p), { name: `head_${at}` }),
  tail: reg(uint(ctxBits(p)), { name: `tail_${at}` }),
  drops: reg(bit, { init: 0, name: `drops_${at}` }),
  /** It is open, or drops. */
  leaves: reg(bit, { init: 0, name: `leaves_${at}` }),
  /** So it is, and no urgent class holds it. */
  serves: reg(bit, { init: 0, name: `serves_${at}` }),
  /** It is open, and does not drop. */
  lets: reg(bit, { init: 0, name: `lets_${at}` }),
});

/** The packet of a port that is next, if there is one. */
const nextOf = (p: EgressParameters, q: number) => ({
  valid: reg(bit, { init: 0, name: `next_valid_${q}` }),
  entry: reg(Entry(p), { name: `next_entry_${q}` }),
  of: reg(uint(userClasses), { name: `next_class_${q}` }),
  dropped: reg(bit, { name: `next_dropped_${q}` }),
});
type Next = ReturnType<typeof nextOf>;

/** What goes to a port in this cycle: its next packet, or one that passes the lists. */
interface Before {
  readonly served: Bit;
  readonly passes: Bit;
  readonly isLarge: Bit;
}
/** Whether the next packet of a port may go, by its size and by what went before it. */
function mayGo(q: number, next: Next, before: Before, fits: readonly Bit[], smallAlone: boolean): Bit {
  const isLarge = node(next.entry.size.any(), { name: `is_large_${q}` });
  // Whether it was so in one of the two cycles before: of these only the younger is wanted by itself.
  const was = (name: string, value: Bit): Bit => {
    const one = reg(bit, { init: 0, name: `${name}_${q}_1` }),
      either = reg(bit, { init: 0, name: `${name}_${q}` });
    one.set(value);
    either.set(value.or(one));
    return either;
  };
  const frame = node(before.served.andNot(next.dropped), { name: `frame_for_${q}` }),
    any = was("any_before", frame.or(before.passes)),
    large = was("large_before", frame.and(isLarge).or(before.passes.and(before.isLarge)));
  const seen = fits.map((fit, size) => {
      const last = reg(bit, { init: 0, name: `fits_${q}_${size}` });
      last.set(fit);
      return last;
    }),
    behind = node(smallAlone ? any : mux(isLarge, any, large), { name: `behind_${q}` });
  return node(pickOf(next.entry.size, seen).bit(0).andNot(behind), { name: `may_go_${q}` });
}

/** Lists of a port that have something to leave, and those of them that are served. */
function askedOf(
  q: number,
  row: readonly ReturnType<typeof listOf>[],
  said: { readonly open: UInt; readonly drops: UInt; readonly urgent: UInt },
  next: Next,
  loads: Bit,
): { readonly waits: readonly Bit[]; readonly asks: readonly Bit[]; readonly held: Bit } {
  const waits = row.map((l, k) => node(l.some.and(l.leaves), { name: `waits_${q}_${k}` })),
    loaded = reg(bit, { init: 0, name: `loaded_${q}` }),
    { mayServe, held } = urgencyOf(`urgent_${q}`, said.urgent, { waits, loaded, of: next.of });
  const asks = row.map((l, k) => {
    const [open, drops] = [said.open.bit(k), said.drops.bit(k)],
      leaves = open.or(drops);
    l.drops.set(drops);
    l.leaves.set(leaves);
    l.serves.set(leaves.and(mayServe[k] ?? leaves));
    l.lets.set(open.andNot(drops));
    return node(l.some.and(l.serves), { name: `asks_${q}_${k}` });
  });
  loaded.set(loads.and(orTree(asks)));
  return { waits, asks, held };
}

/** The packet whose turn it is, in the cycle behind. */
function pickedOf(p: EgressParameters, turn: readonly Bit[], nexts: readonly ReturnType<typeof nextOf>[]) {
  const picked = reg(struct({ valid: bit, packet: Picked(p) }), { init: { valid: 0 }, name: "picked_q" }),
    entryOf = onehotMux(
      turn,
      nexts.map(next => next.entry),
    ),
    classOf = onehotMux(
      turn,
      nexts.map(next => next.of),
    ),
    droppedOf = onehotMux(
      turn,
      nexts.map(next => next.dropped),
    );
  picked.set({
    valid: orTree(turn),
    packet: {
      ctx: entryOf.ctx,
      list: { port: fromBits(turn).is(inlets(p)), class: classOf },
      size: entryOf.size,
      dropped: droppedOf,
    },
  });
  return picked;
}

/**
 * Packets that wait, in a list by port and class, linked by their contexts. Of each port's lists that `open` has, one
 * is served in turn: its first packet is the port's next. A port's next packet is picked when it `fits` and the port
 * has `room`, round robin; it is, even if its class is no longer open. A list that `drops` has is served too, and its
 * packets are marked. Latency 3 from `push` to `picked`, initiation interval 1, of one list too; a packet that is not
 * of the smallest size follows another one of its port after 3 cycles. All contexts have room in each list, so `push`
 * is always taken. Nothing is picked while `stalls`, from the next cycle on. Of a port's lists that of the class
 * `urgent` goes first, as `urgencyOf` says.
 *
 * A packet that `mayPass` and `couldPass` does not come into its list, and passes at once. It could when it would be
 * picked next all the same: nothing of its port waits or has just been picked, its class is open, and it fits. That it
 * may is known late, so who asks joins both. Reset: all lists are empty.
 */
export const Lists = module(
  "Lists",
  (p: EgressParameters & { readonly smallAlone: boolean }) => ({
    push: input(struct({ valid: bit, mayPass: bit, ctx: uint(ctxBits(p)), list: ListOf(p), size: uint(sizeBits) })),
    couldPass: output(bit),
    /** By size, ports that have room for one more; of the smallest for `blindPicks` more. */
    fits: input(vec(uint(inlets(p)), sizeCount)),
    /** Ports that have room now; by port, classes that are not paused. */
    room: input(uint(inlets(p))),
    open: input(vec(uint(userClasses), inlets(p))),
    drops: input(vec(uint(userClasses), inlets(p))),
    /** The bit of the class that goes first, or none. */
    urgent: input(uint(userClasses)),
    stalls: input(bit),
    picked: output(struct({ valid: bit, packet: Picked(p) })),
  }),
  (io, p) => {
    const n = inlets(p),
      { push } = io;
    const goes = reg(bit, { init: 0, name: "goes" });
    goes.set(io.stalls.not());
    const nexts = Array.from({ length: n }, (_, q) => nextOf(p, q)),
      lists = nexts.map((_, q) => Array.from({ length: userClasses }, (_x, k) => listOf(p, `${q}_${k}`)));

    // Whose turn it is of the ports.
    const fitsOf = (q: number): readonly Bit[] => Array.from({ length: sizeCount }, (_, s) => io.fits.at(s).bit(q));
    const served = nexts.map((_, q) => wire(bit, { name: `served_${q}` })),
      couldPass = nexts.map((_, q) => wire(bit, { name: `could_pass_${q}` })),
      passes = couldPass.map(could => could.and(push.mayPass)),
      couldAny = node(orTree(couldPass), { name: "could_pass_any" }),
      pushes = node(push.valid.andNot(couldAny.and(push.mayPass)), { name: "pushes" });
    io.couldPass.set(couldAny);
    const turn = fairTurn(
      "port",
      nexts.map((next, q) => {
        const fits = mayGo(
          q,
          next,
          { served: served[q] ?? goes, passes: passes[q] ?? goes, isLarge: push.size.any() },
          fitsOf(q),
          p.smallAlone,
        );
        return node(next.valid.and(goes).and(next.dropped.or(fits.and(io.room.bit(q)))), { name: `asks_${q}` });
      }),
    );
    served.forEach((s, q) => s.set(turn[q] ?? goes));
    const picked = pickedOf(p, turn, nexts);
    io.picked.set(picked);

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
    nexts.forEach((next, q) => {
      const links = ram(Entry(p), {
          depth: p.contexts,
          collision: "undefined",
          style: "distributed",
          name: `links_${q}`,
        }),
        mine = node(pushes.and(push.list.port.bit(q)), { name: `push_${q}` }),
        row = lists[q] ?? [],
        some = row.map((l, k) => l.some.and(push.list.class.bit(k)));
      // The tail of a list that is empty may be in another one by now.
      links.write(mine.and(orTree(some)), tail, entry);
      const loads = node(next.valid.not().or(served[q] ?? goes), { name: `loads_${q}` });
      const { waits, asks, held } = askedOf(
        q,
        row,
        { open: io.open.at(q), drops: io.drops.at(q), urgent: io.urgent },
        next,
        loads,
      );
      const isFree = row.map((l, k) => push.list.class.bit(k).and(l.lets).andNot(l.some)),
        isQuiet = node(next.valid.or(orTree(waits)).or(picked.valid).not(), { name: `is_quiet_${q}` }),
        fits = node(pickOf(push.size, fitsOf(q)).bit(0).and(io.room.bit(q)), { name: `has_room_${q}` });
      couldPass[q]?.set(push.valid.and(push.list.port.bit(q)).and(isQuiet).and(fits).and(orTree(isFree)));
      // By the number of the class: a lookup table for each bit of the head, on the way to the links.
      const { members, number } = classTurn(`class_${q}`, asks, loads, held),
        head = unpack(
          Entry(p),
          pickOf(
            number,
            row.map(l => pack(l.head)),
          ),
        ),
        behind = links.readAsync(head.ctx);
      row.forEach((l, k) => {
        const pops = node(loads.and(members[k] ?? constant(0, 1)), { name: `pop_${q}_${k}` }),
          pushed = node(mine.and(push.list.class.bit(k)), { name: `push_${q}_${k}` }),
          single = l.head.ctx.eq(l.tail);
        const empties = node(pops.and(single), { name: `empties_${q}_${k}` });
        l.some.set(pushed.or(l.some.andNot(empties)));
        when(pushed.and(empties.or(l.some.not())), () => l.head.set(entry)).elseWhen(pops, () => l.head.set(behind));
        when(pushed, () => l.tail.set(push.ctx));
      });
      when(loads, () => {
        next.valid.set(orTree(asks));
        next.entry.set(head);
        next.of.set(fromBits(members).is(userClasses));
        next.dropped.set(
          onehotMux(
            members,
            row.map(l => l.drops),
          ),
        );
      });
    });
  },
  { nameOf: p => `Lists_p${p.ports}_c${p.contexts}${p.smallAlone ? "_alone" : ""}` },
);
