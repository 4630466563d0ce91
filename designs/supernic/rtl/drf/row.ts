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
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { addOrSubtract } from "./arithmetic.ts";
import {
  type DrfParameters,
  gapBits,
  groupBitsOf,
  groupsOf,
  leftBits,
  loadBitsOf,
  placeBitsOf,
  userBitsOf,
} from "./parameters.ts";

/** How far the level can rise until a resource is full, and the users of that resource. */
export const Gap = (p: DrfParameters) => struct({ value: uint(gapBits), users: uint(p.users) });

/** One at a time, of all that a row is told. */
export const rowPorts = (p: DrfParameters) => ({
  /** All is left, and nobody rises. */
  clear: input(bit),
  /** A user begins to rise, and uses so much of the next resource. */
  load: input(struct({ valid: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)), use: uint(f.useBits) })),
  /** A user stops, or rises on. */
  turn: input(struct({ valid: bit, adds: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)) })),
  /** The next resource comes to the front; in its cycle the one in front is what all else is about. */
  rotate: input(bit),
  /** The level has risen by `delta`: what goes of the resource behind the front is subtracted in the next cycle. */
  rises: input(bit),
  delta: input(uint(gapBits)),
  /** The gap of the resource in front is to be found: its digits follow, and then it is `there`. */
  begin: input(bit),
  /** The cycle behind `begin`. */
  first: input(bit),
  /** Digits are found, and a gap may begin; else both divisions stand still, for they would go round for nothing. */
  divides: input(bit),
  there: input(bit),
  gap: output(Gap(p)),
});

/** Resources of a row, in a ring: the last is in front, and comes back changed at the other end. */
function ring(p: DrfParameters, bits: number, name: string, at: { readonly clear: Bit; readonly rotate: Bit }) {
  const places = Array.from({ length: groupsOf(p) }, (_, i) => reg(uint(bits), { name: `${name}_${i}` }));
  const follow = (changed: UInt, cleared: bigint): void => {
    when(at.clear, () => places.forEach(r => r.set(cleared))).elseWhen(at.rotate, () =>
      places.forEach((r, i) => r.set(i === 0 ? changed.is(bits) : (places[i - 1] as UInt).is(bits))),
    );
  };
  return { places, front: places.at(-1) as UInt, follow };
}

/** A division that is under way: the digits found so far, and what they are found of. */
const Division = (p: DrfParameters) =>
  struct({
    load: uint(loadBitsOf(p)),
    rest: uint(loadBitsOf(p) + 1),
    low: uint(f.levelFraction),
    digits: uint(f.levelFraction),
    over: bit,
  });
type DivisionValue = Pick<Val<ReturnType<typeof Division>>, "load" | "rest" | "low" | "digits" | "over">;

/** Some digits more, by adding or subtracting: the rest is below 0 when it lacks a load. */
function further(p: DrfParameters, name: string, d: DivisionValue) {
  const wide = loadBitsOf(p) + 1,
    found: Bit[] = [];
  let rest: UInt = d.rest;
  for (let k = 0; k < p.digitBits; k++) {
    const next = cat(rest.trunc(wide - 1), d.low.bit(f.levelFraction - 1 - k)).is(wide),
      fits = rest.bit(wide - 1).not();
    rest = node(addOrSubtract(next, d.load.zext(wide), fits), { name: `${name}_${k}` });
    found.unshift(rest.bit(wide - 1).not());
  }
  const digits = cat(d.digits.trunc(f.levelFraction - p.digitBits), fromBits(found)).is(f.levelFraction);
  return { load: d.load, rest: rest.is(wide), low: d.low.shl(p.digitBits).trunc(f.levelFraction), digits };
}

/**
 * Left by load. Two divisions are under way, a cycle apart: each is in either register in turn, and ends in the first.
 * More than all of a resource is as good as all of it, as nobody rises by more.
 */
function gapOf(
  p: DrfParameters,
  o: {
    readonly first: Bit;
    readonly begin: Bit;
    readonly divides: Bit;
    readonly left: UInt;
    readonly load: UInt;
  },
) {
  const wide = loadBitsOf(p) + 1,
    one = reg(Division(p), { name: "one" }),
    two = reg(Division(p), { name: "two" }),
    whole = leftBits - f.levelFraction;
  const over = node(mux(o.first, one.rest.trunc(whole).zext(wide).ge(one.load.zext(wide)), one.over), { name: "over" }),
    half = further(p, "rest_one", one),
    all = further(p, "rest_two", two);
  when(o.divides, () => {
    two.set({ ...half, over });
    one.set({
      load: mux(o.begin, o.load.is(loadBitsOf(p)), all.load),
      rest: mux(o.begin, o.left.shr(f.levelFraction).resize(wide).is(wide), all.rest),
      low: mux(o.begin, o.left.trunc(f.levelFraction), all.low),
      digits: mux(two.over, constant(0, f.levelFraction), all.digits),
      over: two.over,
    });
  });
  return cat(one.over, one.digits).is(gapBits);
}

/**
 * A resource of each group while users rise: what is left of it, what goes when the level rises by its smallest part,
 * and how far the level can rise until it is full. A gap takes a cycle for each digit; two are under way at once. What
 * has gone is one product, a cycle before the resource is in front. Latency 1 of all else that it is told; nothing
 * waits. Reset leaves all of it alone: a run begins with `clear`.
 */
export const DrfRow = module(
  "DrfRow",
  (p: DrfParameters) => rowPorts(p),
  (io, p) => {
    const loadBits = loadBitsOf(p),
      loads = ring(p, loadBits, "load", io),
      lefts = ring(p, leftBits, "left", io),
      users = ring(p, p.users, "users", {
        clear: io.clear,
        rotate: node(io.load.valid.or(io.there), { name: "passes" }),
      });
    const uses = ram(uint(f.useBits), {
      depth: 2 ** placeBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "uses",
    });
    uses.write(io.load.valid, cat(io.load.user, io.load.group).is(placeBitsOf(p)), io.load.use);

    const kept = uses.readAsync(cat(io.turn.user, io.turn.group).is(placeBitsOf(p))),
      change = node(mux(io.load.valid, io.load.use, mux(io.turn.valid, kept, constant(0, f.useBits))).zext(loadBits), {
        name: "change",
      }),
      takes = node(io.turn.valid.andNot(io.turn.adds), { name: "takes" }),
      load = node(addOrSubtract(loads.front, change, takes), { name: "load_next" });
    loads.follow(load, 0n);
    const uses1 = node(io.load.valid.and(io.load.use.any()), { name: "uses_some" }),
      joins = mux(uses1, decode(io.load.user, p.users).is(p.users), constant(0, p.users));
    users.follow(users.front.or(joins), 0n);

    const gone = reg(uint(leftBits), { name: "gone" }),
      behind = loads.places.at(-2) as UInt,
      product = node(behind.mul(io.delta).resize(leftBits), { name: "goes" });
    gone.set(mux(io.rises, product, constant(0, leftBits)));
    const lacks = node(lefts.front.lt(gone).and(io.rotate), { name: "lacks" });
    assertAlways(lacks.not(), "a step takes no more of a resource than it has");
    const left = node(lefts.front.sub(gone).is(leftBits), { name: "left_next" });
    lefts.follow(left, 1n << BigInt(leftBits - 1));

    const value = gapOf(p, { first: io.first, begin: io.begin, divides: io.divides, left, load });
    io.gap.set({ value, users: (users.places[0] as UInt).is(p.users) });
  },
);
