/**
 * The meter of a user, with the merge's own arithmetic and narrow numbers: what he is let in with in any epoch. Takes,
 * parts of an epoch and his turns come when they like; he takes only while there is a token, which the merge's accounts
 * assert in every simulation.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  input,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { giving, isPositive, tokensLeft } from "../merge/index.ts";

/** An epoch has 2 parts instead of 64, a share 3 bytes at most, a frame 3. */
const PART_BITS = 1,
  PARTS = 2 ** PART_BITS,
  SHARE_BITS = 2,
  FRAME = 3,
  USED_BITS = 5,
  WIDE = USED_BITS + PART_BITS;
/** A frame that comes with the last token goes so far below none, in parts of a byte. */
const BELOW = (FRAME - 1) * PARTS;

/** The user's numbers, and when he is given tokens, with the stages that the accounts have. */
function meterOf(io: { readonly take: UInt; readonly part: Bit; readonly turn: Bit; readonly epochShare: UInt }) {
  const given = reg(uint(WIDE), { init: 0, name: "given" }),
    used = reg(uint(USED_BITS), { init: 0, name: "used" }),
    due = reg(bit, { init: 0, name: "due" }),
    seenDue = reg(bit, { init: 0, name: "seen_due" }),
    seen = { given: reg(uint(WIDE), { name: "seen_given" }), used: reg(uint(USED_BITS), { name: "seen_used" }) };
  const mayTake = node(isPositive(tokensLeft(given, used, PART_BITS)), { name: "may_take" }),
    bytes = node(mux(mayTake, io.take, constant(0, io.take.width)), { name: "taken_bytes" });
  used.set(used.add(bytes.zext(USED_BITS)));
  due.set(io.part.or(due.andNot(io.turn)));
  seenDue.set(due.and(io.turn));
  seen.given.set(given);
  seen.used.set(used);
  const gift = giving({ valid: seenDue, ...seen, share: io.epochShare }, PART_BITS);
  when(gift.gets, () => given.set(gift.value));
  const underWay = node(due.or(seenDue).or(gift.gets), { name: "gift_under_way" });
  return {
    bytes,
    underWay,
    stages: [due, seenDue, gift.gets] as const,
    given,
    used,
    seen,
    gets: gift.gets,
    more: node(mux(gift.gets, gift.value.sub(given), constant(0, WIDE)), { name: "given_more" }),
    tokens: node(given.sub(used.zext(WIDE).shl(PART_BITS)), { name: "tokens" }),
  };
}

const harness = module(
  "MeterProof",
  () => ({
    take: input(uint(2)),
    part: input(bit),
    turn: input(bit),
    epochShare: input(uint(SHARE_BITS)),
    /** A window begins behind this cycle. */
    begins: input(bit),
    left: output(uint(WIDE)),
  }),
  io => {
    const meter = meterOf(io),
      { bytes, tokens } = meter;
    io.left.set(tokens);
    const started = reg(bit, { init: 0, name: "model_started" });
    started.set(1);
    assumeAlways(started.not().or(io.epochShare.eq(past(io.epochShare, 1))), "the share stays");
    assumeAlways(meter.underWay.and(io.part).not(), "parts are apart");

    // The window: what was there, what is given, what is let in; parts that begin, and gifts.
    const open = reg(bit, { init: 0, name: "model_open" }),
      had = reg(uint(WIDE), { init: 0, name: "model_had" }),
      gave = reg(uint(WIDE), { init: 0, name: "model_gave" }),
      sum = reg(uint(USED_BITS), { init: 0, name: "model_sum" }),
      parts = reg(uint(2), { init: 0, name: "model_parts" }),
      gifts = reg(uint(2), { init: 0, name: "model_gifts" }),
      owed = reg(bit, { init: 0, name: "model_owed" });
    const next = node(tokens.add(meter.more).sub(bytes.zext(WIDE).shl(PART_BITS)), { name: "model_next" }),
      over = node(io.part.and(parts.eq(PARTS)), { name: "model_over" });
    when(io.begins, () => {
      open.set(1);
      had.set(next);
      gave.set(0);
      sum.set(0);
      parts.set(0);
      gifts.set(0);
      // The gift of this cycle is given; one whose part has begun is still to come.
      owed.set(meter.underWay.andNot(meter.gets).or(io.part));
    }).elseWhen(open, () => {
      gave.set(gave.add(meter.more));
      sum.set(sum.add(bytes.zext(USED_BITS)));
      parts.set(parts.add(io.part.zext(2)));
      gifts.set(gifts.add(meter.gets.zext(2)));
      when(over, () => open.set(0));
    });

    const w = WIDE + 1,
      share = io.epochShare.zext(w),
      whole = share.shl(PART_BITS),
      /** What may be given: by each part of the epoch, and by the one that had begun before. */
      most = node(
        Array.from({ length: PARTS }, () => share).reduce((a, b) => a.add(b), share),
        { name: "model_most" },
      ),
      letIn = node(sum.zext(w).shl(PART_BITS), { name: "model_let_in" }),
      shifted = (v: UInt): UInt => v.add(BELOW);
    assertAlways(shifted(tokens).zext(w).le(whole.add(BELOW)), "one share is saved at most, and one frame is owed");
    assertAlways(
      open.not().or(letIn.le(whole.add(most).add(BELOW))),
      "in an epoch: one share, one that was saved, a part of it, and a frame",
    );
    const none = node(had.bit(WIDE - 1).or(had.any().not()), { name: "model_had_none" });
    assertAlways(
      open
        .and(none)
        .not()
        .or(letIn.le(most.add(BELOW))),
      "of one who had nothing saved: one share, a part of it, and a frame",
    );
    // What the numbers mean; the claims rest on it.
    assertAlways(
      open.not().or(tokens.eq(had.add(gave).sub(letIn.trunc(WIDE)))),
      "tokens are what was there and given, less what was let in",
    );
    assertAlways(
      open.not().or(
        gifts
          .zext(3)
          .add(meter.underWay.zext(3))
          .eq(parts.zext(3).add(owed.zext(3))),
      ),
      "each part brings one gift",
    );
    const [due, seenDue, gets] = meter.stages,
      { given, used, seen } = meter,
      seenTokens = node(seen.given.sub(seen.used.zext(WIDE).shl(PART_BITS)), { name: "model_seen_tokens" }),
      since = node(used.sub(seen.used), { name: "model_since" });
    assertAlways(due.and(seenDue).or(due.or(seenDue).and(gets)).not(), "one gift is under way at most");
    assertAlways(seenDue.not().or(seen.given.eq(given).and(since.le(FRAME))), "what is seen lacks one take at most");
    assertAlways(
      seenDue.not().or(shifted(seenTokens).zext(w).le(whole.add(BELOW))),
      "what is seen is no more than one share",
    );
    assertAlways(gets.not().or(meter.more.zext(w).le(share)), "a gift is no more than a part of a share");
    assertAlways(
      gets.not().or(shifted(tokens.add(meter.more)).zext(w).le(whole.add(BELOW))),
      "with a gift it is one share at most",
    );
    const upTo = [0, 1, 2, 3].reduce<UInt>(
      (v, n) =>
        mux(
          gifts.eq(n),
          Array.from({ length: n }, () => share).reduce((a, b) => a.add(b), constant(0, w)),
          v,
        ),
      constant(0, w),
    );
    assertAlways(open.not().or(gave.zext(w).le(upTo)), "gifts are parts of a share at most");
    assertAlways(open.not().or(parts.le(PARTS)), "an epoch has so many parts");
    assertAlways(open.not().or(shifted(had).zext(w).le(whole.add(BELOW))), "so it was when the window began");
    cover(tokens.eq(6), "a whole share is saved");
    cover(tokens.add(BELOW).eq(0), "a whole frame is owed");
    cover(open.and(none).and(letIn.eq(FRAME * PARTS)), "one who had nothing saved has a whole frame");
  },
);

export const meterProof: Proof = {
  module: "meter of a user",
  harness: harness(),
  faults: [
    { what: "more than one share is saved", from: /share_fits = [^;]*;/, to: "share_fits = 1'b1;" },
    { what: "who owes may take", from: /may_take = [^;]*;/, to: "may_take = 1'b1;" },
    { what: "what is saved is not looked at", from: /tokens_now = [^;]*;/, to: "tokens_now = 6'd0;" },
    { what: "a share is given with each turn", from: "seen_due <= due & turn", to: "seen_due <= turn" },
  ],
};
