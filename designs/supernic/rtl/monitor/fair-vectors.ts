import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { drfFormat as f } from "../../config/index.ts";
import { resourcePlaces } from "../../wire/index.ts";
import { ago, counter, DrfDivider, dividerLatency, numberAgo } from "../drf/index.ts";
import { EntryWrite } from "../inside/index.ts";
import {
  countedResources,
  drfOf,
  fairName,
  type FairParameters,
  fairUserBits,
  fairUsers,
  tallyBits,
  unitBits,
  userPlaces,
} from "./parameters.ts";
import { Counted, Place } from "./records.ts";
import { countedLatency } from "./use-monitor.ts";

/** Fraction bits of use by bytes, before it is rounded: those of a vector, and those of a unit. */
const aboveShift = f.vectorFraction + unitBits;
/** Measures of a place that are kept beside a new one. */
const keptMeasures = 3;
/** Cycles from a measure to the memories. */
const writeLatency = 3;
/** Where a resource of a user is in the vectors: its group, and its lane in it. */
const laneBitsOf = (p: FairParameters): number => addressBits(drfOf(p).lanes);
const Slot = (p: FairParameters) => struct({ user: uint(fairUserBits(p)), group: uint(1), lane: uint(laneBitsOf(p)) });
type SlotValue = Val<ReturnType<typeof Slot>>;
const packed = (s: SlotValue): UInt => cat(s.user, s.group, s.lane);

const vectorPorts = (p: FairParameters) => ({
  /** The epoch of uses is over, and can be asked for. */
  start: input(bit),
  ask: output(Place(p)),
  counted: input(Counted),
  firstUse: input(EntryWrite("firstUse")),
  /** Vectors of a user and a group, in the same cycle. */
  of: input(struct({ user: uint(fairUserBits(p)), group: uint(1) })),
  uses: output(vec(uint(f.vectorBits), drfOf(p).lanes)),
  /** The last measure of a place that software looks at; it follows within 4 cycles. */
  look: input(Place(p)),
  shown: output(uint(f.vectorBits)),
  busy: output(bit),
});

/** Users in their order, and their resources; each for two cycles, so that software has the memories in between. */
function walkOf(p: FairParameters, start: Bit) {
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
function dividing(p: FairParameters, asks: Bit, slot: SlotValue, counted: Val<typeof Counted>) {
  const valid = ago("counted_valid", asks, countedLatency),
    at = {
      user: numberAgo("counted_user", slot.user, countedLatency),
      group: numberAgo("counted_group", slot.group, countedLatency),
      lane: numberAgo("counted_lane", slot.lane, countedLatency),
    };
  const divider = instance(
    "divider",
    DrfDivider({ aboveBits: tallyBits + aboveShift, belowBits: tallyBits, quotientBits: f.vectorBits, tagBits: tagBits(p) }),
  );
  const over = node(counted.use.shr(f.vectorBits - aboveShift).zext(tallyBits).ge(counted.bytes), { name: "over" });
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

const larger = (a: UInt, b: UInt): UInt => mux(a.gt(b), a, b);

/** What software says of a new user: it waits for a cycle in which no measure is written, or its own is under way. */
function firstOf(p: FairParameters, write: Val<ReturnType<typeof EntryWrite<"firstUse">>>, wrote: Bit) {
  const Entry = struct({ ...Slot(p).fields, use: uint(f.vectorBits) }),
    waits = reg(bit, { init: 0, name: "first_waits" }),
    entry = reg(Entry, { name: "first" });
  const { lanes } = drfOf(p),
    bits = Math.log2(resourcePlaces),
    resource = write.index.bits(0, bits),
    user = write.index.bits(bits, 6),
    second = node(resource.ge(lanes), { name: "first_second" }),
    lane = mux(second, resource.sub(lanes), resource).resize(laneBitsOf(p));
  const own = node(write.en.and(resource.lt(2 * lanes)).and(user.lt(fairUsers(p))), { name: "first_is_own" });
  when(own, () => {
    waits.set(1);
    entry.set({ user: user.resize(fairUserBits(p)), group: second, lane, use: write.value.use.is(f.vectorBits) });
  }).elseWhen(wrote, () => waits.set(0));
  assertAlways(own.not().or(waits.not()).or(wrote), "what software says of a user waits for a few cycles at most");
  return { waits, entry };
}

/**
 * What each user is taken to use of each resource (docs/supernic/monitors.md): the largest of its last four measures,
 * of epochs in which it had bytes. From `start` on all are measured anew, one in two cycles, through a divider: latency
 * 2 cycles for each place, and 18. What software says of a new user counts within 6 cycles, also for the other three
 * measures. Nothing waits. Reset: nothing is measured; measures and vectors stay.
 */
export const FairVectors = module(
  "FairVectors",
  (p: FairParameters) => vectorPorts(p),
  (io, p) => {
    const { lanes } = drfOf(p),
      walk = walkOf(p, io.start);
    io.ask.set({ user: walk.slot.user, resource: walk.resource.resize(io.ask.resource.width) });
    const measured = dividing(p, walk.asks, walk.slot, io.counted);

    // A measure, those before it, and the largest of all: 3 cycles.
    const Kept = vec(uint(f.vectorBits), keptMeasures),
      places = 2 ** (fairUserBits(p) + 1 + laneBitsOf(p)),
      kept = ram(Kept, { depth: places, collision: "old", style: "block", init: [0], name: "measures" });
    const lookSecond = io.look.resource.ge(lanes),
      looked = {
        user: io.look.user,
        group: lookSecond,
        lane: mux(lookSecond, io.look.resource.sub(lanes), io.look.resource).resize(laneBitsOf(p)),
      };
    const at = reg(Slot(p), { name: "read_at" }),
      reads = ago("reads", measured.valid, 1),
      use1 = numberAgo("measure", measured.use, 1);
    at.set(measured.slot);
    const word = kept.readSync(
        mux(measured.valid, packed(measured.slot), packed(looked)).is(fairUserBits(p) + 1 + laneBitsOf(p)),
        { name: "kept_word" },
      ),
      shown = reg(uint(f.vectorBits), { name: "shown_q" });
    when(reads.not(), () => shown.set(word.at(0)));
    io.shown.set(shown);
    const at2 = reg(Slot(p), { name: "compared_at" }),
      valid2 = ago("compares", reads, 1),
      use2 = numberAgo("compared", use1, 1),
      newer = numberAgo("newer", larger(use1, word.at(0)), 1),
      older = numberAgo("older", larger(word.at(1), word.at(2)), 1),
      before = [word.at(0), word.at(1)].map((m, i) => numberAgo(`before_${i}`, m, 1));
    at2.set(at);
    const at3 = reg(Slot(p), { name: "written_at" }),
      valid3 = ago("writes", valid2, 1),
      largest = numberAgo("largest", larger(newer, older), 1),
      measures = [use2, ...before].map((m, i) => numberAgo(`measures_${i}`, m, 1));
    at3.set(at2);

    // Software writes between measures, and not while one of the same place is under way.
    const goes = wire(bit, { name: "first_goes" }),
      said = firstOf(p, io.firstUse, goes);
    const same = (s: SlotValue): Bit => packed(s).eq(packed(said.entry)),
      underWay = orTree([
        measured.valid.and(same(measured.slot)),
        reads.and(same(at)),
        valid2.and(same(at2)),
        valid3,
      ]);
    goes.set(said.waits.andNot(underWay));
    const slot = mux(valid3, packed(at3), packed(said.entry)),
      writes = node(valid3.or(goes), { name: "place_is_written" });
    kept.write(
      writes,
      slot.is(fairUserBits(p) + 1 + laneBitsOf(p)),
      measures.map(m => mux(valid3, m, said.entry.use).is(f.vectorBits)) as never,
    );
    const value = node(mux(valid3, largest, said.entry.use).is(f.vectorBits), { name: "largest_written" }),
      whose = mux(valid3, cat(at3.user, at3.group), cat(said.entry.user, said.entry.group)).is(fairUserBits(p) + 1),
      lane = mux(valid3, at3.lane, said.entry.lane);
    for (let l = 0; l < lanes; l++) {
      const vectors = ram(uint(f.vectorBits), {
        depth: 2 * userPlaces(p),
        collision: "old",
        style: "distributed",
        init: [0],
        name: `vectors_${l}`,
      });
      vectors.write(writes.and(lane.eq(l)), whose, value);
      io.uses.at(l).set(vectors.readAsync(cat(io.of.user, io.of.group).is(fairUserBits(p) + 1)));
    }
    const late = countedLatency + 1 + dividerLatency(f.vectorBits) + writeLatency,
      left = reg(uint(bitsFor(late)), { init: 0, name: "measures_left" });
    when(walk.walking, () => left.set(late)).elseWhen(left.any(), () => left.set(left.sub(1)));
    io.busy.set(walk.walking.or(left.any()));
  },
  { nameOf: p => `FairVectors_${fairName(p)}` },
);
