/** The counters' pulses: what became of the request that leaves. */
import { type Bit, node, type Var } from "../../../../../hdl-dsl/index.ts";
import type { Outcome } from "./outcome.ts";
import type { Known, MatEvents } from "./records.ts";

export function count(happened: Var<typeof MatEvents>, d: Known, to: Outcome, leaves: Bit): void {
  const refuses = node(leaves.and(to.refused)),
    echoes = node(leaves.and(to.echo)),
    ofOthers = node(leaves.and(d.other)),
    toSoftware = node(leaves.and(to.toSlow));
  happened.set({
    nacks: refuses.and(d.corrupt),
    busy: refuses.and(to.busy),
    malformed: refuses.and(d.corrupt.or(to.busy).or(d.foreign).not()),
    invalid: refuses.and(d.foreign),
    unanswered: leaves.and(to.unanswered),
    dropRule: leaves.and(to.drops),
    dropReply: leaves.and(to.ignored),
    pingpongs: echoes.and(d.other.not()),
    arpReplies: leaves.and(d.arp),
    icmpReplies: ofOthers.and(d.arp.not()),
    slowRequests: toSoftware.and(d.extend.not()),
    extendRequests: toSoftware.and(d.extend),
  });
}
