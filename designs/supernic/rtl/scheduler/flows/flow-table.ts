import {
  addressBits,
  assertAlways,
  type Bit,
  bit,
  cat,
  constant,
  decode,
  input,
  module,
  mux,
  node,
  onehotMux,
  output,
  ram,
  reg,
  sink,
  struct,
  type UInt,
  uint,
  vec,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { flowMarks } from "./flow-marks.ts";
import {
  FlowAsk,
  flowCountBits,
  flowEntries,
  FlowLeave,
  FlowMark,
  type FlowParameters,
  flowRegionBits,
} from "./flow-records.ts";

/** The region with the fewest packets, of those of a mask; through a tree with a register in each level. */
function fewest(name: string, mask: UInt, loads: readonly UInt[], p: FlowParameters): UInt {
  interface Node {
    readonly region: UInt;
    /** Whether there is one, and its load; nobody asks that of the last. */
    readonly there: () => Bit;
    readonly load: () => UInt;
  }
  const region = uint(flowRegionBits(p));
  let row: Node[] = loads.map((l, r) => ({
    region: constant(r, flowRegionBits(p)),
    there: () => mask.bit(r),
    load: () => l,
  }));
  for (let level = 0; row.length > 1; level++) {
    const isRoot = row.length === 2;
    row = Array.from({ length: Math.ceil(row.length / 2) }, (_, i): Node => {
      const a = row[2 * i] as Node,
        b = row[2 * i + 1],
        at = `${name}_${level}_${i}`;
      /** What this place keeps: the better one's. The last one of an odd number has nobody beside it. */
      const second =
        b === undefined
          ? undefined
          : node(b.there().and(a.there().not().or(b.load().lt(a.load()))), { name: `${at}_second` });
      const who = reg(region, { name: `${at}_region` });
      who.set(b === undefined || second === undefined ? a.region : mux(second, b.region, a.region));
      if (isRoot) return { ...a, region: who };
      const there = reg(bit, { name: `${at}_there` }),
        least = reg(uint(flowCountBits(p)), { name: `${at}_load` });
      there.set(b === undefined ? a.there() : a.there().or(b.there()));
      least.set(b === undefined || second === undefined ? a.load() : mux(second, b.load(), a.load()));
      return { region: who, there: () => there, load: () => least };
    });
  }
  return (row[0] as Node).region;
}

/** After reset: the table is cleared, a flow a cycle. */
function clearFlows(p: FlowParameters) {
  const index = uint(addressBits(flowEntries(p)));
  const clearing = reg(bit, { init: 1, name: "clearing" }),
    cleared = reg(index, { init: 0, name: "cleared" });
  cleared.set(cleared.add(1));
  when(cleared.all(), () => clearing.set(0));
  return { clearing, cleared };
}

/**
 * Where a flow's packets go. A flow stays in its region while packets of it are inside; a new one goes to the instance
 * of its chain that has the fewest. `mark` (a scale-out, a drain) marks the flows of a group that are inside one of
 * some regions: their new packets do not go until none is left, and then choose anew. Packets that did not go are
 * counted, and as long as one of the flow waits only the first of them may go (`again`). So nothing overtakes. A packet
 * that is `unordered` never waits, and counts only as a load. One that is `pinned` goes where it says, and waits as all
 * others.
 *
 * `answer` says a cycle after `ask` whether the packet goes, and where; one that goes is counted. Latency 1, initiation
 * interval 1. `leave` counts a packet out; `ask` sees it in the next cycle. Loads are seen `ceil(log2(regions)) + 1`
 * cycles late.
 *
 * A mark counts when `ask` is ready again, `ceil(log2(regions)) + 1` cycles later. It is a new generation of its
 * group, unless it is for no region; each flow has that of its last packet. A sweep behind it makes the flows'
 * generations new, in every eighth cycle, in which nobody may ask: 8 x 2^hashBits cycles. A mark waits, and all others
 * with it, when its group has 2^bits - 1 generations that are not swept up; then the sweep has every cycle. Reset
 * clears the table, a cycle for each flow of each group: `ask` and `mark` wait, packets may leave. A packet that
 * leaves must have entered. (Design: supernic-scheduler, P4; paper §5.4.2.)
 */
export const FlowTable = module(
  "FlowTable",
  (p: FlowParameters) => ({
    ask: sink(FlowAsk(p)),
    answer: output(struct({ valid: bit, goes: bit, region: uint(flowRegionBits(p)) })),
    leave: input(FlowLeave(p)),
    mark: sink(FlowMark(p)),
    /** Regions that have the chain, by group: one at least, while its packets ask. */
    instances: input(vec(uint(p.regions), p.groups)),
    /** Packets that were sent to each region and have not left, a cycle late. */
    loads: output(vec(uint(flowCountBits(p)), p.regions)),
  }),
  (io, p) => {
    const count = uint(flowCountBits(p)),
      index = uint(addressBits(flowEntries(p))),
      region = uint(flowRegionBits(p));
    const at = (f: { readonly group: UInt; readonly hash: UInt }): UInt => cat(f.group, f.hash).is(index.width);

    // Each list has one who writes: `entered` who asks, `left` who leaves. A flow is inside while they differ.
    const depth = flowEntries(p);
    const entered = ram(count, { depth, collision: "new", style: "block" }),
      left = ram(count, { depth, collision: "new", style: "block" }),
      generation = uint(p.generationBits),
      places = ram(struct({ region, mixed: bit, marked: bit, generation, waiting: count }), {
        depth,
        collision: "new",
        style: "block",
      });

    const { clearing, cleared } = clearFlows(p);
    const { rests, sweeps, swept, latest } = flowMarks(p, io.mark, io.ask.payload.flow.group, clearing);
    io.ask.ready.set(rests.andNot(clearing).andNot(sweeps));

    // Who asks: read, then decide and write. The one just behind sees what is written.
    const asks = reg(bit, { init: 0, name: "asks" }),
      sweeping = reg(bit, { init: 0, name: "sweeping" }),
      who = reg(FlowAsk(p), { name: "who" }),
      asked = who.flow;
    asks.set(io.ask.fire);
    sweeping.set(sweeps);
    when(io.ask.fire, () => who.set(io.ask.payload));
    const readAt = node(mux(sweeps, swept, at(io.ask.payload.flow)), { name: "read_at" }),
      writtenAt = reg(index, { name: "written_at" });
    writtenAt.set(readAt);
    const before = entered.readSync(readAt, { name: "entered_before" }),
      gone = left.readSync(readAt, { name: "left_before" }),
      place = places.readSync(readAt, { name: "place_before" });
    const inside = node(before.ne(gone), { name: "is_inside" }),
      old = node(place.generation.ne(latest.generation), { name: "is_old" }),
      isFrom = node(place.mixed.or(decode(place.region, p.regions).and(latest.from).any()), { name: "is_from" }),
      // Whether a packet of the flow is inside is known last: what else there is to ask is found beside it.
      holds = node(place.marked.or(old.and(isFrom)), { name: "holds" }),
      held = node(inside.and(holds), { name: "is_held" }),
      behind = node(place.waiting.any().andNot(who.again), { name: "is_behind" }),
      wants = node(asks.andNot(who.givesUp), { name: "wants" }),
      passes = node(wants.and(who.unordered), { name: "passes" }),
      orderly = node(wants.andNot(who.unordered.or(behind)), { name: "is_orderly" }),
      counts = node(orderly.andNot(inside.and(holds)), { name: "counts" }),
      goes = node(passes.or(counts), { name: "goes" });
    const loads = Array.from({ length: p.regions }, (_, r) => reg(count, { init: 0, name: `load_${r}` }));
    const least = onehotMux(
      Array.from({ length: p.groups }, (_, g) => asked.group.eq(g)),
      Array.from({ length: p.groups }, (_, g) => fewest(`fewest_${g}`, io.instances.at(g), loads, p)),
    );
    const stays = node(inside.andNot(who.unordered), { name: "stays" }),
      to = node(mux(who.pinned, who.region, mux(stays, place.region, least)), { name: "to" });
    io.answer.set({ valid: asks, goes, region: to });

    // Who asks always writes, even what was there: whether he goes is known late, and all see what is written.
    const no = constant(0, count.width),
      // Chains with one instance each share the entry: packets of it are in more regions than the one it names.
      elsewhere = node(who.pinned.and(who.region.ne(place.region)), { name: "is_elsewhere" }),
      fewer = node(place.waiting.sub(1), { name: "fewer_wait" }),
      // Who goes, and who does not; one that does not go and did not wait before waits from now on.
      waitsLess = mux(who.again.andNot(who.unordered), fewer, place.waiting),
      waitsOn = mux(who.unordered.or(who.again), place.waiting, place.waiting.add(1)),
      stuck = mux(who.givesUp, fewer, waitsOn),
      // Nobody goes while the table is cleared or swept.
      asItIs = node(mux(clearing, no, mux(sweeping, place.waiting, stuck)), { name: "waiting_as_it_is" });
    entered.write(
      asks.or(clearing),
      mux(clearing, cleared, writtenAt),
      mux(counts, before.add(1), mux(clearing, no, before)),
    );
    places.write(asks.or(sweeping).or(clearing), mux(clearing, cleared, writtenAt), {
      region: mux(counts, to, place.region),
      mixed: mux(counts, inside.and(place.mixed.or(elsewhere)), place.mixed),
      marked: held.andNot(counts).andNot(clearing),
      generation: mux(clearing, constant(0, p.generationBits), latest.generation),
      waiting: mux(goes, waitsLess, asItIs),
    });

    // Who leaves: the same, one cycle behind the other.
    const leaves = reg(bit, { init: 0, name: "leaves" }),
      leaver = reg(index, { name: "leaver" });
    leaves.set(io.leave.valid.andNot(io.leave.unordered));
    leaver.set(at(io.leave.flow));
    const goneBefore = left.readSync(at(io.leave.flow), { name: "gone_before" });
    left.write(leaves.or(clearing), mux(clearing, cleared, leaver), mux(clearing, no, goneBefore.add(1)));

    // A load counts a cycle later: who goes is known late.
    const went = reg(struct({ valid: bit, region }), { init: { valid: 0 }, name: "went" }),
      has = reg(struct({ valid: bit, region }), { init: { valid: 0 }, name: "has_left" });
    went.set({ valid: goes, region: to });
    has.set({ valid: io.leave.valid, region: io.leave.region });
    loads.forEach((load, r) => {
      const more = node(went.valid.and(went.region.eq(r)), { name: `more_in_${r}` }),
        fewer = node(has.valid.and(has.region.eq(r)), { name: `fewer_in_${r}` });
      load.set(load.add(more.zext(count.width)).sub(fewer.zext(count.width)));
      io.loads.at(r).set(load);
      assertAlways(fewer.not().or(load.any()).or(more), `a packet that leaves was in region ${r}`);
    });
    assertAlways(
      goes
        .andNot(stays.or(who.pinned))
        .not()
        .or(
          onehotMux(
            Array.from({ length: p.groups }, (_, g) => asked.group.eq(g)),
            Array.from({ length: p.groups }, (_, g) => io.instances.at(g).any().zext(1)),
          ).bit(0),
        ),
      "a chain whose packets ask has an instance",
    );
  },
);
