/** The order to the sender: which of the requests of the miss at hand goes out. */
import { bit, connect, constant, mux, node, priority, reg } from "../../../../../hdl-dsl/index.ts";
import { derived } from "../../../config/index.ts";
import { part } from "../../../wire/index.ts";
import type { Hand } from "./hand.ts";
import type { Parts } from "./parts.ts";

export function orderOf({ io, p, router, sender }: Parts, hand: Hand) {
  const { at, job, fetch, primary, secondary, sendFetch, sendPrimary, sendSecondary, requestId } = hand,
    { nodeBits } = derived(p);
  sender.order.valid.set(0);
  // A frame names one process.
  const oneSpace = job.victim.asid.eq(job.line.asid),
    together = primary.node.eq(fetch.node).and(oneSpace);
  const piggyback = constant(p.flush === "piggyback" ? 1 : 0, 1),
    isTogether = reg(bit, { name: "is_together" }),
    compound = node(sendPrimary.and(sendFetch).and(isTogether), { name: "compound" });
  const what = priority([sendSecondary, secondary], [sendPrimary, primary], fetch);
  const which = priority(
    [sendSecondary, constant(part.secondary, 2)],
    [sendPrimary, constant(part.primary, 2)],
    constant(part.fetch, 2),
  );
  const joined = node(compound.andNot(sendSecondary), { name: "joined" }),
    sendsVictim = node(which.ne(part.fetch));
  router.node.set(what.node.is(nodeBits));
  sender.own.set(io.own);
  sender.order.payload.set({
    miss: at,
    part: which,
    compound: joined,
    asid: mux(sendsVictim, job.victim.asid, job.line.asid),
    page: mux(sendsVictim, job.victim.page, job.line.page),
    fetched: job.line.page,
    peer: router.peer,
    requestId,
    retry: what.repeats,
    retryOf: what.first,
  });
  connect(sender.tx, io.tx);
  return {
    /** The request's numbers, and its part. */
    what,
    which,
    /** Victim and line are one node's and of one process; flushes go with fetches; both hold for the one at hand. */
    together,
    piggyback,
    isTogether,
    /** It is a compound; it has the victim's bytes. */
    joined,
    sendsVictim,
  };
}
export type Order = ReturnType<typeof orderOf>;
