/** Frames with their header: to the network, to memory, or to both; and again from there. */
import { arbiter, connect, node, stage, stream, type StreamIn, type UInt } from "../../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import type { GbnTxIo } from "./ports.ts";
import type { GbnTxParameters } from "./records.ts";
import { insertOf, type Kept, type Plans, type Reorder, type Sender, type Store } from "./units.ts";

type Beats = StreamIn<ReturnType<typeof AxisBeat>>;

/** The beats for the network, and those for memory; one that goes both ways waits for room in both. */
export function part(p: GbnTxParameters, reorder: Reorder, { planned, outs }: Plans): { fresh: Beats; kept: Beats } {
  const insert = insertOf(p);
  connect(planned.pop, insert.plan);
  connect(reorder.outBeats, insert.beats);
  const out = insert.tx,
    way = outs.pop;
  const { send, store } = way.payload;
  const fresh = stream(AxisBeat(p.beatBytes)),
    kept = stream(AxisBeat(p.beatBytes));
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

/** A copy stays in memory until the reply is acknowledged. */
export function keep(io: GbnTxIo, store: Store, places: Plans["places"], kept: Beats): void {
  connect(places.pop, store.place);
  connect(stage(kept, "full", { name: "kept_stage" }), store.beats);
  connect(store.aw, io.memAw);
  connect(store.w, io.memW);
  connect(io.memB, store.b);
  connect(store.ar, io.memAr);
  connect(io.memR, store.r);
}

/** `given`: frames with a number, of which those that the store has `written` can be read. */
export function sendAgain({ store, resend }: Kept, sender: Sender, given: UInt): void {
  connect(sender.again, resend.again);
  connect(resend.step, sender.step);
  resend.stepped.set(sender.stepped);
  sender.reading.set(resend.busy);
  resend.given.set(given);
  resend.written.set(store.written);
  resend.reading.set(store.reading);
  connect(resend.read, store.read);
}

/** Answers, frames sent again and new ones take turns, frame by frame. */
export function takeTurns(io: GbnTxIo, store: Store, fresh: Beats): void {
  const again = stage(store.frame, "full", { name: "again_stage" }),
    first = stage(fresh, "full", { name: "fresh_stage" });
  const out = arbiter([io.answers, again, first], { last: v => v.last, name: "frames_out" });
  connect(stage(out, "full", { name: "sent" }), io.tx);
}
