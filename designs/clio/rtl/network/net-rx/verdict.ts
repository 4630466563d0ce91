/** The second stage: whether a frame is dropped for which rule. Wires only. */
import { type Bit, lowestSet, node, orTree, type UInt } from "../../../../../hdl-dsl/index.ts";
import { FrameKind } from "../../records/records.ts";
import type { DropReasonName } from "../drops.ts";
import type { Judged } from "./records.ts";

export interface Verdict {
  readonly dropped: Bit;
  /** Whether it is dropped for this reason: for one only. */
  readonly blames: (reason: DropReasonName) => Bit;
}

/** `broken`: the rules that the first stage found broken; `reasons`: what each rule drops a frame for. */
export function verdictOf(judged: Judged, broken: UInt, reasons: readonly DropReasonName[]): Verdict {
  const refused = node(broken.any());
  const cause = node(lowestSet(broken));
  // A frame that the MAC found bad is answered when it is a whole request and no reply. Otherwise it counts as bad,
  // before any other fault but too long.
  const unanswered = refused.or(judged.kind.ne(FrameKind.clio)).or(judged.request.reply);
  const spoilt = node(judged.bad.andNot(judged.tooLong).and(unanswered));
  const ruleOf = (reason: DropReasonName): Bit =>
    orTree(reasons.flatMap((r, i) => (r === reason ? [cause.bit(i)] : [])));
  return {
    dropped: node(refused.or(spoilt), { name: "dropped" }),
    blames: reason => (reason === "fcs" ? spoilt : ruleOf(reason).andNot(spoilt)),
  };
}
