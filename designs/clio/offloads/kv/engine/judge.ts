/** What the event means to its request. */
import { node } from "../../../../../hdl-dsl/index.ts";
import { operation } from "../layout.ts";
import type { State } from "./state.ts";

export function judge({ request, progress, atSlot, atPair, failed, matched, sameKey }: State) {
  const reads = node(request.kind.eq(operation.read)),
    creates = node(request.kind.eq(operation.create)),
    updates = node(request.kind.eq(operation.update)),
    deletes = node(request.kind.eq(operation.delete));
  const brings = node(creates.or(updates));
  const searching = node(atSlot.or(atPair));
  const confirms = node(atSlot.and(failed.not()).and(matched));
  const hits = node(atPair.and(failed.not()).and(sameKey));
  const looksAgain = node(atPair.and(failed.not()).and(sameKey.not()).and(progress.more));
  const passes = node(failed.not().and(atSlot.and(matched.not()).or(atPair.and(sameKey.or(progress.more).not()))));
  const follows = node(passes.and(progress.link.valid)),
    over = node(passes.and(progress.link.valid.not()));
  const unlinks = node(progress.alone.and(progress.other.valid));
  return {
    reads,
    creates,
    deletes,
    /** It has a pair to write. */
    brings,
    searching,
    /** An entry has the fingerprint; the pair is the one; it is not, and its slot has another one. */
    confirms,
    hits,
    looksAgain,
    /** The slot has nothing more, and there is a next one, or none. */
    follows,
    over,
    /** The slot of the last entry leaves the chain. */
    unlinks,
  };
}
export type Judgement = ReturnType<typeof judge>;
