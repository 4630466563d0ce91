import {
  bit,
  type Bit,
  constant,
  fromBits,
  input,
  module,
  node,
  onehotMux,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { ctxBits, inlets, twoTurns, userClasses } from "../inside/index.ts";
import type { EgressParameters } from "./ports.ts";
import { ListOf, Picked } from "./records.ts";

/**
 * Packets that wait, in a list by port and class, linked by their contexts. A list that `open` has is served, round
 * robin over ports and over the classes of each; one that `drops` has is served too, and its packets are marked.
 * Latency 2 from `push` to `picked`, initiation interval 1: of one list too. All contexts have room in each list, so
 * `push` is always taken. Nothing is picked while `stalls`, from the next cycle on. Reset: all lists are empty.
 */
export const Lists = module(
  "Lists",
  (p: EgressParameters) => ({
    push: input(struct({ valid: bit, ctx: uint(ctxBits(p)), list: ListOf(p) })),
    open: input(vec(uint(userClasses), inlets(p))),
    drops: input(vec(uint(userClasses), inlets(p))),
    stalls: input(bit),
    picked: output(struct({ valid: bit, packet: Picked(p) })),
  }),
  (io, p) => {
    const ctx = uint(ctxBits(p)),
      n = inlets(p),
      { push } = io;
    const goes = reg(bit, { init: 0, name: "goes" });
    goes.set(io.stalls.not());

    const lists = Array.from({ length: n }, (_, q) =>
      Array.from({ length: userClasses }, (_x, k) => {
        const at = `${q}_${k}`;
        return {
          some: reg(bit, { init: 0, name: `some_${at}` }),
          head: reg(ctx, { name: `head_${at}` }),
          tail: reg(ctx, { name: `tail_${at}` }),
          open: reg(bit, { init: 0, name: `open_${at}` }),
          drops: reg(bit, { init: 0, name: `drops_${at}` }),
        };
      }),
    );
    const turn = twoTurns(
      "list",
      lists.map((row, q) =>
        row.map((l, k) => {
          l.open.set(io.open.at(q).bit(k));
          l.drops.set(io.drops.at(q).bit(k));
          return node(l.some.and(l.open.or(l.drops)).and(goes), { name: `asks_${q}_${k}` });
        }),
      ),
    );

    // Which one is behind: by the tail of the list that gets one more. Each port has a copy to read of its own.
    const pushes = lists.map((row, q) =>
      row.map((_, k) =>
        node(push.valid.and(push.list.port.bit(q)).and(push.list.class.bit(k)), { name: `push_${q}_${k}` }),
      ),
    );
    const tails = lists.map((row, q) => ({
        q,
        tail: onehotMux(
          row.map((_, k) => push.list.class.bit(k)),
          row.map(l => l.tail),
        ),
      })),
      tail = onehotMux(
        tails.map(({ q }) => push.list.port.bit(q)),
        tails.map(t => t.tail),
      );
    const chosen = reg(uint(n), { init: 0, name: "chosen" });
    chosen.set(fromBits(turn.groups).is(n));
    const candidates = lists.map((row, q) => {
      const next = ram(ctx, { depth: p.contexts, collision: "undefined", style: "distributed", name: `next_${q}` });
      next.write(push.valid.and(push.list.port.bit(q)), tail, push.ctx);
      const members = turn.members[q] ?? [],
        group = turn.groups[q] ?? constant(0, 1),
        head = node(
          onehotMux(
            members,
            row.map(l => l.head),
          ),
          { name: `head_${q}` },
        ),
        behind = next.readAsync(head);
      row.forEach((l, k) => {
        const pops = node(group.and(members[k] ?? constant(0, 1)), { name: `pop_${q}_${k}` }),
          pushed = pushes[q]?.[k] ?? constant(0, 1),
          single = node(l.head.eq(l.tail), { name: `single_${q}_${k}` });
        const empties = node(pops.and(single), { name: `empties_${q}_${k}` });
        l.some.set(pushed.or(l.some.andNot(empties)));
        when(pushed.and(empties.or(l.some.not())), () => l.head.set(push.ctx)).elseWhen(pops, () => l.head.set(behind));
        when(pushed, () => l.tail.set(push.ctx));
      });
      const picked = reg(ctx, { name: `picked_${q}` }),
        of = reg(uint(userClasses), { name: `picked_class_${q}` }),
        dropped = reg(bit, { name: `picked_dropped_${q}` });
      picked.set(head);
      of.set(fromBits(members).is(userClasses));
      dropped.set(
        onehotMux(
          members,
          row.map(l => l.drops),
        ),
      );
      return { picked, of, dropped };
    });
    const picks = candidates.map((_, q) => chosen.bit(q)),
      one = <V extends UInt | Bit>(f: (c: (typeof candidates)[number]) => V): V =>
        onehotMux(picks, candidates.map(f)) as unknown as V;
    io.picked.set({
      valid: chosen.any(),
      packet: { ctx: one(c => c.picked), list: { port: chosen, class: one(c => c.of) }, dropped: one(c => c.dropped) },
    });
  },
  { nameOf: p => `Lists_p${p.ports}_c${p.contexts}` },
);
