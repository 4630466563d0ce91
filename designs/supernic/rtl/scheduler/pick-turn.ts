import {
  addressBits,
  bit,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  reg,
  repeat,
  struct,
  type UInt,
  uint,
  type UIntShape,
  vec,
  type VecVal,
  when,
} from "../../../../hdl-dsl/index.ts";
import { type Counted, nextInTurn, nextNumber, numbersAbove, numbersOf, twoHalves, twoOf } from "./turn.ts";

export interface PickParameters {
  readonly regions: number;
  /** Places for tasks in a region. */
  readonly slots: number;
  readonly users: number;
}
const places = (p: PickParameters): number => p.regions * p.slots;
const userOf = (p: PickParameters) => uint(addressBits(p.users));

/** A user whose turn it is, and the slot that it waits for. */
export const Choice = (p: PickParameters) =>
  struct({ valid: bit, region: uint(addressBits(p.regions)), slot: uint(addressBits(p.slots)), user: userOf(p) });
/**
 * Whose turn it is: round robin over the slots of all regions for which somebody may start, then over that slot's users
 * from behind the slot's last. A choice is `choice`, and a cycle later `due`: then it starts, or lacks something, or is
 * gone. Latency 3 from `ready` to `choice`, 4 to `due`; initiation interval 1. Nothing waits. (Design:
 * supernic-scheduler, rule 5; paper §5.3.2.)
 *
 * Up to five choices of a slot are under way. Each is made behind the user of the one before it. Only a start moves
 * the slot's turn. So when a choice lacks something, those of its slot behind it are taken back: the turn is still its
 * own. A slot with one candidate is not chosen again until that one is settled, or three cycles after: the decisions
 * would be others'.
 *
 * In the cycle behind `due`, `turns` must show what has started, and `lacks` must tell; `ready` a cycle later. Reset:
 * nothing is chosen.
 */
export const PickTurn = module(
  "PickTurn",
  (p: PickParameters) => ({
    /** Users with a candidate that may start, by the region and the slot that it waits for. */
    ready: input(vec(uint(p.users), places(p))),
    /** Of them, users with another candidate behind it. */
    more: input(vec(uint(p.users), places(p))),
    choice: output(Choice(p)),
    due: output(Choice(p)),
    /** What was due in the cycle before is there and cannot start. */
    lacks: input(bit),
    /** By slot, whose turn it was last: it is the next user's now. */
    turns: input(vec(userOf(p), places(p))),
  }),
  (io, p) => {
    const n = places(p),
      user = userOf(p);
    // Where a choice is, of the slots of all regions a bit each; no bit: there is none.
    const pickedAt = reg(uint(n), { init: 0, name: "picked_at" }),
      chosenAt = reg(uint(n), { init: 0, name: "chosen_at" }),
      dueAt = reg(uint(n), { init: 0, name: "due_at" }),
      wasDueAt = reg(uint(n), { init: 0, name: "was_due_at" }),
      wereAt = reg(uint(n), { init: 0, name: "were_at" }),
      lackedAt = reg(uint(n), { init: 0, name: "lacked_at" });
    const chosen = reg(Choice(p), { init: { valid: 0 }, name: "chosen" }),
      due = reg(Choice(p), { init: { valid: 0 }, name: "due_now" });
    const lacksAt = node(wasDueAt.and(repeat(io.lacks, n)), { name: "lacks_at" });
    wereAt.set(pickedAt.or(chosenAt).or(dueAt).or(wasDueAt));
    lackedAt.set(lacksAt);

    // First stage: the next slot of those for which there is more than what is under way, and what its users need.
    const asks = asking(p, io, node(pickedAt.or(wereAt), { name: "under_way" }));
    const behind = reg(uint(n), { init: 0, name: "slots_behind" }),
      slot = nextInTurn("slot", asks.places, behind);
    when(slot.any, () => behind.set(slot.behind));
    pickedAt.set(slot.first);
    const lastChosen = io.turns
      .toArray()
      .map((l, i) => mux(chosenAt.bit(i), chosen.user, mux(dueAt.bit(i), due.user, l)));
    const users = reg(uint(p.users), { name: "users", mayBeUnread: true }),
      lastUser = reg(user, { name: "last_user", mayBeUnread: true }),
      again = reg(bit, { name: "again", mayBeUnread: true });
    users.set(slot.of(asks.users));
    lastUser.set(slot.of(lastChosen));
    // It comes twice in a row only if nobody else asks, and counts if the one ahead was not taken back.
    const kept = node(pickedAt.and(lacksAt.or(lackedAt)).any().not(), { name: "is_kept" }),
      isChosen = node(pickedAt.any().and(kept), { name: "is_chosen" });
    again.set(asks.places.and(pickedAt).any().andNot(asks.places.andNot(pickedAt).any()).and(isChosen));

    // Second stage: the next user, behind the one of the choice just ahead when that is for the same slot.
    const after = node(mux(again, chosen.user, lastUser), { name: "after_user", mayBeUnread: true }),
      who = nextNumber("user", users, numbersAbove(after, p.users));
    chosenAt.set(pickedAt.and(repeat(kept, n)));
    chosen.set({
      valid: isChosen,
      ...numbersOf(pickedAt, p.slots),
      user: who,
    });

    // Third and fourth: its queues are looked up, and it starts or not. What it lacks is known a cycle later. Whether
    // what is due is for the slot of the one in front of it is found a cycle before: it is a long path.
    const behindSame = reg(bit, { init: 0, name: "behind_same" }),
      chosenStays = node(chosenAt.and(lacksAt).any().not(), { name: "chosen_stays" }),
      dueStays = node(behindSame.and(io.lacks).not(), { name: "due_stays" });
    behindSame.set(chosenAt.and(dueAt).any().and(dueStays));
    dueAt.set(chosenAt.and(repeat(chosenStays, n)));
    due.set({ ...chosen, valid: chosen.valid.and(chosenStays) });
    wasDueAt.set(dueAt.and(repeat(dueStays, n)));

    io.choice.set(chosen);
    io.due.set({ ...due, valid: due.valid.and(dueStays) });
  },
);

/**
 * Slots that may be chosen, and their users, a cycle behind the ports. Users are counted by halves: it is a long path.
 */
function asking(
  p: PickParameters,
  io: { readonly ready: VecVal<UIntShape>; readonly more: VecVal<UIntShape> },
  underWay: UInt,
) {
  const half = Math.ceil(p.users / 2),
    halves = [
      { from: 0, count: half },
      { from: half, count: p.users - half },
    ].filter(h => h.count > 0);
  const all = Array.from({ length: places(p) }, (_, i) => {
    const now = io.ready.at(i),
      users = reg(uint(p.users), { init: 0, name: `ready_${i}_q` });
    users.set(now);
    const counted = halves.map(({ from, count }, h): Counted => {
      const some = now.bits(from, count),
        any = reg(bit, { init: 0, name: `any_${i}_${h}` }),
        two = reg(bit, { init: 0, name: `two_${i}_${h}` });
      any.set(some.any());
      two.set(twoOf(some, io.more.at(i).bits(from, count)));
      return { any, two };
    });
    const sum = counted.reduce(twoHalves);
    return { users, asks: sum.any.and(sum.two.or(underWay.bit(i).not())) };
  });
  return { places: node(fromBits(all.map(a => a.asks)), { name: "asking" }), users: all.map(a => a.users) };
}
