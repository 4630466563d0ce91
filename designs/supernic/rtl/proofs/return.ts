/**
 * What comes back from a region: its bytes are written once, and the scheduler is told once, not before they are. So a
 * branch, with the credits that it still holds, is never lost and never counted twice.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  moduleObeys,
  node,
  output,
  pack,
  past,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Return } from "../core/index.ts";
import { CameBack } from "../inside/index.ts";

const sizes = { contexts: 8, regions: 2, slots: 2, branches: 2 } as const;
/** What counts here of a branch that leaves. */
const Leaves = struct({ ctx: uint(3), branch: bit, region: bit, dropped: bit, writes: bit, refund: uint(2) });

const harness = module(
  "ReturnProof",
  () => ({
    leave: sink(Leaves),
    clearing: input(bit),
    /** Whether the header store takes its bytes. */
    takes: input(bit),
    back: source(CameBack(sizes)),
    written: output(bit),
  }),
  io => {
    const dut = instance("dut", Return(sizes)),
      { leave } = io,
      { writes, ...known } = leave.payload;
    dut.leave.valid.set(leave.valid);
    leave.ready.set(dut.leave.ready);
    dut.leave.payload.set({
      ...known,
      header: 0,
      mask: writes.zext(64),
      prepend: 0,
      frontBytes: 0,
      dropFront: 0,
      reply: 0,
      killed: 0,
    });
    dut.clearing.set(io.clearing);
    dut.write.ready.set(io.takes);
    io.written.set(dut.write.fire);
    connect(dut.back, io.back);
    producerObeys({ valid: leave.valid, ready: leave.ready, payload: pack(leave.payload) }, "leave");
    const waited = moduleObeys({ valid: io.back.valid, ready: io.back.ready, payload: pack(io.back.payload) }, "back");
    const cleared = reg(bit, { init: 0, name: "model_cleared" });
    when(io.clearing.not(), () => cleared.set(1));
    assumeAlways(cleared.and(io.clearing).not(), "the descriptors are cleared once");

    const done = reg(bit, { init: 0, name: "model_done" }),
      wants = node(writes.andNot(known.dropped), { name: "model_wants" });
    when(leave.fire, () => done.set(0)).elseWhen(dut.write.fire, () => done.set(1));
    assertAlways(
      dut.write.valid.not().or(leave.valid.and(wants).andNot(done)),
      "bytes are written once, and none of a drop",
    );
    assertAlways(dut.write.valid.not().or(dut.write.payload.ctx.eq(known.ctx)), "bytes go to their own context");
    assertAlways(leave.fire.eq(io.back.fire), "a branch leaves when the scheduler takes it");
    assertAlways(
      io.back.valid.not().or(wants.not().or(done).or(dut.write.fire)),
      "the scheduler is told when the bytes are written",
    );
    assertAlways(
      io.back.valid
        .not()
        .or(
          io.back.payload.ctx
            .eq(known.ctx)
            .and(io.back.payload.refund.eq(known.refund))
            .and(io.back.payload.region.eq(known.region))
            .and(io.back.payload.dropped.eq(known.dropped)),
        ),
      "the scheduler is told whose it is, and of which credits",
    );
    const stuck = reg(uint(2), { init: 0, name: "model_stuck" });
    when(leave.valid.and(io.takes).and(io.back.ready).andNot(io.clearing).andNot(leave.fire), () =>
      stuck.set(stuck.add(1)),
    ).otherwise(() => stuck.set(constant(0, 2)));
    assertAlways(stuck.any().not(), "nobody waits when both can take");
    cover(waited.and(io.back.fire).and(wants), "one waits for the scheduler");
    cover(io.back.fire.and(past(dut.write.valid.andNot(dut.write.ready), 1)), "one waits for the header store");
  },
);

export const returnProof: Proof = {
  module: `Return, ${sizes.contexts} contexts`,
  harness: harness(),
  faults: [
    {
      what: "bytes are written again while the scheduler lets it wait",
      from: "open & writes & ~written",
      to: "open & writes",
    },
    {
      what: "the scheduler is told although the header store waits",
      from: /back_valid = [^;]*;/,
      to: "back_valid = open;",
    },
    { what: "a drop writes what its tasks wrote", from: /writes = [^;]*;/, to: "writes = |leave_payload_mask;" },
    {
      what: "that one was written is not forgotten when it leaves with its write",
      from: /if \(back_valid & back_ready\) written <= 1'b0/,
      to: "if (1'b0) written <= 1'b0",
    },
  ],
};
