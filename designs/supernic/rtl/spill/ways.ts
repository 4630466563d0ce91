/** Takes at the class queues, and whose beats come from them. Page: docs/supernic/spill.md. */
import {
  arrayOf,
  bit,
  type Bit,
  mux,
  node,
  onehotMux,
  orTree,
  reg,
  type StreamIn,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { classBits, type FrameBeat, inlets } from "../inside/index.ts";
import type { SpillIo } from "./ports.ts";
import type { SpillParameters } from "./records.ts";

/** What the merge does at an inlet, as the ways in and out have to know it. */
export interface AtInlet {
  /** The merge takes the frame that a ring shows. */
  readonly hits: Bit;
  /** A ring's frame goes to the merge, or is about to. */
  readonly pending: Bit;
}

/**
 * Takes of the merge and of rings at the class queues. `asks`: a frame of the class is asked for at one inlet, behind a
 * take of the merge that waits there. What was offered stays until it is taken.
 */
export function takesAt(
  io: SpillIo,
  p: SpillParameters,
  at: readonly AtInlet[],
  { asks, inlet, class: classOf }: { readonly asks: Bit; readonly inlet: UInt; readonly class: UInt },
) {
  const n = inlets(p),
    takes = arrayOf(io, "take", n),
    queues = arrayOf(io, "takeQueue", n),
    locked = reg(bit, { init: 0, name: "divert_locked" });
  const wasHeld = takes.map((take, i) => {
    const q = reg(bit, { init: 0, name: `merge_waits_${i}` });
    q.set(take.valid.andNot(take.ready));
    return q;
  });
  const starts = takes.map((_, i) =>
    node(asks.and(inlet.bit(i)).and(locked.or((wasHeld[i] as Bit).not())), { name: `diverts_at_${i}` }),
  );
  // Also when it is a ring's frame that is taken: then it is looked at once more.
  const mayGo = node(
    orTree(takes.map((take, i) => take.valid.and(inlet.bit(i)).and(take.payload.eq(classOf.zext(classBits))))),
    { name: "head_may_go" },
  );
  takes.forEach((take, i) => {
    const { hits, pending } = at[i] as AtInlet,
      queue = queues[i] as (typeof queues)[number],
      start = starts[i] as Bit,
      goesOn = node(take.valid.andNot(hits).andNot(pending), { name: `passes_take_${i}` });
    queue.valid.set(start.or(goesOn));
    queue.payload.set(mux(start, classOf.zext(classBits), take.payload));
    take.ready.set(hits.or(queue.ready.andNot(pending).andNot(start)));
  });
  const fires = queues.map((q, i) => node(q.valid.and(q.ready).and(starts[i] as Bit), { name: `diverted_at_${i}` })),
    fire = node(orTree(fires), { name: "diverted" });
  locked.set(node(orTree(starts), { name: "divert_asks" }).andNot(fire));
  return { starts, fire, mayGo };
}

/** Whose the beats of each inlet are. @returns the beats for rings, and what the merge still gets */
export function beatsAt(io: SpillIo, p: SpillParameters, starts: readonly Bit[]) {
  const n = inlets(p),
    queues = arrayOf(io, "takeQueue", n),
    beatsIn: readonly StreamIn<typeof FrameBeat>[] = arrayOf(io, "fromQueue", n);
  const isSpills = queues.map((q, i) => {
    const mine = reg(bit, { init: 0, name: `beats_to_ring_${i}` });
    when(q.valid.and(q.ready), () => mine.set(starts[i] as Bit));
    return mine;
  });
  const toMerge = queues.map((q, i) => {
    const busy = reg(bit, { init: 0, name: `beats_to_merge_${i}` }),
      from = beatsIn[i] as (typeof beatsIn)[number];
    when(q.valid.and(q.ready).andNot(starts[i] as Bit), () => busy.set(1)).elseWhen(
      from.valid
        .and(from.ready)
        .and(from.payload.last)
        .andNot(isSpills[i] as Bit),
      () => busy.set(0),
    );
    return busy;
  });
  const comes = beatsIn.map((b, i) => node(b.valid.and(isSpills[i] as Bit), { name: `ring_beat_at_${i}` })),
    come = node(orTree(comes), { name: "ring_beat" }),
    beat = onehotMux(
      comes,
      beatsIn.map(b => b.payload),
    );
  return { come, beat, toMerge, beatIsMerges: isSpills.map(x => x.not()) };
}
