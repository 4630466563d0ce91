/** The join: a stage is done once, when its last branch is back, and no stage stays for ever. */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  cover,
  input,
  instance,
  module,
  moduleObeys,
  node,
  pack,
  past,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Join } from "../scheduler/index.ts";

const CONTEXTS = 2,
  BRANCHES = 3,
  BITS = 2;
const Back = struct({ ctx: uint(1), dropped: bit });

const harness = module(
  "BranchJoinProof",
  () => ({
    begin: input(struct({ valid: bit, ctx: uint(1), branches: uint(BITS) })),
    back: sink(Back),
    done: source(Back),
  }),
  io => {
    const dut = instance("dut", Join({ contexts: CONTEXTS, branches: BRANCHES }));
    dut.begin.set(io.begin);
    connect(io.back, dut.back);
    connect(dut.done, io.done);
    const waited = moduleObeys({ valid: io.done.valid, ready: io.done.ready, payload: pack(io.done.payload) }, "done");
    assumeAlways(io.begin.valid.not().or(io.begin.branches.any()), "a stage has a branch");

    for (let c = 0; c < CONTEXTS; c++) {
      const begins = node(io.begin.valid.and(io.begin.ctx.eq(c)), { name: `begins_${c}` }),
        comes = node(io.back.fire.and(io.back.payload.ctx.eq(c)), { name: `comes_${c}` }),
        offered = node(io.done.valid.and(io.done.payload.ctx.eq(c)), { name: `offered_${c}` }),
        ends = node(offered.and(io.done.ready), { name: `ends_${c}` });
      const open = reg(bit, { init: 0, name: `open_${c}` }),
        out = reg(uint(BITS), { init: 0, name: `out_${c}` }),
        dropped = reg(bit, { init: 0, name: `dropped_${c}` });
      when(begins, () => {
        open.set(1);
        out.set(io.begin.branches);
        dropped.set(0);
      }).otherwise(() => {
        when(comes, () => {
          out.set(out.sub(1));
          dropped.set(dropped.or(io.back.payload.dropped));
        });
        when(ends, () => open.set(0));
      });
      assumeAlways(begins.not().or(open.not()), `a stage begins when the one before it is done (${c})`);
      assumeAlways(
        io.back.valid.and(io.back.payload.ctx.eq(c)).not().or(out.any()),
        `a branch that comes back was out (${c})`,
      );
      assertAlways(offered.not().or(open.and(out.any().not())), `context ${c} is done when all its branches are back`);
      assertAlways(offered.not().or(io.done.payload.dropped.eq(dropped)), `context ${c} tells of its drops`);
      const last = past(comes.and(out.eq(1)), 1, { name: `last_came_${c}` });
      assertAlways(last.not().or(offered), `context ${c} is done a cycle behind its last branch`);
      cover(ends.and(dropped), `context ${c} is done, and dropped`);
      cover(waited.and(ends).and(past(out.eq(BRANCHES), 5)), `context ${c} had all branches, and was kept waiting`);
    }
  },
);

export const joinProof: Proof = {
  module: `Join, ${CONTEXTS} contexts, ${BRANCHES} branches`,
  harness: harness(),
  faults: [
    {
      what: "the next stage begins with the count of the last",
      from: "is_clean = clearing | is_last",
      to: "is_clean = clearing",
    },
    { what: "a drop of the last branch is forgotten", from: "earlier_dropped | who_dropped", to: "earlier_dropped" },
    { what: "one behind another sees the old count", from: "earlier_hit ? earlier_fwd", to: "1'b0 ? earlier_fwd" },
    { what: "done is lost when nobody takes it", from: "| done_ready", to: "| 1'b1" },
  ],
};
