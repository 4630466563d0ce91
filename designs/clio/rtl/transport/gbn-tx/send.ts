/** Frames with their header: to the network, to memory, or to both; and again from there. */
import { arbiter, connect, stage, type StreamIn } from "../../../../../hdl-dsl/index.ts";
import type { AxisBeat } from "../../../../shared/frame/index.ts";
import { partWays } from "../../../../shared/go-back-n/rtl/index.ts";
import type { GbnTxIo } from "./ports.ts";
import type { GbnTxParameters } from "./records.ts";
import { insertOf, type Plans, type Reorder, type Store } from "./units.ts";

type Beats = StreamIn<ReturnType<typeof AxisBeat>>;

/** With its header: the beats for the network, and those for memory. */
export function part(p: GbnTxParameters, reorder: Reorder, { planned, outs }: Plans): { fresh: Beats; kept: Beats } {
  const insert = insertOf(p);
  connect(planned.pop, insert.plan);
  connect(reorder.outBeats, insert.beats);
  return partWays(p.beatBytes, insert.tx, outs.pop);
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

/** Answers, frames sent again and new ones take turns, frame by frame. */
export function takeTurns(io: GbnTxIo, store: Store, fresh: Beats): void {
  const again = stage(store.frame, "full", { name: "again_stage" }),
    first = stage(fresh, "full", { name: "fresh_stage" });
  const out = arbiter([io.answers, again, first], { last: v => v.last, name: "frames_out" });
  connect(stage(out, "full", { name: "sent" }), io.tx);
}
