import {
  bit,
  connect,
  input,
  module,
  node,
  output,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { HeaderBack } from "../headers/index.ts";
import { CameBack, ctxBits } from "../inside/index.ts";
import { BranchLeave, Front, type PathParameters } from "./records.ts";

/**
 * What comes back from the regions (paper §5.3.2): the bytes that its tasks wrote go to the header store, what they
 * said of its front to the descriptors, and then the scheduler is told. Latency: 1 cycle to the header store and the
 * descriptors, 2 to the scheduler, so that whoever is sent on finds its bytes. Initiation interval 1. Full: `leave`
 * waits for the header store, or for the scheduler. While the descriptors are `clearing` it waits, too. What was
 * dropped writes nothing, and nobody asks what was said of it. Reset: nothing is under way.
 */
export const Return = module(
  "Return",
  (p: PathParameters) => ({
    leave: sink(BranchLeave(p)),
    /** Descriptors after a reset. */
    clearing: input(bit),
    write: source(HeaderBack(p)),
    said: output(struct({ valid: bit, ctx: uint(ctxBits(p)), front: Front })),
    back: source(CameBack(p)),
  }),
  (io, p) => {
    const came = stage(io.leave, "forward", { name: "came" }),
      { ctx, header, mask, dropped, prepend, frontBytes, dropFront, reply, branch, region, refund } = came.payload,
      writes = node(mask.any().andNot(dropped), { name: "writes" });
    const told = stream(CameBack(p), { name: "told" }),
      open = node(came.valid.andNot(io.clearing), { name: "open" });

    // The scheduler learns of it when the header store has it, and a cycle later.
    io.write.valid.set(open.and(writes).and(told.ready));
    io.write.payload.set({ ctx, header, mask });
    const goes = node(open.and(writes.not().or(io.write.ready)), { name: "goes" });
    told.valid.set(goes);
    told.payload.set({ ctx, branch, region, dropped, refund });
    came.ready.set(goes.and(told.ready));
    io.said.set({
      valid: goes.and(told.ready),
      ctx,
      front: { prepend, frontBytes, dropFront, reply },
    });
    connect(stage(told, "full", { name: "tells" }), io.back);
  },
  { nameOf: p => `Return_c${p.contexts}_r${p.regions}_s${p.slots}_b${p.branches}` },
);
