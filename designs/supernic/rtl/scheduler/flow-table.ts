import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  fsm,
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
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";

export interface FlowParameters {
  readonly regions: number;
  /** Chains that have, or may get, more than one instance: a power of two of 2 or more. */
  readonly groups: number;
  /** Bits of a flow's hash. */
  readonly hashBits: number;
  /** Packets that are inside, or wait to be, at most: a power of two. One counts for each of its branches. */
  readonly contexts: number;
}
const groupBits = (p: Pick<FlowParameters, "groups">): number => addressBits(p.groups);
export const flowRegionBits = (p: Pick<FlowParameters, "regions">): number => addressBits(p.regions);
const countBits = (p: Pick<FlowParameters, "contexts">): number => Math.log2(p.contexts) + 1;
const entries = (p: FlowParameters): number => p.groups * 2 ** p.hashBits;

/** A flow of a chain: packets that share both keep their order. */
export const Flow = (p: FlowParameters) => struct({ group: uint(groupBits(p)), hash: uint(p.hashBits) });
/** A packet that wants in. */
export const FlowAsk = (p: FlowParameters) =>
  struct({
    flow: Flow(p),
    /** It may overtake, and be overtaken: it never waits. */
    unordered: bit,
    /** It goes to `region`, and nowhere else: its chain has no other instance. */
    pinned: bit,
    region: uint(flowRegionBits(p)),
    /** It has asked before, and is the first of those of its flow that wait. */
    again: bit,
    /** With `again`: it does not want in any more. */
    givesUp: bit,
  });
export const FlowLeave = (p: FlowParameters) =>
  struct({ valid: bit, flow: Flow(p), unordered: bit, region: uint(flowRegionBits(p)) });

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
        least = reg(uint(countBits(p)), { name: `${at}_load` });
      there.set(b === undefined ? a.there() : a.there().or(b.there()));
      least.set(b === undefined || second === undefined ? a.load() : mux(second, b.load(), a.load()));
      return { region: who, there: () => there, load: () => least };
    });
  }
  return (row[0] as Node).region;
}

/**
 * Where a flow's packets go. A flow stays in its region while packets of it are inside; a new one goes to the instance
 * of its chain that has the fewest. `mark` (a scale-out, a drain) marks the flows of a chain that are inside: their new
 * packets do not go until none is left, and then choose anew. Packets that did not go are counted, and as long as one
 * of the flow waits only the first of them may go (`again`). So nothing overtakes. A packet that is `unordered` never
 * waits, and counts only as a load. One that is `pinned` goes where it says, and waits as all others.
 *
 * `answer` says a cycle after `ask` whether the packet goes, and where; one that goes is counted. Latency 1, initiation
 * interval 1. `leave` counts a packet out; `ask` sees it in the next cycle. Loads are seen `ceil(log2(regions)) + 1`
 * cycles late. `mark` takes 2^hashBits cycles, and reset clears the table in as many for each group: `ask` and `mark`
 * wait meanwhile, packets may leave. A packet that leaves must have entered. (Design: supernic-scheduler, P4; paper
 * §5.4.2.)
 */
export const FlowTable = module(
  "FlowTable",
  (p: FlowParameters) => ({
    ask: sink(FlowAsk(p)),
    answer: output(struct({ valid: bit, goes: bit, region: uint(flowRegionBits(p)) })),
    leave: input(FlowLeave(p)),
    mark: sink(uint(groupBits(p))),
    /** Regions that have the chain, by group: one at least, while its packets ask. */
    instances: input(vec(uint(p.regions), p.groups)),
    /** Packets that were sent to each region and have not left, a cycle late. */
    loads: output(vec(uint(countBits(p)), p.regions)),
  }),
  (io, p) => {
    const count = uint(countBits(p)),
      index = uint(addressBits(entries(p))),
      region = uint(flowRegionBits(p)),
      lastHash = 2 ** p.hashBits - 1;
    const at = (f: { readonly group: UInt; readonly hash: UInt }): UInt => cat(f.group, f.hash).is(index.width);

    // Each list has one who writes: `entered` who asks, `left` who leaves. A flow is inside while they differ.
    const depth = entries(p);
    const entered = ram(count, { depth, collision: "new", style: "block" }),
      left = ram(count, { depth, collision: "new", style: "block" }),
      places = ram(struct({ region, marked: bit, waiting: count }), { depth, collision: "new", style: "block" });

    const sweeping = reg(index, { init: 0, name: "sweeping" }),
      group = reg(uint(groupBits(p)), { init: 0, name: "swept_group" });
    const state = fsm(["clear", "serve", "fetch", "sweep"], "clear", m => ({
      clear: () => when(sweeping.all(), () => m.go("serve")),
      serve: () =>
        when(io.mark.valid, () => {
          group.set(io.mark.payload);
          m.go("fetch");
        }),
      // What was asked with the mark is written in this cycle, and so the sweep sees it.
      fetch: () => m.go("sweep"),
      sweep: () => when(sweeping.bits(0, p.hashBits).eq(lastHash), () => m.go("serve")),
    }));
    const clearing = state.is("clear"),
      serving = state.is("serve"),
      sweeps = state.is("sweep");
    sweeping.set(mux(clearing.or(sweeps), sweeping.add(1), constant(0, index.width)));
    io.mark.ready.set(serving);
    io.ask.ready.set(serving);

    // Who asks: read, then decide and write. The one just behind sees what is written.
    const swept = cat(group, sweeping.bits(0, p.hashBits)).is(index.width),
      sweptNext = cat(group, sweeping.bits(0, p.hashBits).add(1)).is(index.width);
    const asks = reg(bit, { init: 0, name: "asks" }),
      who = reg(FlowAsk(p), { name: "who" }),
      asked = who.flow;
    asks.set(io.ask.fire);
    when(io.ask.fire, () => who.set(io.ask.payload));
    const readAt = node(
      mux(
        serving,
        at(io.ask.payload.flow),
        mux(sweeps, sweptNext, cat(group, constant(0, p.hashBits)).is(index.width)),
      ),
      { name: "read_at" },
    );
    const before = entered.readSync(readAt, { name: "entered_before" }),
      gone = left.readSync(readAt, { name: "left_before" }),
      place = places.readSync(readAt, { name: "place_before" });
    const inside = node(before.ne(gone), { name: "is_inside" }),
      held = node(inside.and(place.marked), { name: "is_held" }),
      behind = node(place.waiting.any().andNot(who.again), { name: "is_behind" }),
      wants = node(asks.andNot(who.givesUp), { name: "wants" }),
      goes = node(wants.and(who.unordered.or(held.or(behind).not())), { name: "goes" }),
      counts = node(goes.andNot(who.unordered), { name: "counts" });
    const loads = Array.from({ length: p.regions }, (_, r) => reg(count, { init: 0, name: `load_${r}` }));
    const least = onehotMux(
      Array.from({ length: p.groups }, (_, g) => asked.group.eq(g)),
      Array.from({ length: p.groups }, (_, g) => fewest(`fewest_${g}`, io.instances.at(g), loads, p)),
    );
    const stays = node(inside.andNot(who.unordered), { name: "stays" }),
      to = node(mux(who.pinned, who.region, mux(stays, place.region, least)), { name: "to" });
    io.answer.set({ valid: asks, goes, region: to });

    // Who asks always writes, even what was there: whether he goes is known late, and all see what is written.
    const askedAt = at(asked),
      no = constant(0, count.width),
      fewer = node(place.waiting.sub(1), { name: "fewer_wait" }),
      // Who goes, and who does not; one that does not go and did not wait before waits from now on.
      waitsLess = mux(who.again.andNot(who.unordered), fewer, place.waiting),
      waitsOn = mux(who.unordered.or(who.again), place.waiting, place.waiting.add(1)),
      waitingNow = mux(goes, waitsLess, mux(who.givesUp, fewer, waitsOn));
    entered.write(
      asks.or(clearing),
      mux(clearing, sweeping, askedAt),
      mux(clearing, no, mux(counts, before.add(1), before)),
    );
    places.write(asks.or(sweeps).or(clearing), mux(clearing, sweeping, mux(sweeps, swept, askedAt)), {
      region: mux(counts, to, place.region),
      marked: mux(sweeps, inside, place.marked.andNot(counts)).andNot(clearing),
      waiting: mux(clearing, no, mux(sweeps, place.waiting, waitingNow)),
    });

    // Who leaves: the same, one cycle behind the other.
    const leaves = reg(bit, { init: 0, name: "leaves" }),
      leaver = reg(index, { name: "leaver" });
    leaves.set(io.leave.valid.andNot(io.leave.unordered));
    leaver.set(at(io.leave.flow));
    const goneBefore = left.readSync(at(io.leave.flow), { name: "gone_before" });
    left.write(
      leaves.or(clearing),
      mux(clearing, sweeping, leaver),
      mux(clearing, constant(0, count.width), goneBefore.add(1)),
    );

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
