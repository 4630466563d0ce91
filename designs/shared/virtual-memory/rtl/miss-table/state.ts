/** What is kept of each miss. */
import { bit, type Bit, node, ram, reg, struct, uint, vec } from "../../../../../hdl-dsl/index.ts";
import { geometryOf } from "../table-walk.ts";
import { type MissTableParameters, Result, slotOf } from "./records.ts";

/** What is asked of all misses at once. */
export function stateOf(p: MissTableParameters) {
  const n = p.misses,
    flags = { init: Array.from({ length: n }, () => 0) } as const;
  const valid = reg(vec(bit, n), flags),
    done = reg(vec(bit, n), flags),
    empty = reg(vec(bit, n), flags),
    writing = reg(vec(bit, n), flags),
    poisoned = reg(vec(bit, n), flags);
  /** Ended otherwise than mapped; ended by a page fault. */
  const failed = reg(vec(bit, n), flags),
    byFault = reg(vec(bit, n), flags);
  /** Requests that read, and that write. */
  const wantsRead = reg(vec(bit, n), flags),
    wantsWrite = reg(vec(bit, n), flags);
  const keys = reg(vec(uint(p.keyBits), n));
  return { valid, done, empty, writing, poisoned, failed, byFault, wantsRead, wantsWrite, keys };
}
export type State = ReturnType<typeof stateOf>;

/** A miss ends when its list is empty and its write-back is in memory. */
export function freeingOf({ valid, done, empty, writing }: State): readonly Bit[] {
  return valid.toArray().map((v, i) => {
    const served = v.and(done.at(i)).and(empty.at(i));
    return node(served.andNot(writing.at(i)), { name: `freeing_${i}` });
  });
}

/** What is read by number, one miss at a time; and `links`, by slot: the request behind in its list. */
export function memoriesOf(p: MissTableParameters) {
  const small = { depth: p.misses, collision: "old", style: "distributed" } as const;
  const keyOf = ram(uint(p.keyBits), small),
    heads = ram(slotOf(p), small),
    tails = ram(slotOf(p), small);
  const walkResults = ram(Result(p), small),
    faultResults = ram(struct({ outOfMemory: bit, error: bit, ppn: uint(geometryOf(p).ppnBits) }), small);
  const links = ram(slotOf(p), { depth: p.slots, collision: "undefined", style: "distributed" });
  return { keyOf, heads, tails, walkResults, faultResults, links };
}
export type Memories = ReturnType<typeof memoriesOf>;
