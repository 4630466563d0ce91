import {
  bit,
  cat,
  constant,
  input,
  module,
  mux,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, productOf, upBy } from "./arithmetic.ts";
import {
  type DrfParameters,
  groupBitsOf,
  groupsOf,
  inverseBits,
  pitchBits,
  placeBitsOf,
  sumBitsOf,
  userBitsOf,
} from "./parameters.ts";

/** Cycles from `ask` to `share` or `use`. */
export const laneLatency = 3;

export const lanePorts = (p: DrfParameters) => ({
  /** A user's use of the lane's resource of a group. */
  beat: input(struct({ valid: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)), use: uint(f.vectorBits) })),
  /** Uses of all users of a resource, added: in the same cycle. */
  sumOf: input(uint(groupBitsOf(p))),
  sum: output(uint(sumBitsOf(p))),
  /** What a resource's uses are multiplied by. A full one stops all who use it. */
  inverse: input(struct({ valid: bit, group: uint(groupBitsOf(p)), value: uint(inverseBits), full: bit })),
  /** The share that a user has of a resource, or the use by the level, which is the share by the user's pitch. */
  ask: input(struct({ byPitch: bit, user: uint(userBitsOf(p)), group: uint(groupBitsOf(p)), pitch: uint(pitchBits) })),
  /** Where a share is kept, in the cycle of its answer. */
  keep: input(struct({ valid: bit, place: uint(placeBitsOf(p)) })),
  share: output(uint(f.shareBits)),
  /** The resource stops the user: it is full, or the share too large. */
  stops: output(bit),
  use: output(uint(f.useBits)),
});

/**
 * One resource of each group: what the users' uses come to as shares, and as uses by the level. One multiplier does
 * both. Latency 3 from `ask`, initiation interval 1; nothing waits. Reset leaves all of it alone: the beats of a run
 * write what it reads.
 */
export const DrfLane = module(
  "DrfLane",
  (p: DrfParameters) => lanePorts(p),
  (io, p) => {
    const groups = groupsOf(p),
      places = 2 ** placeBitsOf(p),
      list = <const S extends Parameters<typeof ram>[0]>(shape: S, depth: number, name: string) =>
        ram(shape, { depth, collision: "old", style: "distributed", name });
    const uses = list(uint(f.vectorBits), places, "uses"),
      shares = list(uint(f.shareBits), places, "shares"),
      sums = list(uint(sumBitsOf(p)), groups, "sums"),
      inverses = list(struct({ value: uint(inverseBits), full: bit }), groups, "inverses");
    const { beat, ask, keep, inverse } = io,
      placeOf = (user: UInt, group: UInt): UInt => cat(user, group).is(placeBitsOf(p));
    uses.write(beat.valid, placeOf(beat.user, beat.group), beat.use);
    const isFirst = beat.user.eq(0),
      before = sums.readAsync(beat.group),
      use = beat.use.zext(sumBitsOf(p));
    sums.write(beat.valid, beat.group, use.add(mux(isFirst, constant(0, sumBitsOf(p)), before)));
    io.sum.set(sums.readAsync(io.sumOf));
    inverses.write(inverse.valid, inverse.group, { value: inverse.value, full: inverse.full });

    // Factors, product, and what it comes to.
    const place = placeOf(ask.user, ask.group),
      asked = uses.readAsync(place),
      by = inverses.readAsync(ask.group);
    const left = reg(uint(f.shareBits), { name: "left" }),
      right = reg(uint(pitchBits), { name: "right" }),
      product = reg(uint(f.shareBits + pitchBits), { name: "product" });
    left.set(mux(ask.byPitch, shares.readAsync(place), asked.zext(f.shareBits)));
    right.set(mux(ask.byPitch, ask.pitch, by.value.zext(pitchBits)));
    product.set(productOf(left, right).is(f.shareBits + pitchBits));
    const share = reg(uint(f.shareBits), { name: "share_q" }),
      byLevel = reg(uint(f.useBits), { name: "by_level" });
    share.set(upBy("share", product, f.vectorFraction + f.inverseFraction - f.shareFraction, f.shareBits));
    byLevel.set(upBy("by_level", product, f.pitchFraction - f.useFraction, f.useBits));
    io.share.set(share);
    io.use.set(byLevel);
    io.stops.set(ago("on_full", by.full.and(asked.any()), laneLatency).or(share.all()));
    shares.write(keep.valid, keep.place, share);
  },
);
