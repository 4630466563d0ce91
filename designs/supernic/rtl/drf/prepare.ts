import {
  addressBits,
  type Bit,
  constant,
  type InstanceOf,
  mux,
  node,
  onehotMux,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { ownEntry } from "../inside/index.ts";
import { ago, counter, numberAgo } from "./arithmetic.ts";
import type { DrfLane } from "./lane.ts";
import { type DrfParameters, groupBitsOf, groupsOf, inverseBits, sumBitsOf } from "./parameters.ts";

type Lane = InstanceOf<typeof DrfLane>;

/** A question to the divider. */
export interface Division {
  readonly valid: Bit;
  readonly above: bigint | UInt;
  readonly below: UInt;
}
/** An answer, rounded both ways; `mark` came with the question. */
export interface Answer {
  readonly valid: Bit;
  readonly mark: UInt;
  readonly down: UInt;
  readonly up: UInt;
}

/** Marks of a resource's inverse. */
const absent = 1,
  full = 2;
/** Cycles from a resource's sum to its question. */
const floorLatency = 3;

/** What is left of a resource behind the floors of all users. */
export interface Left {
  readonly question: Division;
  readonly mark: UInt;
}

/** Capacities, as software writes them. */
function capacitiesOf(p: DrfParameters, write: { readonly en: Bit; readonly index: UInt; readonly value: UInt }) {
  const list = ram(uint(f.capacityBits), {
    depth: p.resources,
    collision: "old",
    style: "distributed",
    name: "capacities",
    outside: "unreached",
    init: [0],
  });
  list.write(ownEntry(write, p.resources), write.index, write.value.is(f.capacityBits));
  return list;
}

/** Goes through all resources from `start` on: the capacity of each, less the floors of those who use it. */
export function leftOf(
  p: DrfParameters,
  lanes: readonly Lane[],
  capacity: Parameters<typeof capacitiesOf>[1],
  start: Bit,
): Left {
  const capacities = capacitiesOf(p, capacity),
    lane = counter("left_lane", p.lanes, addressBits(p.lanes)),
    group = counter("left_group", groupsOf(p), groupBitsOf(p)),
    row = counter("left_row", p.resources, addressBits(p.resources)),
    asking = reg(uint(1), { init: 0, name: "left_asking" }),
    asks = asking.bit(0);
  when(start, () => asking.set(1)).elseWhen(row.last, () => asking.set(0));
  when(asks, () => {
    row.step();
    lane.step();
    when(lane.last, () => group.step());
  });
  for (const l of lanes) l.sumOf.set(group.value);

  const sum = numberAgo(
      "uses_sum",
      onehotMux(
        lanes.map((_, l) => lane.value.eq(l)),
        lanes.map(l => l.sum),
      ).is(sumBitsOf(p)),
      1,
    ),
    has = numberAgo("capacity", capacities.readAsync(row.value), 2);
  const floorBits = addressBits(p.floor + 1),
    wide = sumBitsOf(p) + floorBits + 1,
    product = sum.mul(constant(p.floor, floorBits)).zext(wide),
    whole = node(product.add(2 ** f.vectorFraction - 1).shr(f.vectorFraction), { name: "floors_up" }),
    floors = numberAgo("floors", whole, 1);
  const less = node(has.zext(wide + 1).sub(floors.zext(wide + 1)), { name: "capacity_less" }),
    none = less.bit(wide),
    few = node(less.trunc(wide).le(f.leastLeft), { name: "capacity_few" }),
    isAbsent = node(has.eq(0), { name: "capacity_absent" }),
    isFull = node(none.or(few).andNot(isAbsent), { name: "capacity_full" });
  const mark = mux(isAbsent, constant(absent, 2), mux(isFull, constant(full, 2), constant(0, 2)));
  return {
    question: {
      valid: ago("left_valid", asks, floorLatency),
      above: 1n << BigInt(f.inverseFraction),
      below: numberAgo("left_units", less.trunc(f.capacityBits), 1),
    },
    mark: numberAgo("left_mark", mark, 1),
  };
}

/** Gives each inverse to its lane; returns how many groups have theirs, a bit each. */
export function inversesOf(p: DrfParameters, lanes: readonly Lane[], answer: Answer, clear: Bit): readonly Bit[] {
  const lane = counter("inverse_lane", p.lanes, addressBits(p.lanes)),
    group = counter("inverse_group", groupsOf(p), groupBitsOf(p));
  when(answer.valid, () => {
    lane.step();
    when(lane.last, () => group.step());
  });
  const useless = answer.mark.any();
  lanes.forEach((l, i) =>
    l.inverse.set({
      valid: answer.valid.and(lane.value.eq(i)),
      group: group.value,
      value: mux(useless, constant(0, inverseBits), answer.up.resize(inverseBits)),
      full: answer.mark.bit(1),
    }),
  );
  const ends = node(answer.valid.and(lane.last), { name: "inverse_group_ends" });
  return Array.from({ length: groupsOf(p) }, (_, g) => {
    const has = reg(uint(1), { init: 0, name: `inverses_${g}` });
    when(clear, () => has.set(0)).elseWhen(ends.and(group.value.eq(g)), () => has.set(1));
    return has.bit(0);
  });
}
