import {
  bit,
  type Bit,
  cat,
  constant,
  encodeOnehot,
  fromBits,
  fsm,
  input,
  instance,
  type InstanceOf,
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
import { needsOf } from "./needs.ts";
import { type DrfParameters, groupBitsOf, stepsOf, userBitsOf } from "./parameters.ts";
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

const andAll = (bits: readonly Bit[]): Bit => fromBits(bits).all();
/** What the rows and needs are told, driven when the machine is there. */
const told = () => ({
  check: wire(bit, { name: "checks" }),
  begin: wire(bit, { name: "begins" }),
  step: wire(bit, { name: "steps" }),
  turn: wire(bit, { name: "turns" }),
  /** The last step has been added to the level. */
  settled: wire(bit, { name: "settled" }),
});
type Told = ReturnType<typeof told>;

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
  };
}
type Users = ReturnType<typeof usersOf>;
/** How far they have risen, and by how much in this step, which is found digit by digit. */
const levelsOf = (p: DrfParameters, t: Told, digit: UInt) => ({
  level: reg(uint(f.levelBits), { init: 0, name: "level" }),
  delta: stepOf(p, t, digit),
  digits: reg(uint(Math.ceil(Math.log2(stepsOf(p)))), { init: 0, name: "digits_left" }),
});
type Levels = ReturnType<typeof levelsOf>;
function stepOf(p: DrfParameters, t: Told, digit: UInt) {
  const delta = reg(uint(f.levelBits), { init: 0, name: "delta" });
  when(t.step, () => delta.set(cat(delta.trunc(f.levelBits - p.digitBits), digit).is(f.levelBits))).elseWhen(
    t.settled,
    () => delta.set(0),
  );
  return delta;
}

/** Nobody has risen: the rows are full of nothing, and users without demand are there already. */
function start(u: Users, l: Levels, rises: UInt): void {
  for (const set of [u.active, u.raised]) set.set(rises.is(set.width));
  for (const r of [u.satisfied, u.second, u.adds, l.level]) r.set(0);
}
/** Who has its demand rises on, beside the others, from level 0. */
function startSecond(u: Users, l: Levels): void {
  for (const r of [u.second, u.adds]) r.set(1);
  for (const set of [u.pending, u.active]) set.set(u.satisfied);
  l.level.set(0);
}

/** The order of a run; `on.done` in its last cycle. */
function machine(
  p: DrfParameters,
  u: Users,
  l: Levels,
  on: {
    readonly go: Bit;
    readonly rises: UInt;
    readonly hits: UInt;
    readonly stopped: UInt;
    readonly done: () => void;
  },
) {
  const hit = node(on.hits.and(u.active), { name: "hit" }),
    stops = node(on.stopped.and(u.active).or(hit), { name: "stopping" }),
    toSecond = node(u.second.not().and(u.satisfied.any()), { name: "to_second" });
  return fsm(
    ["Idle", "Check", "Choose", "Turn", "Begin", "Divide"],
    "Idle",
    s => ({
      Idle: () => {
        when(on.go, () => {
          start(u, l, on.rises);
          s.go("Check");
        });
      },
      Check: () => {
        l.level.set(l.level.add(l.delta));
        s.go("Choose");
      },
      Choose: () => {
        u.pending.set(stops.is(p.users));
        u.active.set(u.active.andNot(stops));
        u.satisfied.set(u.satisfied.or(hit));
        s.go("Turn");
      },
      Turn: () => {
        u.pending.set(u.others);
        when(u.others.any().not(), () => {
          u.adds.set(0);
          when(u.adds, () => s.go("Check"))
            .elseWhen(u.active.any(), () => s.go("Begin"))
            .elseWhen(toSecond, () => startSecond(u, l))
            .otherwise(() => {
              on.done();
              s.go("Idle");
            });
        });
      },
      Begin: () => {
        l.digits.set(stepsOf(p) - 1);
        s.go("Divide");
      },
      Divide: () => {
        l.digits.set(l.digits.sub(1));
        when(l.digits.eq(0), () => s.go("Check"));
      },
    }),
    { name: "phase" },
  );
}

type Row = InstanceOf<typeof DrfRow>;
/** Tells all rows the same, and each its own uses. */
function tell(
  p: DrfParameters,
  rows: readonly Row[],
  io: RiseInputs,
  u: Users,
  t: Told,
  reaches: readonly Bit[],
): void {
  rows.forEach((row, j) => {
    const { valid, user, group, values } = io.uses,
      mine = group.eq(Math.floor(j / p.lanes));
    row.clear.set(io.clear);
    row.load.set({ valid: valid.and(mine), user, use: values.at(j % p.lanes) });
    row.turn.set({ valid: t.turn, adds: u.adds, user: u.user });
    row.mark.set(t.check);
    row.begin.set(t.begin);
    row.step.set({ valid: t.step, reaches: fromBits(reaches).is(reaches.length) });
  });
}
type RiseInputs = Pick<InputsOf, "clear" | "uses">;
interface InputsOf {
  readonly clear: Bit;
  readonly uses: {
    readonly valid: Bit;
    readonly user: UInt;
    readonly group: UInt;
    readonly values: { at(i: number): UInt };
  };
}
/** The digit by which digits it reaches: so many from 1 on. */
const digitOf = (p: DrfParameters, reaches: readonly Bit[]): UInt =>
  reaches.reduce<UInt>((d, r, k) => mux(r, constant(k + 1, p.digitBits), d), constant(0, p.digitBits));

/**
 * Raises the level until every user is at its need or on a full resource; then those at their need rise on, from where
 * they are (docs/supernic/drf.md). A round is a step of the level, found by digits, and the users that it stops.
 *
 * Latency of a round: 3 cycles, one for each digit, and one for each user that stops; a round at most for each user in
 * each rising. Nothing waits. Reset: nobody rises.
 */
export const DrfRise = module(
  "DrfRise",
  (p: DrfParameters) => risePorts(p),
  (io, p) => {
    const rows = Array.from({ length: p.resources }, (_, j) => instance(`row_${j}`, DrfRow(p))),
      u = usersOf(p),
      t = told(),
      reaches = Array.from({ length: 2 ** p.digitBits - 1 }, (_, k) => wire(bit, { name: `reaches_${k + 1}` })),
      l = levelsOf(p, t, digitOf(p, reaches));
    const needs = needsOf(p, {
      need: io.need,
      bound: mux(u.second, constant(0, p.users), u.active),
      check: t.check,
      delta: l.delta,
      begin: t.begin,
      step: t.step,
      reaches,
    });
    reaches.forEach((r, k) =>
      r.set(andAll([...rows.map(row => row.enough.bit(k)), ...needs.map(n => n.allows[k] as Bit)])),
    );
    tell(p, rows, io, u, t, reaches);

    io.done.set(0);
    const phase = machine(p, u, l, {
      go: io.go,
      rises: io.rises,
      hits: mux(u.second, constant(0, p.users), fromBits(needs.map(n => n.met)).is(p.users)),
      stopped: fromBits(Array.from({ length: p.users }, (_, i) => fromBits(rows.map(r => r.stops.bit(i))).any())),
      done: () => io.done.set(1),
    });
    t.check.set(phase.is("Check"));
    t.begin.set(phase.is("Begin"));
    t.step.set(phase.is("Divide"));
    t.turn.set(phase.is("Turn").and(u.any));
    t.settled.set(phase.is("Choose"));

    const levels = ram(uint(f.levelBits), {
      depth: 2 ** userBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "levels",
    });
    levels.write(t.turn, u.user, l.level);
    const isRaised = u.raised.shr(io.of).bit(0);
    io.outcome.set({
      level: mux(isRaised, levels.readAsync(io.of), constant(0, f.levelBits)),
      satisfied: u.satisfied.shr(io.of).bit(0),
    });
  },
);
