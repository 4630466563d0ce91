/** How frames of a session leave: to the network, to memory, or to both; and again from memory. */
import {
  bit,
  connect,
  type InstanceOf,
  node,
  stream,
  type StreamIn,
  struct,
  type UInt,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../frame/index.ts";
import type { GbnResend } from "./resend.ts";
import type { GbnSender } from "./sender.ts";
import type { GbnStore } from "./store.ts";

/** Ways of a frame with its header: to the network, to memory, or both. */
export const Ways = struct({ send: bit, store: bit });
type Beats = StreamIn<ReturnType<typeof AxisBeat>>;

/** The beats for the network, and those for memory; one that goes both ways waits for room in both. */
export function partWays(beatBytes: number, out: Beats, way: StreamIn<typeof Ways>): { fresh: Beats; kept: Beats } {
  const { send, store } = way.payload;
  const fresh = stream(AxisBeat(beatBytes)),
    kept = stream(AxisBeat(beatBytes));
  const freshRoom = node(fresh.ready.or(send.not())),
    keptRoom = node(kept.ready.or(store.not()));
  const leaves = out.valid.and(way.valid);
  fresh.valid.set(leaves.and(send).and(keptRoom));
  kept.valid.set(leaves.and(store).and(freshRoom));
  fresh.payload.set(out.payload);
  kept.payload.set(out.payload);
  out.ready.set(way.valid.and(freshRoom).and(keptRoom));
  way.ready.set(out.fire.and(out.payload.last));
  return { fresh, kept };
}

/** The units that send again what was not acknowledged. */
export interface GbnUnits {
  readonly store: InstanceOf<typeof GbnStore>;
  readonly resend: InstanceOf<typeof GbnResend>;
}
/** `given`: frames with a number, of which those that the store has `written` can be read. */
export function sendAgain({ store, resend }: GbnUnits, sender: InstanceOf<typeof GbnSender>, given: UInt): void {
  connect(sender.again, resend.again);
  connect(resend.step, sender.step);
  resend.stepped.set(sender.stepped);
  sender.reading.set(resend.busy);
  resend.given.set(given);
  resend.written.set(store.written);
  resend.reading.set(store.reading);
  connect(resend.read, store.read);
}
