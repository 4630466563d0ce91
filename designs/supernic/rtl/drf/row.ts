import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  decode,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat } from "../../config/index.ts";
import { type DrfParameters, leftBits, loadBitsOf, userBitsOf } from "./parameters.ts";

/** One at a time, of all that a row is told. */
export const rowPorts = (p: DrfParameters) => ({
  /** All is left, and nobody rises. */
  clear: input(bit),
  /** A user begins to rise, and uses so much. */
  load: input(struct({ valid: bit, user: uint(userBitsOf(p)), use: uint(drfFormat.useBits) })),
  /** A user stops, or rises on. */
  turn: input(struct({ valid: bit, adds: bit, user: uint(userBitsOf(p)) })),
  /** Whether the row is full is to be known in the next cycle. */
  mark: input(bit),
  /** A step begins; then its digits follow, the highest first. */
  begin: input(bit),
  /** A bit for each digit from 1 on: it is at least that. */
  step: input(struct({ valid: bit, reaches: uint(2 ** p.digitBits - 1) })),
  /** The same bits: what the row has enough for. */
  enough: output(uint(2 ** p.digitBits - 1)),
  /** Users that a full row stops. */
  stops: output(uint(p.users)),
});

/** The load once, twice and so on; three times it is added while a step begins. */
function multiplesOf(p: DrfParameters, load: UInt, begin: Bit): readonly UInt[] {
  const wide = loadBitsOf(p) + p.digitBits;
  if (p.digitBits === 1) return [load.zext(wide)];
  const triple = reg(uint(wide), { name: "triple" }),
    once = load.zext(wide),
    twice = once.shl(1);
  when(begin, () => triple.set(once.add(twice)));
  return [once, twice, triple];
}

/**
 * One resource while users rise: what is left of it, and what goes when the level rises by its smallest part. A step of
 * the level is a quotient that all rows find together: each says which digits it has enough for, and all subtract the
 * digit that everybody has enough for. What remains behind the last digit is what is left. Latency 1 of all that it is
 * told; nothing waits. Reset leaves all of it alone: a run begins with `clear`.
 */
export const DrfRow = module(
  "DrfRow",
  (p: DrfParameters) => rowPorts(p),
  (io, p) => {
    const loadBits = loadBitsOf(p),
      shift = p.digitBits;
    const left = reg(uint(leftBits), { name: "left" }),
      // Digits of what is left that have not been looked at in this step.
      low = reg(uint(drfFormat.levelBits), { name: "low" }),
      load = reg(uint(loadBits), { name: "load" }),
      users = reg(uint(p.users), { name: "users" }),
      full = reg(bit, { name: "full" });
    const uses = ram(uint(drfFormat.useBits), {
      depth: 2 ** userBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "uses",
    });
    uses.write(io.load.valid, io.load.user, io.load.use);

    const changes = node(mux(io.load.valid, io.load.use, uses.readAsync(io.turn.user)).zext(loadBits), {
        name: "changes",
      }),
      grows = node(io.load.valid.or(io.turn.adds), { name: "grows" });
    when(io.clear, () => load.set(0)).elseWhen(io.load.valid.or(io.turn.valid), () =>
      load.set(mux(grows, load.add(changes), load.sub(changes))),
    );
    when(io.clear, () => users.set(0)).elseWhen(io.load.valid.and(io.load.use.any()), () =>
      users.set(users.or(decode(io.load.user, p.users).is(p.users))),
    );

    // Multiples of the load, and what is left behind each.
    const wide = leftBits + 1,
      now = node(cat(left.trunc(leftBits - shift), low.bits(drfFormat.levelBits - shift, shift)).is(leftBits), {
        name: "now",
      });
    const behind = multiplesOf(p, load, io.begin).map((m, k) =>
      node(now.zext(wide).sub(m.zext(wide)), { name: `behind_${k + 1}` }),
    );
    const enough = node(fromBits(behind.map(b => b.bit(wide - 1).not())).is(2 ** shift - 1), { name: "has_enough" });
    io.enough.set(enough);
    const lacks = node(io.step.valid.and(io.step.reaches.andNot(enough).any()), { name: "lacks" });
    assertAlways(lacks.not(), "a step takes no more of a resource than it has");
    const next = node(
      behind.reduce<UInt>((rest, b, k) => mux(io.step.reaches.bit(k), b.trunc(leftBits), rest), now),
      { name: "next" },
    );
    when(io.clear, () => left.set(1n << BigInt(leftBits - 1)))
      .elseWhen(io.begin, () => {
        left.set(left.shr(drfFormat.levelBits));
        low.set(left.trunc(drfFormat.levelBits));
      })
      .elseWhen(io.step.valid, () => {
        left.set(next.is(leftBits));
        low.set(low.shl(shift));
      });
    when(io.mark, () => full.set(left.lt(load.zext(leftBits))));
    io.stops.set(mux(full, users, constant(0, p.users)));
  },
);
