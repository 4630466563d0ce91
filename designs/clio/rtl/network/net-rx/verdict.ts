/** The second stage: whether a frame is dropped for which rule. Wires only. */
import { type Bit, fromBits, lowestSet, node, orTree, type UInt } from "../../../../../hdl-dsl/index.ts";
import { FrameKind } from "../../records/records.ts";
import type { DropReasonName } from "../drops.ts";
import type { Judged } from "./records.ts";
import type { Rule } from "./rules.ts";

export interface Verdict {
  readonly dropped: Bit;
  /** Whether it is dropped for this reason: for one only. */
  readonly blames: (reason: DropReasonName) => Bit;
}

/** `found`: what the first stage found of the `rules`, of the first one lowest. */
export function verdictOf(judged: Judged, found: UInt, rules: readonly Rule[]): Verdict {
  let at = 0;
  const broken = fromBits(
    rules.map(r => {
      const from = at;
      at += r.broken.width;
      return found.bits(from, r.broken.width).any();
    }),
  );
  const refused = node(found.any());
  const cause = node(lowestSet(broken));
  // A frame that the MAC found bad is answered when it is a whole request and no reply. Otherwise it counts as bad,
  // before any other fault but too long.
  const unanswered = refused.or(judged.kind.ne(FrameKind.clio)).or(judged.request.reply);
  const spoilt = node(judged.bad.andNot(judged.tooLong).and(unanswered));
  const ruleOf = (reason: DropReasonName): Bit =>
    orTree(rules.flatMap((r, i) => (r.reason === reason ? [cause.bit(i)] : [])));
  return {
    dropped: node(refused.or(spoilt), { name: "dropped" }),
    blames: reason => (reason === "fcs" ? spoilt : ruleOf(reason).andNot(spoilt)),
  };
}
