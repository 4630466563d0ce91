/** What the stages share: memories, registers, and what the second stage orders. */
import { bit, node, ram, reg, uint, wire } from "../../../../hdl-dsl/index.ts";
import { derived, type Parameters } from "../../config/index.ts";
import { Chosen } from "./choose.ts";
import type { LookupIo } from "./ports.ts";
import { Op, SetState } from "./state.ts";

/** Tags by way, and all else of a set. */
function memoriesOf(p: Parameters) {
  const { tagBits } = derived(p);
  const tags = Array.from({ length: p.ways }, (_, w) =>
    ram(uint(tagBits), { depth: p.sets, collision: "undefined", style: "block", name: `tags_${w}` }),
  );
  const states = ram(SetState(p), { depth: p.sets, collision: "undefined", style: "block", name: "states" });
  return { tags, states };
}

/** What the second stage orders, and the machine behind it. */
function ordersOf() {
  const finishes = wire(bit),
    kills = wire(bit),
    running = wire(bit),
    begun = wire(bit),
    settles = wire(bit),
    issueAccess = wire(bit);
  return { finishes, kills, running, begun, settles, issueAccess };
}

/** What stands in front of the second stage and in it, and of a miss that begins. */
function stagesOf(p: Parameters) {
  const { tagBits, wayBits } = derived(p);
  const first = reg(Op(p), { name: "first" }),
    firstValid = reg(bit, { init: 0 }),
    second = reg(Op(p), { name: "second" }),
    secondValid = reg(bit, { init: 0 }),
    secondSet = reg(SetState(p)),
    match = reg(uint(p.ways)),
    lineMatch = reg(uint(p.misses)),
    victimMatch = reg(uint(p.misses));
  const way = reg(uint(wayBits)),
    // Their decoded forms have a cycle of their own: sets are wide.
    wayOnehot = reg(uint(p.ways), { name: "way_onehot" }),
    opWay = reg(uint(p.ways), { name: "op_way" }),
    choice = reg(Chosen(p), { name: "choice" }),
    holds = reg(bit),
    turns = reg(bit),
    victimTag = reg(uint(tagBits)),
    victimDirty = reg(bit),
    had = reg(bit, { name: "way_had" }),
    drained = reg(bit, { name: "drained" });
  const fetches = node(second.kind.is("access"));
  return {
    first,
    firstValid,
    second,
    secondValid,
    secondSet,
    match,
    lineMatch,
    victimMatch,
    way,
    wayOnehot,
    opWay,
    choice,
    holds,
    turns,
    victimTag,
    victimDirty,
    had,
    drained,
    fetches,
  };
}

export function partsOf(io: LookupIo, p: Parameters) {
  const memories = memoriesOf(p),
    orders = ordersOf();
  return { io, p, memories, orders, stages: stagesOf(p) };
}
export type Parts = ReturnType<typeof partsOf>;
