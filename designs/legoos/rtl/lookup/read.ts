/** The first stage's end: the tags and the set's word are there. */
import {
  bit,
  decode,
  fromBits,
  mux,
  node,
  priority,
  reg,
  type UInt,
  uint,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { derived } from "../../config/index.ts";
import type { Misses } from "./misses.ts";
import type { Parts } from "./parts.ts";
import { SetState } from "./state.ts";

/** What the second stage writes now or wrote last is not in what is read yet: it goes around the memory. */
export function readSet({ p, memories, orders, stages }: Parts, known: Misses, index: UInt) {
  const { tags, states } = memories,
    { kills, running } = orders,
    { first, firstValid, second, secondValid, secondSet, match, lineMatch, victimMatch, opWay } = stages,
    { setBits } = derived(p);
  const reading = wire(bit, { name: "reads_victim" });
  const readIndex = node(mux(reading, second.index, index));
  const read = tags.map((t, w) => t.readSync(readIndex, { name: `tag_${w}` }));
  const stored = states.readSync(index, { name: "stored" });
  const writes = wire(bit, { name: "writes_set" }),
    written = wire(SetState(p), { name: "written_set" });
  const wroteValid = reg(bit, { init: 0 }),
    wroteIndex = reg(uint(setBits)),
    wrote = reg(SetState(p));
  wroteValid.set(writes);
  when(writes, () => {
    wroteIndex.set(second.index);
    wrote.set(written);
  });
  states.write(writes, second.index, written);
  const moves = node(firstValid.andNot(kills), { name: "moves" });
  when(running, () => secondValid.set(moves));
  when(moves.and(running), () => {
    second.set(first);
    opWay.set(decode(first.way, p.ways));
    match.set(fromBits(read.map(t => t.eq(first.tag))));
    secondSet.set(
      priority(
        [writes.and(second.index.eq(first.index)), written],
        [wroteValid.and(wroteIndex.eq(first.index)), wrote],
        stored,
      ),
    );
    const m = known.match(first.index, first.tag);
    lineMatch.set(m.line);
    victimMatch.set(m.victim);
  });
  return {
    /** The tags, by way; with `reading` those of the second stage's set. */
    read,
    reading,
    /** The second stage writes its set. */
    writes,
    written,
  };
}
export type SetRead = ReturnType<typeof readSet>;
