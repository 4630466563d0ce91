import {
  bit,
  type Bit,
  cat,
  connect,
  constant,
  module,
  mux,
  node,
  ram,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { frameBeats } from "./frames.ts";
import { AxisBeat } from "../../frame/index.ts";

export interface GbnWaitingParameters {
  readonly beatBytes: number;
  readonly frameBytes: number;
  /** Frames that can wait, a power of two. */
  readonly waiting: number;
}
/** What becomes of the next frame of `beats`; `release` is of one that was kept. */
export const waitingAction = { pass: 0, drop: 1, keep: 2, release: 3 } as const;
export const WaitingPlan = (p: Pick<GbnWaitingParameters, "waiting">) =>
  struct({ action: uint(2), slot: uint(Math.log2(p.waiting)) });

/**
 * Frames that wait for their turn, each in a slot of its own. One plan for each frame that comes in, and one for each
 * that is released.
 * Latency: 1 cycle from a beat to `out`, 3 from the plan of a release. Initiation interval: one beat per cycle, no
 * bubble between frames but one in front of a released one.
 * Full: whoever plans knows which slots are free. A kept frame must have come in before its release is planned.
 */
export const GbnWaiting = module(
  "GbnWaiting",
  (p: GbnWaitingParameters) => ({
    plan: sink(WaitingPlan(p)),
    beats: sink(AxisBeat(p.beatBytes)),
    out: source(AxisBeat(p.beatBytes)),
  }),
  (io, p) => {
    const beatBits = Math.max(1, Math.ceil(Math.log2(frameBeats(p)))),
      slotBits = Math.log2(p.waiting),
      depth = p.waiting * 2 ** beatBits;
    const active = reg(bit, { init: 0 });
    const plan = reg(WaitingPlan(p));
    const beat = reg(uint(beatBits), { init: 0 });
    const loaded = reg(bit, { init: 0 });
    const store = ram(AxisBeat(p.beatBytes), {
      depth,
      collision: "undefined",
      style: depth >= 4096 ? "ultra" : "block",
    });
    const is = (a: number): Bit => active.and(plan.action.eq(a));
    const passes = node(is(waitingAction.pass)),
      releases = node(is(waitingAction.release)),
      keeps = node(is(waitingAction.keep));

    const out = stream(AxisBeat(p.beatBytes));
    const gives = node(out.fire);
    const next = node(mux(gives, beat.add(1), beat));
    const kept = store.readSync(cat(plan.slot, next).is(slotBits + beatBits));
    out.valid.set(mux(releases, loaded, passes.and(io.beats.valid)));
    out.payload.set(mux(releases, kept, io.beats.payload));
    io.beats.ready.set(active.and(releases.not()).and(passes.not().or(out.ready)));
    const taken = node(io.beats.fire);
    store.write(keeps.and(taken), cat(plan.slot, beat).is(slotBits + beatBits), io.beats.payload);

    const ends = node(mux(releases, gives.and(kept.last), taken.and(io.beats.payload.last)));
    io.plan.ready.set(active.not().or(ends));
    when(io.plan.ready, () => {
      active.set(io.plan.valid);
      plan.set(io.plan.payload);
      beat.set(constant(0, beatBits));
    }).elseWhen(taken.or(gives), () => beat.set(beat.add(1)));
    loaded.set(releases.and(ends.not()));
    connect(stage(out, "full"), io.out);
  },
  { nameOf: p => `GbnWaiting_b${p.beatBytes * 8}_u${p.frameBytes}_r${p.waiting}` },
);
