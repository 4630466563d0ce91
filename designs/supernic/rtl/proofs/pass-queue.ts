/** The queue that is passed by while it is empty: what comes leaves in order, once, and in its own cycle if it can. */
import {
  assertAlways,
  assumeAlways,
  bit,
  connect,
  cover,
  input,
  module,
  mux,
  node,
  past,
  type Proof,
  reg,
  source,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../shared/stream/index.ts";

const DEPTH = 4,
  COUNT = 3;

const harness = module(
  "PassQueueProof",
  (_o: { readonly lateReady: boolean }) => ({ comes: input(bit), marks: input(bit), out: source(bit) }),
  (io, { lateReady }) => {
    const been = reg(bit, { init: 0, name: "model_been" }),
      marked = node(io.comes.and(io.marks).andNot(been), { name: "model_marked" });
    const dut = passQueue("dut", bit, DEPTH, io.comes, marked, { lateReady });
    connect(dut, io.out);
    const inside = reg(uint(COUNT), { init: 0, name: "model_inside" }),
      there = reg(bit, { init: 0, name: "model_there" }),
      ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" });
    const goes = io.out.fire,
      before = node(mux(marked, inside, ahead), { name: "model_before" }),
      turn = node(there.or(marked).andNot(before.any()), { name: "model_turn" });
    inside.set(inside.add(io.comes.zext(COUNT)).sub(goes.zext(COUNT)));
    assumeAlways(io.comes.not().or(inside.lt(DEPTH)).or(goes), "there is room for what comes");
    when(marked, () => been.set(1));
    there.set(there.or(marked).andNot(goes.and(turn)));
    ahead.set(before.sub(goes.and(before.any()).zext(COUNT)));
    assertAlways(io.out.valid.eq(inside.any().or(io.comes)), "it offers when it has one, or one comes");
    assertAlways(io.out.valid.not().or(io.out.payload.eq(turn)), "what it offers is whose turn it is");
    cover(inside.eq(DEPTH).and(io.comes).and(goes), "one comes and one goes when it is full");
    cover(marked.and(goes).and(turn).and(past(goes, 1)), "one passes it by");
  },
);

export const passQueueProofs: readonly [Proof, Proof] = [
  {
    module: `passQueue, depth ${DEPTH}`,
    harness: harness({ lateReady: false }),
    faults: [
      {
        what: "what passes by stays, too",
        from: /dut_queued <= [^;]*;/,
        to: "dut_queued <= dut_queued ? ~dut_single | comes | ~dut_taken : comes;",
      },
      {
        what: "the last one takes the one that comes with it",
        from: "~dut_single | comes | ~dut_taken",
        to: "~dut_single | ~dut_taken",
      },
      { what: "what passes by is not skipped", from: "if (dut_taken) begin", to: "if (dut_taken & dut_queued) begin" },
    ],
  },
  {
    module: `passQueue, depth ${DEPTH}, late ready`,
    harness: harness({ lateReady: true }),
    faults: [
      { what: "what passes by stays, too", from: "dut_queued & (~dut_single | comes)", to: "dut_queued | comes" },
      { what: "the last one takes the one that comes with it", from: "~dut_single | comes", to: "~dut_single" },
      { what: "a place is passed by without its element", from: "dut_was_ready & dut_offered", to: "dut_was_ready" },
      {
        what: "one that was not taken is not queued",
        from: "dut_offered <= out_valid",
        to: "dut_offered <= dut_queued",
      },
    ],
  },
];
