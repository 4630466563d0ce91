import { bit, type Bit, node, orTree, reg, type StreamIn, toBits, when } from "../../../../hdl-dsl/index.ts";
import type { AxisBeat } from "../../../shared/frame/index.ts";
import type { Bound } from "./records.ts";

/** One who gets beats. */
export interface Receiver {
  readonly ready: Bit;
  readonly give: (valid: Bit) => void;
}

/**
 * Each beat to all that `to` names, to each as soon as it can take it. A beat goes on when all have it; one for nobody
 * goes at once. Tells whether a frame's last beat goes, and who gets its first one.
 */
export function spread(
  beats: StreamIn<ReturnType<typeof AxisBeat>>,
  bound: StreamIn<ReturnType<typeof Bound>>,
  receivers: readonly Receiver[],
): { readonly ends: Bit; readonly begins: readonly Bit[] } {
  const to = toBits(bound.payload.to),
    valid = node(beats.valid.and(bound.valid), { name: "spread_valid" });
  const waits = receivers.map((r, i) => {
    const has = reg(bit, { init: 0, name: `has_${i}` }),
      wants = (to[i] as Bit).andNot(has);
    r.give(valid.and(wants));
    return { has, open: node(wants.andNot(r.ready), { name: `waits_${i}` }), takes: valid.and(wants).and(r.ready) };
  });
  const all = node(orTree(waits.map(w => w.open)).not(), { name: "all_have" }),
    goes = node(valid.and(all), { name: "beat_goes" });
  waits.forEach(w =>
    when(goes, () => w.has.set(0)).elseWhen(w.takes, () => {
      w.has.set(1);
    }),
  );
  beats.ready.set(bound.valid.and(all));
  const ends = node(goes.and(beats.payload.last), { name: "frame_ends" });
  bound.ready.set(ends);
  const first = reg(bit, { init: 1, name: "spreads_first" });
  when(goes, () => first.set(beats.payload.last));
  return { ends, begins: waits.map(w => w.takes.and(first)) };
}
