import {
  addressBits,
  bit,
  type Bit,
  constant,
  encodeOnehot,
  fsm,
  input,
  instance,
  lowestSet,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter } from "./arithmetic.ts";
import { leastOf } from "./least.ts";
import { needsOf } from "./needs.ts";
import { type DrfParameters, gapRoundsOf, groupBitsOf, groupsOf, stepsOf, userBitsOf } from "./parameters.ts";
import { DrfRow } from "./row.ts";

/** What a user has when all have stopped. */
export const Outcome = struct({
  level: uint(f.levelBits),
  /** It has its demand, and has risen by the level from there. */
  satisfied: bit,
});
/** A user's uses of the resources of a group. */
export const Uses = (p: DrfParameters) =>
  struct({
    valid: bit,
    user: uint(userBitsOf(p)),
    group: uint(groupBitsOf(p)),
    values: vec(uint(f.useBits), p.lanes),
  });
/** Level at which a user has its demand. */
export const NeedAt = (p: DrfParameters) => struct({ valid: bit, user: uint(userBitsOf(p)), level: uint(f.levelBits) });

export const risePorts = (p: DrfParameters) => ({
  /** A run begins: all is left. */
  clear: input(bit),
  uses: input(Uses(p)),
  need: input(NeedAt(p)),
  /** Users that rise. */
  rises: input(uint(p.users)),
  /** All of them have their uses and needs. */
  go: input(bit),
  done: output(bit),
  of: input(uint(userBitsOf(p))),
  outcome: output(Outcome),
});

/** Users that rise, and those that are about to stop, or to rise on. */
function usersOf(p: DrfParameters) {
  const set = (name: string) => reg(uint(p.users), { init: 0, name });
  const pending = set("pending"),
    first = node(lowestSet(pending).is(p.users), { name: "first" });
  return {
    active: set("active"),
    satisfied: set("satisfied"),
    raised: set("raised"),
    pending,
    any: pending.any(),
    user: node(encodeOnehot(first).is(userBitsOf(p)), { name: "turning" }),
    others: node(pending.andNot(first), { name: "others" }),
    /** In the second rising, beyond demands; users are added to it. */
    second: reg(bit, { init: 0, name: "second" }),
    adds: reg(bit, { init: 0, name: "adds" }),
    level: reg(uint(f.levelBits), { init: 0, name: "level" }),
  };
}
type Users = ReturnType<typeof usersOf>;
/** Where a round is: the resource that is in front, and the digit of its gap. */
const placeOf = (p: DrfParameters) => ({
  group: counter("group_at", groupsOf(p), groupBitsOf(p)),
  /** Of two gaps: their digits, and a cycle for each to be looked at. */
  digit: counter("digit_at", stepsOf(p) + 2, addressBits(stepsOf(p) + 2)),
  wait: counter("least_at", gapRoundsOf(p) + 1, addressBits(gapRoundsOf(p) + 1)),
});
type Place = ReturnType<typeof placeOf>;

/** Nobody has risen. */
function start(u: Users, rises: UInt): void {
  for (const set of [u.active, u.raised]) set.set(rises.is(set.width));
  for (const r of [u.satisfied, u.pending, u.second, u.adds, u.level]) r.set(0);
}
/** Who has its demand rises on, beside the others, from level 0. */
function startSecond(u: Users): void {
  for (const r of [u.second, u.adds]) r.set(1);
  for (const set of [u.pending, u.active]) set.set(u.satisfied);
  u.level.set(0);
}

/** What the machine is told of the step. */
interface Found {
  readonly value: UInt;
  readonly users: UInt;
  readonly byNeed: UInt;
}
/** The order of a run; `on.done` in its last cycle. */
function machine(
  p: DrfParameters,
  u: Users,
  at: Place,
  on: {
    readonly go: Bit;
    readonly rises: UInt;
    readonly step: Found;
    readonly needing: UInt;
    readonly begins: Bit;
    readonly lastGap: Bit;
    readonly done: () => void;
  },
) {
  const hit = node(mux(on.step.byNeed.bit(0), on.needing, constant(0, p.users)).and(u.active), { name: "hit" }),
    stops = node(on.step.users.and(u.active).or(hit), { name: "stopping" }),
    toSecond = node(u.second.not().and(u.satisfied.any()), { name: "to_second" });
  return fsm(
    ["Idle", "Turn", "Divide", "Find", "Decide"],
    "Idle",
    s => ({
      Idle: () => {
        when(on.go, () => {
          start(u, on.rises);
          s.go("Turn");
        });
      },
      Turn: () => {
        at.group.step();
        when(at.group.last, () => {
          u.pending.set(u.others);
          when(u.others.any().not(), () => {
            u.adds.set(0);
            when(u.active.any(), () => s.go("Divide"))
              .elseWhen(toSecond, () => startSecond(u))
              .otherwise(() => {
                on.done();
                s.go("Idle");
              });
          });
        });
      },
      Divide: () => {
        at.digit.step();
        when(on.begins, () => at.group.step());
        when(on.lastGap, () => {
          at.group.clear();
          at.digit.clear();
          s.go("Find");
        });
      },
      Find: () => {
        at.wait.step();
        when(at.wait.last, () => s.go("Decide"));
      },
      Decide: () => {
        u.level.set(u.level.add(on.step.value.zext(f.levelBits)).is(f.levelBits));
        u.pending.set(stops.is(p.users));
        u.active.set(u.active.andNot(stops));
        u.satisfied.set(u.satisfied.or(hit));
        s.go("Turn");
      },
    }),
    { name: "phase" },
  );
}

/**
 * Raises the level until every user is at its need or on a full resource; then those at their need rise on, from where
 * they are (docs/supernic/drf.md). A round is a step of the level, and the users that it stops: the gaps of all
 * resources, the least of them and of the needs, and what of each resource goes.
 *
 * Latency of a round: two cycles for each two groups and one for each digit of their gaps, one for each group and user
 * that stops, and three or more for the least and to decide. There is a round at most for each user in each rising.
 * Nothing waits. Reset: nobody rises.
 */
export const DrfRise = module(
  "DrfRise",
  (p: DrfParameters) => risePorts(p),
  (io, p) => {
    const rows = Array.from({ length: p.lanes }, (_, l) => instance(`row_${l}`, DrfRow(p))),
      u = usersOf(p),
      at = placeOf(p),
      decides = wire(bit, { name: "decides" }),
      turns = wire(bit, { name: "turns" }),
      steps = wire(bit, { name: "steps" });
    const lastTurn = node(turns.and(at.group.last), { name: "last_turn" }),
      first = at.digit.value.eq(0),
      nextGap = node(steps.and(first.or(at.digit.last)), { name: "next_gap" }),
      begins = node(lastTurn.or(nextGap), { name: "begins" }),
      divides = node(lastTurn.or(steps), { name: "divides" });
    // The last gap is there in the first cycle in which the least is found.
    const gapComes = node(steps.and(at.digit.value.eq(stepsOf(p))), { name: "gap_comes" }),
      lastGap = node(gapComes.and(at.group.last), { name: "last_gap" }),
      there = node(gapComes.or(ago("gap_is_second", gapComes, 1)), { name: "gap_there" });
    const need = needsOf(p, {
      need: io.need,
      bound: mux(u.second, constant(0, p.users), u.active),
      level: u.level,
      look: node(io.go.or(decides), { name: "looks" }),
    });
    const step = leastOf(p, {
      gaps: rows.map(row => row.gap),
      there,
      need,
      begin: lastTurn,
    });

    // What a step takes goes from all resources while the first user that it stops is subtracted.
    const updating = reg(bit, { init: 0, name: "updating" });
    when(decides, () => updating.set(1)).elseWhen(lastTurn, () => updating.set(0));
    const rises = node(decides.or(updating.and(turns).andNot(at.group.last)), { name: "rises_now" }),
      turning = node(turns.and(u.any), { name: "turning_now" });
    rows.forEach((row, l) => {
      const { valid, user, group, values } = io.uses;
      row.clear.set(io.clear);
      row.load.set({ valid, user, group, use: values.at(l) });
      row.turn.set({ valid: turning, adds: u.adds, user: u.user, group: at.group.value.is(groupBitsOf(p)) });
      row.rotate.set(valid.or(turns).or(nextGap).or(decides));
      row.rises.set(rises);
      row.delta.set(step.value);
      row.begin.set(begins);
      row.first.set(first.or(at.digit.value.eq(1)));
      row.divides.set(divides);
      row.there.set(there);
    });

    io.done.set(0);
    const phase = machine(p, u, at, {
      go: io.go,
      rises: io.rises,
      step,
      needing: need.users,
      begins: nextGap,
      lastGap,
      done: () => io.done.set(1),
    });
    decides.set(phase.is("Decide"));
    turns.set(phase.is("Turn"));
    steps.set(phase.is("Divide"));

    const levels = ram(uint(f.levelBits), {
      depth: 2 ** userBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "levels",
    });
    levels.write(turning, u.user, u.level);
    const isRaised = u.raised.shr(io.of).bit(0);
    io.outcome.set({
      level: mux(isRaised, levels.readAsync(io.of), constant(0, f.levelBits)),
      satisfied: u.satisfied.shr(io.of).bit(0),
    });
  },
);
