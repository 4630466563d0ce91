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
  load: input(
    struct({ valid: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)), use: uint(f.useBits) }),
  ),
  /** A user stops, or rises on. */
  turn: input(struct({ valid: bit, adds: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)) })),
  /** The next resource comes to the front; in its cycle the one in front is what all else is about. */
  rotate: input(bit),
  /** The level has risen by `delta`: what goes of the resource behind the front is subtracted in the next cycle. */
  rises: input(bit),
  delta: input(uint(gapBits)),
  /** The gap of the resource in front is to be found; then its digits follow, the highest first. */
  begin: input(bit),
  step: input(struct({ valid: bit, first: bit, last: bit })),
  /** In the cycle behind the last digit. */
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

/** Digits of left by load, by adding or subtracting: what is left over is below 0 when it lacks a load. */
function gapOf(p: DrfParameters, o: { readonly step: StepValue; readonly begin: Bit; readonly left: UInt; readonly load: UInt }) {
  const wide = loadBitsOf(p) + 1,
    loaded = reg(uint(loadBitsOf(p)), { name: "divisor" }),
    rest = reg(uint(wide), { name: "rest" }),
    low = reg(uint(f.levelFraction), { name: "low" }),
    digits = reg(uint(f.levelFraction), { name: "digits" }),
    over = reg(bit, { name: "over" });
  const found: Bit[] = [];
  let now: UInt = rest;
  for (let k = 0; k < p.digitBits; k++) {
    const lacks = now.bit(wide - 1),
      next = cat(now.trunc(wide - 1), low.bit(f.levelFraction - 1 - k)).is(wide),
      fits = lacks.not();
    now = node(addOrSubtract(next, loaded.zext(wide), fits), { name: `rest_${k}` });
    found.unshift(now.bit(wide - 1).not());
  }
  const whole = leftBits - f.levelFraction;
  when(o.begin, () => {
    loaded.set(o.load.is(loadBitsOf(p)));
    rest.set(o.left.shr(f.levelFraction).resize(wide));
    low.set(o.left.trunc(f.levelFraction));
  }).elseWhen(o.step.valid, () => {
    rest.set(now.is(wide));
    low.set(low.shl(p.digitBits));
  });
  // More than all of it is as good as all of it: nobody rises by more.
  when(o.step.valid.and(o.step.first), () => over.set(rest.trunc(whole).zext(wide).ge(loaded.zext(wide))));
  const none = node(over.andNot(o.step.first), { name: "no_digits" });
  when(o.step.valid, () =>
    digits.set(
      mux(none, constant(0, f.levelFraction), cat(digits.trunc(f.levelFraction - p.digitBits), fromBits(found)).is(f.levelFraction)),
    ),
  );
  return cat(over, digits).is(gapBits);
}
interface StepValue {
  readonly valid: Bit;
  readonly first: Bit;
}

/**
 * A resource of each group while users rise: what is left of it, what goes when the level rises by its smallest part,
 * and how far the level can rise until it is full. A gap takes a cycle for each digit. What has gone is one product, a
 * cycle before the resource is in front. Latency 1 of all else that it is told; nothing waits. Reset leaves all of it
 * alone: a run begins with `clear`.
 */
export const DrfRow = module(
  "DrfRow",
  (p: DrfParameters) => rowPorts(p),
  (io, p) => {
    const loadBits = loadBitsOf(p),
      loads = ring(p, loadBits, "load", io),
      lefts = ring(p, leftBits, "left", io),
      users = ring(p, p.users, "users", { clear: io.clear, rotate: node(io.load.valid.or(io.step.last), { name: "passes" }) });
    const uses = ram(uint(f.useBits), {
      depth: 2 ** placeBitsOf(p),
      collision: "old",
      style: "distributed",
      name: "uses",
    });
    uses.write(io.load.valid, cat(io.load.user, io.load.group).is(placeBitsOf(p)), io.load.use);

    const kept = uses.readAsync(cat(io.turn.user, io.turn.group).is(placeBitsOf(p))),
      change = node(
        mux(io.load.valid, io.load.use, mux(io.turn.valid, kept, constant(0, f.useBits))).zext(loadBits),
        { name: "change" },
      ),
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

    const value = gapOf(p, { step: io.step, begin: io.begin, left, load });
    io.gap.set({ value, users: (users.places[1] as UInt).is(p.users) });
  },
);
