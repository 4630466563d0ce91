import { bit, input, module, node, output, reg, sink, source, struct, uint, when } from "../../../../hdl-dsl/index.ts";
import { HeaderBack } from "../headers/index.ts";
import { CameBack, ctxBits } from "../inside/index.ts";
import { BranchLeave, Front, type PathParameters } from "./records.ts";

/**
 * What comes back from the regions (paper §5.3.2): the bytes that its tasks wrote go to the header store, what they
 * said of its front to the descriptors, and the scheduler is told. Latency: 0 cycles to the header store and the
 * scheduler, 1 to the descriptors: who is told looks at both 2 cycles later at the earliest. Initiation interval 1.
 * Full: `leave` waits for the scheduler, and the scheduler is not told before the header store has taken the bytes.
 * While the descriptors are `clearing` it waits, too. What was dropped writes nothing, and nobody asks what was said of
 * it. Reset: nothing is under way.
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
    const { ctx, header, mask, dropped, prepend, frontBytes, dropFront, reply, branch, region, refund } =
        io.leave.payload,
      writes = node(mask.any().andNot(dropped), { name: "writes" }),
      open = node(io.leave.valid.andNot(io.clearing), { name: "open" });

    // Its bytes once, also when the scheduler lets it wait.
    const written = reg(bit, { init: 0, name: "written" });
    io.write.valid.set(open.and(writes).andNot(written));
    io.write.payload.set({ ctx, header, mask });
    io.back.valid.set(open.and(writes.not().or(written).or(io.write.ready)));
    io.back.payload.set({ ctx, branch, region, dropped, refund });
    io.leave.ready.set(io.back.fire);
    when(io.back.fire, () => written.set(0)).elseWhen(io.write.fire, () => written.set(1));

    const Said = struct({ valid: bit, ctx: uint(ctxBits(p)), front: Front }),
      said = reg(Said, { init: { valid: 0 }, name: "said_q" });
    said.set({ valid: io.back.fire, ctx, front: { prepend, frontBytes, dropFront, reply } });
    io.said.set(said);
  },
  { nameOf: p => `Return_c${p.contexts}_r${p.regions}_s${p.slots}_b${p.branches}` },
);
