/** All places of an epoch of uses, one after the other, and their measures: use by bytes. */
import {
  addressBits,
  bit,
  type Bit,
  cat,
  constant,
  instance,
  mux,
  node,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ago, counter, DrfDivider, numberAgo } from "../drf/index.ts";
import {
  countedResources,
  drfOf,
  type FairParameters,
  fairUserBits,
  fairUsers,
  tallyBits,
  unitBits,
} from "./parameters.ts";
import type { Counted } from "./records.ts";
import { countedLatency } from "./use-monitor.ts";

/** Fraction bits of use by bytes, before it is rounded: those of a vector, and those of a unit. */
const aboveShift = f.vectorFraction + unitBits;
/** Where a resource of a user is in the vectors: its group, and its lane in it. */
export const laneBitsOf = (p: FairParameters): number => addressBits(drfOf(p).lanes);
export const Slot = (p: FairParameters) =>
  struct({ user: uint(fairUserBits(p)), group: uint(1), lane: uint(laneBitsOf(p)) });
export type SlotValue = Val<ReturnType<typeof Slot>>;
export const packed = (s: SlotValue): UInt => cat(s.user, s.group, s.lane);

/** Users in their order, and their resources; each for two cycles, so that software has the memories in between. */
export function walkOf(p: FairParameters, start: Bit) {
  const { lanes } = drfOf(p),
    user = counter("walk_user", fairUsers(p), fairUserBits(p)),
    resource = counter("walk_resource", countedResources(p), addressBits(2 * lanes)),
    lane = counter("walk_lane", lanes, laneBitsOf(p)),
    group = reg(uint(1), { init: 0, name: "walk_group" }),
    walking = reg(bit, { init: 0, name: "walking" }),
    second = reg(bit, { init: 0, name: "second_cycle" });
  const steps = node(walking.and(second), { name: "steps" }),
    ends = node(steps.and(resource.last).and(user.last), { name: "walk_ends" });
  second.set(walking.andNot(second));
  when(start, () => walking.set(1)).elseWhen(ends, () => walking.set(0));
  when(steps, () => {
    resource.step();
    lane.step();
    when(lane.last, () => group.set(1));
    when(resource.last, () => {
      lane.clear();
      group.set(0);
      user.step();
    });
  });
  return {
    asks: node(walking.andNot(second), { name: "asks" }),
    walking,
    resource: resource.value,
    slot: { user: user.value, group, lane: lane.value },
  };
}

/** What is on its way through the divider: that there is no room, and the place. */
const tagBits = (p: FairParameters): number => 1 + fairUserBits(p) + 1 + laneBitsOf(p);

/** Use by bytes, rounded up; the largest number where it has no room, and none where there are no bytes. */
export function dividing(p: FairParameters, asks: Bit, slot: SlotValue, counted: Val<typeof Counted>) {
  const valid = ago("counted_valid", asks, countedLatency),
    at = {
      user: numberAgo("counted_user", slot.user, countedLatency),
      group: numberAgo("counted_group", slot.group, countedLatency),
      lane: numberAgo("counted_lane", slot.lane, countedLatency),
    };
  const divider = instance(
    "divider",
    DrfDivider({
      aboveBits: tallyBits + aboveShift,
      belowBits: tallyBits,
      quotientBits: f.vectorBits,
      tagBits: tagBits(p),
    }),
  );
  const over = node(
    counted.use
      .shr(f.vectorBits - aboveShift)
      .zext(tallyBits)
      .ge(counted.bytes),
    { name: "over" },
  );
  const asked = reg(struct({ valid: bit, tag: uint(tagBits(p)), use: uint(tallyBits), bytes: uint(tallyBits) }), {
    init: { valid: 0 },
    name: "asked",
  });
  asked.set({
    valid: valid.and(counted.bytes.any()),
    tag: cat(over, at.user, at.group, at.lane).is(tagBits(p)),
    use: counted.use,
    bytes: counted.bytes,
  });
  divider.ask.set({
    valid: asked.valid,
    tag: asked.tag,
    above: cat(asked.use, constant(0, aboveShift)).is(tallyBits + aboveShift),
    below: asked.bytes,
  });
  const { valid: answers, tag, quotient, inexact } = divider.answer,
    lanes = laneBitsOf(p),
    isMost = node(tag.bit(tagBits(p) - 1).or(quotient.all()), { name: "is_most" }),
    up = quotient.add(inexact.zext(f.vectorBits));
  return {
    valid: answers,
    slot: { user: tag.bits(lanes + 1, fairUserBits(p)), group: tag.bits(lanes, 1), lane: tag.bits(0, lanes) },
    use: node(mux(isMost, constant((1n << BigInt(f.vectorBits)) - 1n, f.vectorBits), up).is(f.vectorBits), {
      name: "measure",
    }),
  };
}
