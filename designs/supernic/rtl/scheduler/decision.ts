import { input, instance, module, output, uint, vec } from "../../../../hdl-dsl/index.ts";
import { creditBits, type CreditParameters, CreditTable, RegionSlots } from "./credit-table.ts";
import { Choice, type PickParameters, PickTurn } from "./pick-turn.ts";
import { Candidate, Reserve, Starting } from "./reserve.ts";

export interface DecisionParameters extends PickParameters, CreditParameters {}

/**
 * A decision each cycle: whose turn it is, and with which credits it starts. Latency 4 from `ready` to `start`,
 * initiation interval 1. `found` is asked in the cycle of `choice`. A start counts in the next cycle in `found`, in the
 * credits and in the turns; in `ready` a cycle later. Limits stay while anybody waits. (Design: supernic-scheduler,
 * rules 1 and 3 to 5; paper §5.3.2.)
 */
export const Decision = module(
  "Decision",
  (p: DecisionParameters) => ({
    ready: input(vec(uint(p.users), p.regions * p.slots)),
    more: input(vec(uint(p.users), p.regions * p.slots)),
    waits: input(vec(uint(p.users), p.regions * p.slots)),
    busy: input(vec(uint(p.slots), p.regions)),
    choice: output(Choice(p)),
    found: input(vec(Candidate(p), 2)),
    start: output(Starting(p)),
    /** Credits, as `CreditTable` has them. */
    limits: input(vec(uint(creditBits(p)), p.regions * p.slots)),
    give: input(vec(uint(p.slots), p.regions)),
    refund: input(RegionSlots(p)),
    has: output(vec(uint(p.slots), p.regions)),
    /** What `has` will be in the next cycle. */
    next: output(vec(uint(p.slots), p.regions)),
    held: output(vec(uint(creditBits(p)), p.regions * p.slots)),
  }),
  (io, { regions, slots, users, credits }) => {
    const pick = instance("pick", PickTurn({ regions, slots, users })),
      reserve = instance("reserve", Reserve({ regions, slots, users })),
      table = instance("table", CreditTable({ regions, slots, credits }));
    for (let at = 0; at < regions * slots; at++) {
      pick.ready.at(at).set(io.ready.at(at));
      pick.more.at(at).set(io.more.at(at));
      pick.turns.at(at).set(reserve.turns.at(at));
      reserve.waits.at(at).set(io.waits.at(at));
      table.limits.at(at).set(io.limits.at(at));
    }
    pick.lacks.set(reserve.lacks);
    reserve.choice.set(pick.choice);
    reserve.due.set(pick.due);
    [0, 1].forEach(k => reserve.found.at(k).set(io.found.at(k)));
    for (let r = 0; r < regions; r++) {
      reserve.busy.at(r).set(io.busy.at(r));
      // What comes back in the cycle of the look-up is there when the choice is due.
      reserve.has.at(r).set(table.soon.at(r));
      reserve.hasTwo.at(r).set(table.soonTwo.at(r));
      table.give.at(r).set(io.give.at(r));
      io.has.at(r).set(table.has.at(r));
      io.next.at(r).set(table.next.at(r));
    }
    // No slots are taken when nobody starts: the credits need not wait for `valid`, which is late.
    const { region, slots: taken } = reserve.start;
    table.take.set({ valid: 1, region, slots: taken });
    table.refund.set(io.refund);
    io.choice.set(pick.choice);
    for (let at = 0; at < regions * slots; at++) io.held.at(at).set(table.held.at(at));
    io.start.set(reserve.start);
  },
);
