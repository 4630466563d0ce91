/** The steps that send the requests of a miss, one after the other. */
import { constant, node, when } from "../../../../../hdl-dsl/index.ts";
import type { Hand } from "./hand.ts";
import type { Order } from "./order.ts";
import type { Parts } from "./parts.ts";
import type { Control } from "./prepare.ts";

/** Flushes that come one after the other, and when the fetch may go. */
const planStep = ({ p }: Parts, hand: Hand, { piggyback, together, isTogether }: Order, s: Control) => {
  const { fetch, primary, secondary, sendFetch, sendPrimary, sendSecondary } = hand;
  return {
    Plan: () => {
      const flushes = primary.need.or(secondary.need),
        first = node(secondary.need.and(constant(p.replicas === "serial" ? 1 : 0, 1))),
        goesPrimary = node(primary.need.andNot(first));
      isTogether.set(piggyback.and(together));
      sendSecondary.set(secondary.need);
      sendPrimary.set(goesPrimary);
      const waits =
        p.flush === "serial"
          ? flushes
          : p.flush === "piggyback"
            ? primary.need.andNot(goesPrimary).and(together)
            : constant(0, 1);
      sendFetch.set(fetch.need.andNot(waits));
      s.go("Send");
    },
  };
};

const sendStep = ({ p, sender, table: t }: Parts, hand: Hand, { joined }: Order, s: Control) => {
  const { at, sendFetch, sendPrimary, sendSecondary, nextId, requestId } = hand;
  return {
    Send: () => {
      const some = node(sendSecondary.or(sendPrimary).or(sendFetch), { name: "sends" });
      sender.order.valid.set(some);
      when(some.not(), () => {
        t.at(at, m => {
          t.entries.at(m).due.set(0);
          t.details.at(m).time.set(p.timeoutCycles - 1);
        });
        s.go("Idle");
      }).elseWhen(sender.order.ready, () => {
        nextId.set(nextId.add(1));
        const sent = (w: typeof t.fetch, m: number): void => {
          w.at(m).id.set(requestId);
          w.at(m).repeats.set(1);
          when(w.at(m).repeats.not(), () => w.at(m).first.set(requestId));
        };
        when(sendSecondary, () => {
          sendSecondary.set(0);
          t.at(at, m => sent(t.secondary, m));
        })
          .elseWhen(sendPrimary, () => {
            sendPrimary.set(0);
            t.at(at, m => sent(t.primary, m));
            when(joined, () => {
              sendFetch.set(0);
              t.at(at, m => sent(t.fetch, m));
            });
          })
          .otherwise(() => {
            sendFetch.set(0);
            t.at(at, m => sent(t.fetch, m));
          });
      });
    },
  };
};

export const sendSteps = (parts: Parts, hand: Hand, order: Order, s: Control) => ({
  ...planStep(parts, hand, order, s),
  ...sendStep(parts, hand, order, s),
});
