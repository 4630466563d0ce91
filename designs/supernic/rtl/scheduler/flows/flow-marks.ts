import {
  assertAlways,
  bit,
  type Bit,
  cat,
  mux,
  node,
  onehotMux,
  reg,
  type StreamIn,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { flowGroupBits, type FlowMark, type FlowParameters } from "./flow-records.ts";

/** Every how many cycles the sweep has the table, while packets ask. */
const sweepEvery = 8;

/**
 * The generations of the groups, and the sweep behind them. A mark is taken when its group has a generation left; it
 * counts when the trees of the fewest know the instances that came with it. One for no region waits for that, too, and
 * is no generation. `rests`: packets may ask. `sweeps`: the
 * sweep reads flow `swept` of `group`, and nobody asks.
 */
export function flowMarks(p: FlowParameters, mark: StreamIn<ReturnType<typeof FlowMark>>, asking: UInt, clearing: Bit) {
  const bits = p.generationBits,
    settling = Math.max(1, Math.ceil(Math.log2(p.regions))),
    groups = Array.from({ length: p.groups }, (_, g) => ({
      is: (n: UInt): Bit => n.eq(g),
      generation: reg(uint(bits), { init: 0, name: `generation_${g}` }),
      /** Generations since the one that the last whole sweep began in. */
      behind: reg(uint(bits), { init: 0, name: `behind_${g}` }),
      from: reg(uint(p.regions), { init: 0, name: `from_${g}` }),
    }));
  const of = (n: UInt, what: "generation" | "behind" | "from"): UInt =>
    onehotMux(
      groups.map(g => g.is(n)),
      groups.map(g => g[what]),
    );

  // A mark: taken, and a few cycles later a generation.
  const taken = reg(uint(settling + 1), { init: 0, name: "mark_taken" }),
    marked = reg(uint(flowGroupBits(p)), { name: "marked_group" }),
    regions = reg(uint(p.regions), { name: "marked_regions" }),
    rests = node(taken.any().not(), { name: "rests" }),
    counts = node(taken.bit(settling).and(regions.any()), { name: "mark_counts" }),
    lacks = node(of(mark.payload.group, "behind").all().and(mark.payload.from.any()), { name: "mark_is_full" });
  mark.ready.set(rests.andNot(clearing).andNot(lacks));
  taken.set(cat(taken.bits(0, settling), mark.fire));
  when(mark.fire, () => {
    marked.set(mark.payload.group);
    regions.set(mark.payload.from);
  });

  // The sweep: it looks for a group with something behind, and goes through its flows.
  const group = reg(uint(flowGroupBits(p)), { init: 0, name: "swept_group" }),
    hash = reg(uint(p.hashBits), { init: 0, name: "swept_hash" }),
    active = reg(bit, { init: 0, name: "sweep_active" }),
    turn = reg(uint(Math.log2(sweepEvery)), { init: 0, name: "sweep_turn" }),
    since = reg(uint(bits), { init: 0, name: "marks_since" }),
    sinceFrom = reg(uint(p.regions), { init: 0, name: "regions_since" });
  turn.set(turn.add(1));
  const sweeps = node(active.and(rests).and(turn.all().or(mark.valid)), { name: "sweeps" }),
    ends = node(sweeps.and(hash.all()), { name: "sweep_ends" }),
    begins = node(active.not().and(of(group, "behind").any()), { name: "sweep_begins" }),
    isOwn = node(counts.and(marked.eq(group)), { name: "mark_of_the_swept" });
  when(sweeps, () => hash.set(hash.add(1)));
  when(begins, () => {
    active.set(1);
    since.set(0);
    sinceFrom.set(0);
  }).elseWhen(isOwn, () => {
    since.set(since.add(1));
    sinceFrom.set(sinceFrom.or(regions));
  });
  when(ends, () => active.set(0));
  when(active.or(begins).not().or(ends), () => group.set(group.add(1)));

  groups.forEach((g, n) => {
    const counted = node(counts.and(g.is(marked)), { name: `counts_${n}` });
    when(counted, () => {
      g.generation.set(g.generation.add(1));
      g.behind.set(g.behind.add(1));
      g.from.set(g.from.or(regions));
    }).elseWhen(ends.and(g.is(group)), () => {
      g.behind.set(since);
      g.from.set(sinceFrom);
    });
    assertAlways(counted.not().or(g.behind.all().not()), `group ${n} has a generation left`);
  });

  // A look at a flow is judged by what held when it was read. `from`: regions that were marked in a generation that the
  // sweep has not seen everywhere.
  const looked = mux(sweeps, group, asking),
    latest = {
      generation: reg(uint(bits), { name: "latest_generation" }),
      from: reg(uint(p.regions), { name: "latest_from" }),
    };
  latest.generation.set(of(looked, "generation"));
  latest.from.set(of(looked, "from"));
  return { rests, sweeps, swept: cat(group, hash), latest };
}
