/** The counters' pulses. */
import type { Var } from "../../../../../hdl-dsl/index.ts";
import type { Numbered } from "./number.ts";
import type { GbnTxIo } from "./ports.ts";
import type { GbnTxEvents } from "./records.ts";
import type { Reorder, Sender, Store } from "./units.ts";

interface Counted {
  readonly frame: Numbered;
  readonly sender: Sender;
  readonly reorder: Reorder;
  readonly store: Store;
}

export function count(events: Var<typeof GbnTxEvents>, io: GbnTxIo, { frame, sender, reorder, store }: Counted): void {
  const { decided, ofSession, raw } = frame;
  events.set({
    sent: frame.numbered,
    management: decided.andNot(ofSession.or(raw)),
    passed: decided.and(raw),
    closed: decided.and(frame.gone),
    resent: store.frame.fire.and(store.frame.payload.last),
    nacked: sender.events.nacked,
    timeouts: sender.events.timeouts,
    failed: io.failed.fire,
    memoryErrors: store.errors,
    waited: reorder.events.waited,
    skipped: reorder.events.skipped,
    stale: reorder.events.stale,
  });
}
