import {
  type Bit,
  constant,
  decode,
  mux,
  node,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, numberAgo, productOf, upBy } from "./arithmetic.ts";
import { type DrfParameters, userBitsOf } from "./parameters.ts";
import type { Division } from "./prepare.ts";
import type { Top } from "./shares.ts";

/** What users ask for, from their beats. */
export function askedOf(
  p: DrfParameters,
  beat: { readonly valid: Bit; readonly user: UInt; readonly weight: UInt; readonly demand: UInt },
) {
  const list = ram(struct({ weight: uint(f.weightBits), asked: uint(f.rateBits) }), {
    depth: 2 ** userBitsOf(p),
    collision: "old",
    style: "distributed",
    name: "asked",
  });
  const less = node(beat.demand.zext(f.rateBits + 1).sub(p.floor), { name: "demand_less" }),
    beyond = mux(less.bit(f.rateBits), constant(0, f.rateBits), less.trunc(f.rateBits));
  list.write(beat.valid, beat.user.is(userBitsOf(p)), {
    weight: beat.weight.is(f.weightBits),
    asked: beyond.is(f.rateBits),
  });
  return (user: UInt) => list.readAsync(user.is(userBitsOf(p)));
}

/** One by each weight, rounded up. A weight of 0 does not rise, whatever it has here. */
const byWeights = (): readonly bigint[] =>
  Array.from({ length: 2 ** f.weightBits }, (_, w) => {
    const weight = BigInt(Math.max(1, w));
    return ((1n << BigInt(f.weightFraction)) + weight - 1n) / weight;
  });

/** Cycles from a user's largest share to its need. */
const needLatency = 5;

/** What follows of a user's largest share: whether it rises, the question for its pitch, and its need. */
export function judgeUsers(
  p: DrfParameters,
  top: Val<ReturnType<typeof Top>>,
  asked: ReturnType<typeof askedOf>,
  clear: Bit,
) {
  const { weight, asked: bytes } = asked(top.user),
    small = top.share.le(f.leastTop),
    share = numberAgo("judged_top", mux(small, constant(f.leastTop, f.shareBits), top.share), 1).is(f.shareBits),
    valid = ago("judged", top.valid, 1),
    user = numberAgo("judged_user", top.user, 1).is(userBitsOf(p));
  const mayRise = node(weight.any().andNot(small.or(top.stopped)), { name: "may_rise" }),
    rises = reg(uint(p.users), { init: 0, name: "rises" }),
    mine = node(decode(top.user, p.users).is(p.users), { name: "judged_one" });
  when(clear, () => rises.set(0)).elseWhen(top.valid.and(mayRise), () => rises.set(rises.or(mine)));
  const tops = ram(uint(f.shareBits), {
    depth: 2 ** userBitsOf(p),
    collision: "old",
    style: "distributed",
    name: "tops",
  });
  tops.write(valid, user, share);

  const question: Division = { valid, above: 1n << BigInt(f.pitchFraction), below: share };
  return {
    rises,
    question,
    topOf: (of: UInt): UInt => tops.readAsync(of.is(userBitsOf(p))),
    need: {
      valid: ago("need_valid", valid, needLatency - 1),
      user: numberAgo("need_user", user, needLatency - 1).is(userBitsOf(p)),
      level: needLevel(numberAgo("judged_bytes", bytes, 1), share, numberAgo("judged_weight", weight, 1)),
    },
  };
}

/** The level of a demand, 4 cycles later: its share, by its weight. */
function needLevel(bytes: UInt, top: UInt, weight: UInt) {
  const inverse = ram(uint(f.weightFraction + 1), {
    depth: 2 ** f.weightBits,
    collision: "old",
    name: "by_weights",
    init: byWeights(),
  });
  const product = numberAgo("need_product", productOf(top, bytes), 1),
    cut = f.shareFraction - f.demandShareFraction,
    share = numberAgo("need_share", upBy("need_share", product, cut, f.demandShareBits), 1);
  const byWeight = numberAgo(
      "need_by_weight",
      inverse.readAsync(numberAgo("need_weight", weight, 1).is(f.weightBits)),
      1,
    ),
    scaled = numberAgo("need_scaled", productOf(share, byWeight), 1),
    shift = f.demandShareFraction + f.weightFraction - f.levelFraction;
  return numberAgo("need_level", upBy("need_level", scaled, shift, f.levelBits), 1).is(f.levelBits);
}
