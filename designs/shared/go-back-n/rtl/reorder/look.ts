/** What is looked at, and its session. */
import { bit, cat, mux, node, ram, reg, struct, uint, type UInt, when } from "../../../../../hdl-dsl/index.ts";
import { lifeBits, Turn } from "../types.ts";
import type { Parts } from "./parts.ts";

/**
 * One that has waited for long comes first, by its slot: slots are looked at in turn. What is there for the second time
 * is asked for until it has gone.
 */
export function lookAt({ io, p, sizes, kept: waits, steps }: Parts) {
  const { slotBits, slotOf, patienceBits } = sizes,
    { taken, slot, kept, starting } = waits,
    { at, go } = steps;
  const clock = reg(uint(patienceBits - slotBits + 1), { init: 0 });
  const impatient = reg(bit, { init: 0 });
  const probe = reg(slotOf, { init: 0 });
  const probed = node(taken.readAsync(probe));
  const alternate = reg(bit, { init: 0 });
  const reply = io.reply.payload,
    named = io.named.payload;
  const namedFirst = node(io.named.valid.and(alternate.or(io.reply.valid.not())));
  const skips = node(io.control.valid.not().and(impatient).and(probed));
  const asked = node(io.control.valid.or(skips).or(io.named.valid).or(io.reply.valid));
  const session = node(
    mux(io.control.valid, io.control.payload.session, mux(namedFirst, named.turn.session, reply.turn.session)),
  );
  const op = reg(struct({ control: bit, open: bit, skip: bit, silent: bit, milestone: bit, reply: bit }));
  const turn = reg(Turn(p));
  const plain = node(io.control.valid.or(skips).not());
  when(at.select.and(starting.not()).and(asked), () => {
    op.set({
      control: io.control.valid,
      open: io.control.payload.open,
      skip: skips,
      silent: plain.and(namedFirst).and(named.silent),
      milestone: plain.and(namedFirst).and(named.silent.not()),
      reply: plain.and(namedFirst.not()),
    });
    const asks = mux(namedFirst, named.turn, reply.turn);
    turn.set({ session, life: asks.life, ticket: asks.ticket });
    slot.set(probe);
    alternate.set(namedFirst.not());
    at.select.set(0);
    at.look.set(skips);
    at.decide.set(skips.not());
  });
  when(at.look, () => {
    turn.set(kept.turn);
    go("look", "decide");
  });
  return {
    /** Time until the next slot is looked at; one that has waited is asked for, its slot, and that it is taken. */
    clock,
    impatient,
    probe,
    probed,
    reply,
    session,
    /** What is looked at: its kind and its turn. */
    op,
    turn,
  };
}
export type Look = ReturnType<typeof lookAt>;

/**
 * Its life, the ticket that is due, and who waits. Read in the cycle before, and again as long as it stands; what is
 * written is read in a later cycle.
 */
export function headOf({ p, sizes, kept: { kept }, steps: { at } }: Parts, { session, turn }: Look) {
  const { tickets, ticket, slotBits, slotOf, reachBits } = sizes;
  const heads = ram(struct({ life: uint(lifeBits), due: ticket, lane: slotOf, waits: uint(slotBits + 1) }), {
    depth: p.sessions,
    collision: "undefined",
    style: "block",
  });
  const was = heads.readSync(node(mux(at.select, session, mux(at.look, kept.turn.session, turn.session))));
  const gap = node<UInt>(turn.ticket.sub(was.due));
  const now = node(turn.life.eq(was.life)),
    due = node(now.and(turn.ticket.eq(was.due))),
    behind = node(now.and(gap.bit(tickets - 1)));
  const more = gap.bits(reachBits, tickets - 1 - reachBits);
  const far = node(now.and(gap.bit(tickets - 1).not()).and(more.any())),
    near = node(
      now.and(
        cat(due, gap.bit(tickets - 1), more.any())
          .any()
          .not(),
      ),
    ),
    lost = node(behind.and(more.all().not()));
  return {
    heads,
    was,
    /** It is of this life of the session. Then it is due, behind that, near or far ahead of it, or out of all order. */
    now,
    due,
    behind,
    near,
    far,
    lost,
  };
}
export type Head = ReturnType<typeof headOf>;
