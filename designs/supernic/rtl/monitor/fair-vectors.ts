import {
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  input,
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
import { ago, dividerLatency, numberAgo } from "../drf/index.ts";
import { EntryWrite, ownEntry } from "../inside/index.ts";
import { dividing, laneBitsOf, packed, Slot, type SlotValue, walkOf } from "./measures.ts";
import { drfOf, fairName, type FairParameters, fairUserBits, fairUsers, userPlaces } from "./parameters.ts";
import { Counted, Place } from "./records.ts";
import { countedLatency } from "./use-monitor.ts";

/** Measures of a place that are kept beside a new one. */
const keptMeasures = 3;
/** Cycles from a measure to the memories. */
const writeLatency = 3;
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
  const own = node(ownEntry({ en: write.en, index: user }, fairUsers(p)).and(resource.lt(2 * lanes)), {
    name: "first_is_own",
  });
  const place = { user: user.resize(fairUserBits(p)), group: second, lane };
  when(own, () => {
    waits.set(1);
    entry.set({ ...place, use: write.value.use.is(f.vectorBits) });
  }).elseWhen(wrote, () => waits.set(0));
  assertAlways(own.not().or(waits.not()).or(wrote), "what software says of a user waits for a few cycles at most");
  /** Its place in the next cycle. */
  const next = node(mux(own, packed(place), packed(entry)), { name: "first_next" });
  return { waits, entry, next };
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

    // Software writes between measures, and not while one of the same place is under way. All but the newest of them
    // are compared with it a cycle before.
    const goes = wire(bit, { name: "first_goes" }),
      said = firstOf(p, io.firstUse, goes);
    const soon = (name: string, valid: Bit, s: SlotValue): Bit =>
        ago(`first_is_${name}`, valid.and(packed(s).eq(said.next)), 1),
      now = measured.valid.and(packed(measured.slot).eq(packed(said.entry))),
      underWay = orTree([now, soon("read", measured.valid, measured.slot), soon("compared", reads, at), valid3]);
    goes.set(said.waits.andNot(underWay));
    const slot = mux(valid3, packed(at3), packed(said.entry)),
      writes = node(valid3.or(goes), { name: "place_is_written" });
    kept.write(
      writes,
      slot.is(fairUserBits(p) + 1 + laneBitsOf(p)),
      measures.map(m => mux(valid3, m, said.entry.use).is(f.vectorBits)),
    );
    const value = node(mux(valid3, largest, said.entry.use).is(f.vectorBits), { name: "largest_written" }),
      whose = mux(valid3, cat(at3.user, at3.group), cat(said.entry.user, said.entry.group)).is(fairUserBits(p) + 1),
      writesTo = (l: number): Bit => valid3.and(at3.lane.eq(l)).or(goes.and(said.entry.lane.eq(l)));
    for (let l = 0; l < lanes; l++) {
      const vectors = ram(uint(f.vectorBits), {
        depth: 2 * userPlaces(p),
        collision: "old",
        style: "distributed",
        init: [0],
        name: `vectors_${l}`,
      });
      vectors.write(writesTo(l), whose, value);
      io.uses.at(l).set(vectors.readAsync(cat(io.of.user, io.of.group).is(fairUserBits(p) + 1)));
    }
    const late = countedLatency + 1 + dividerLatency(f.vectorBits) + writeLatency,
      left = reg(uint(bitsFor(late)), { init: 0, name: "measures_left" });
    when(walk.walking, () => left.set(late)).elseWhen(left.any(), () => left.set(left.sub(1)));
    io.busy.set(walk.walking.or(left.any()));
  },
  { nameOf: p => `FairVectors_${fairName(p)}` },
);
