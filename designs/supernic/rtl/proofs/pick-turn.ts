/**
 * Whose turn it is: nobody starts twice while another one waits, and no slot is passed over. So a user that waits has
 * its turn within as many credits of its slot as there are users, and each of them is decided on soon.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  past,
  type Proof,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { PickTurn } from "../scheduler/index.ts";

const SLOTS = 2,
  USERS = 3,
  /** Cycles from being ready to being known to every choice that is not settled yet. */
  KNOWN = 7,
  /** Cycles in which a slot is chosen that has somebody, and nothing under way. */
  LONGEST = SLOTS + 4,
  /** Decisions from one for a slot at which somebody waits to the next one for it. */
  APART = SLOTS + 6,
  COUNT = 4;

/** For how many cycles something has been so, up to `most`. */
function cyclesOf(name: string, is: Bit, most: number) {
  const n = reg(uint(COUNT), { init: 0, name });
  n.set(mux(is, mux(n.eq(most), n, n.add(1)), constant(0, COUNT)));
  return n;
}
/** What has happened once while it was watched: `again` is the second time. */
function once(name: string, happens: Bit, forgets: Bit): { readonly again: Bit } {
  const seen = reg(bit, { init: 0, name });
  when(forgets, () => seen.set(0)).elseWhen(happens, () => seen.set(1));
  return { again: happens.and(seen).andNot(forgets) };
}

const harness = module(
  "PickTurnProof",
  () => ({
    ready0: input(uint(USERS)),
    ready1: input(uint(USERS)),
    more0: input(uint(USERS)),
    more1: input(uint(USERS)),
    /** What becomes of what is due. */
    settled: input(struct({ started: bit, lacks: bit })),
  }),
  io => {
    const dut = instance("dut", PickTurn({ regions: 1, slots: SLOTS, users: USERS })),
      ready = [io.ready0, io.ready1] as const,
      { due, choice } = dut;
    [io.more0, io.more1].forEach((m, s) => dut.more.at(s).set(m));
    ready.forEach((r, s) => dut.ready.at(s).set(r));
    dut.lacks.set(past(due.valid.and(io.settled.lacks), 1, { name: "lacked" }));
    const turns = Array.from({ length: SLOTS }, (_, s) => reg(uint(2), { init: USERS - 1, name: `turn_${s}` }));
    turns.forEach((t, s) => {
      when(due.valid.and(io.settled.started).and(due.slot.eq(s)), () => t.set(due.user));
      dut.turns.at(s).set(t);
    });
    assumeAlways(io.settled.started.and(io.settled.lacks).not(), "what starts lacks nothing");

    for (const [s, users] of ready.entries()) {
      const dueHere = node(due.valid.and(due.slot.eq(s)), { name: `due_${s}` }),
        chosenHere = node(choice.valid.and(choice.slot.eq(s)), { name: `chosen_${s}` });
      const starts = Array.from({ length: USERS }, (_, u) =>
        node(dueHere.and(io.settled.started).and(due.user.eq(u)), { name: `starts_${s}_${u}` }),
      );
      for (let u = 0; u < USERS; u++) {
        const mine = `user ${u} of slot ${s}`,
          isDue = dueHere.and(due.user.eq(u)),
          waits = cyclesOf(`waits_${s}_${u}`, users.bit(u), KNOWN).eq(KNOWN).and(users.bit(u));
        const unseen = past(starts[u] as Bit, 1, { name: `started_${s}_${u}` });
        // `ready` shows a start two cycles behind it.
        assumeAlways(
          isDue.and(users.bit(u)).not().or(io.settled.started).or(io.settled.lacks).or(unseen),
          `a candidate that is ready is there (${s}, ${u})`,
        );
        assertAlways(
          chosenHere
            .and(choice.user.eq(u))
            .not()
            .or(past(users.bit(u), 3, { name: `was_ready_${s}_${u}` })),
          `${mine} is chosen because it was ready`,
        );
        const others = reg(uint(COUNT), { init: 0, name: `credits_${s}_${u}` }),
          byOthers = node(dueHere.and(io.settled.started).andNot(starts[u] as Bit), { name: `others_${s}_${u}` });
        when(waits.not().or(starts[u] as Bit), () => others.set(0)).elseWhen(byOthers, () => others.set(others.add(1)));
        assertAlways(others.lt(USERS), `${mine} has its turn within ${USERS} credits`);
        cover(others.eq(USERS - 1).and(starts[u] as Bit), `${mine} has its turn at the last of them`);
        const since = cyclesOf(`since_${s}_${u}`, waits.andNot(dueHere), 15);
        assertAlways(since.lt(APART), `while ${mine} waits, one of ${APART} decisions is for its slot`);
        // One is enough: each takes an engine long.
        if (s === SLOTS - 1 && u === USERS - 1)
          cover(since.eq(APART - 1).and(dueHere), `while ${mine} waits, it is the last of them`);
        starts.forEach((other, o) => {
          if (o === u) return;
          const forgets = waits.not().or(starts[u] as Bit);
          assertAlways(
            once(`passed_${s}_${u}_by_${o}`, other, forgets).again.not(),
            `user ${o} does not start twice while ${mine} waits`,
          );
        });
      }
      const alone = users.any().andNot(dueHere).andNot(chosenHere),
        waited = cyclesOf(`waited_${s}`, alone, 15);
      assertAlways(waited.le(LONGEST), `slot ${s} is chosen within ${LONGEST} cycles`);
      cover(waited.eq(LONGEST), `slot ${s} is chosen after ${LONGEST} cycles`);
      cover(dueHere.and(io.settled.lacks).and(chosenHere), `slot ${s} lacks something while it is chosen again`);
    }
  },
);

export const pickTurnProof: Proof = {
  module: `PickTurn, ${SLOTS} slots, ${USERS} users`,
  reach: 24,
  long: true,
  harness: harness(),
  faults: [
    { what: "the choice just ahead is not looked at", from: "again ? chosen_user", to: "1'b0 ? chosen_user" },
    { what: "the lowest user first", from: /user_later = [^;]*;/, to: "user_later = 3'd0;" },
    { what: "the lowest slot first", from: /slot_later = [^;]*;/, to: "slot_later = 2'd0;" },
    {
      what: "a choice behind one that lacks something stays",
      from: "picked_at & (lacks_at | lacked_at)",
      to: "picked_at & lacked_at",
    },
    { what: "a start does not move the turn", from: /turn_0 <= dut_due_user/, to: "turn_0 <= turn_0" },
  ],
};
