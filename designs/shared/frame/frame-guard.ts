import { bit, input, module, mux, node, output, reg, source, struct, when } from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "./beats.ts";

/** A beat from a link that cannot wait: there is no ready. `user` on the last one: the frame is bad. */
export const LinkBeat = (beatBytes: number) => struct({ valid: bit, ...AxisBeat(beatBytes).fields });

/**
 * Makes an AXI-Stream of what a link delivers whether there is room or not. A frame is cut at the first beat without
 * room, and its rest is discarded. When some of it had gone on already, the frame ends with one zero byte marked `user`
 * (bad), so that the reader drops it. A frame that comes before that beat could leave is lost as a whole. `lost` is 1
 * for a cycle for each frame cut or lost. Latency 1 cycle, initiation interval 1. Full: one beat waits inside. Reset:
 * empty, between two frames.
 */
export const FrameGuard = module(
  "FrameGuard",
  (p: { readonly beatBytes: number }) => ({
    from: input(LinkBeat(p.beatBytes)),
    to: source(AxisBeat(p.beatBytes)),
    lost: output(bit),
  }),
  (io, p) => {
    const full = reg(bit, { init: 0 });
    const held = reg(AxisBeat(p.beatBytes));
    /** Some of the frame that is coming in has gone on. */
    const begun = reg(bit, { init: 0 });
    /** The rest of the frame is thrown away. */
    const skipping = reg(bit, { init: 0 });
    /** The end of a cut frame is still to be sent. */
    const owed = reg(bit, { init: 0 });
    const room = node(full.not().or(io.to.ready));
    const wanted = node(io.from.valid.and(skipping.not()));
    const taken = node(wanted.and(owed.not()).and(room));
    const cut = node(wanted.and(taken.not()));

    when(io.to.ready, () => full.set(0));
    when(room.and(owed), () => {
      full.set(1);
      held.set({ data: 0, keep: 1, last: 1, user: 1 });
      owed.set(0);
    });
    when(taken, () => {
      full.set(1);
      held.set({ data: io.from.data, keep: io.from.keep, last: io.from.last, user: io.from.user });
      begun.set(io.from.last.not());
    });
    when(cut, () => {
      when(begun, () => owed.set(1));
      begun.set(0);
    });
    when(io.from.valid, () => skipping.set(mux(io.from.last, skipping.and(0), skipping.or(cut))));
    io.to.valid.set(full);
    io.to.payload.set(held);
    io.lost.set(cut);
  },
);
