/**
 * The ledger of a port that sends, in two parts. Each frame that the lanes gave as a whole is committed to the window,
 * or told to be dropped, once and for one reason, a cycle later. And what is committed is done, or dropped by a link
 * that ends, or kept. Whatever the line, the partner and software do.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  uint,
  type UInt,
} from "../../../../../hdl-dsl/index.ts";
import { LinkWindow, TxRing } from "../../link/index.ts";

const ringSizes = { beats: 32, frames: 8, frameBytes: 128 } as const,
  PLACE = 6,
  BITS = 4,
  FRAMES = 4,
  KEPT = 11;

const ringHarness = module(
  "TxRingLedgerProof",
  () => ({
    reliable: input(bit),
    hasPlace: input(bit),
    down: input(bit),
    clear: input(bit),
    tail: input(uint(PLACE)),
    lane0: input(bit),
    last0: input(bit),
    bad0: input(bit),
    lane1: input(bit),
    last1: input(bit),
    bad1: input(bit),
    came: output(bit),
  }),
  io => {
    const dut = instance("dut", TxRing(ringSizes)),
      beat = { data: 0, keep: 1, class: 0 } as const;
    dut.reliable.set(io.reliable);
    dut.hasPlace.set(io.hasPlace);
    dut.kept.set(0);
    dut.tail.set(io.tail);
    dut.goesBack.set(0);
    dut.from.set(0);
    dut.clear.set(io.clear);
    dut.drops.set(io.down);
    dut.out.ready.set(0);
    dut.lane0.valid.set(io.lane0);
    dut.lane0.payload.set({ ...beat, last: io.last0, user: io.bad0 });
    dut.lane1.valid.set(io.lane1);
    dut.lane1.payload.set({ ...beat, last: io.last1, user: io.bad1 });
    const ended = [dut.lane0.fire.and(io.last0), dut.lane1.fire.and(io.last1)] as const,
      came = node(ended[0].or(ended[1]), { name: "model_came" }),
      { lost, long, marked } = dut.events,
      told = node(lost.or(long).or(marked), { name: "model_told" });
    assertAlways(ended[0].and(ended[1]).not(), "one frame ends at a time");
    assertAlways(dut.committed.valid.not().or(came), "what is committed has ended");
    assertAlways(
      told.eq(past(came.andNot(dut.committed.valid), 1)),
      "a frame that has ended is committed, or told to be dropped",
    );
    assertAlways(
      lost.and(long).or(lost.and(marked)).or(long.and(marked)).not(),
      "a frame is told to be dropped for one reason",
    );
    io.came.set(came);
    cover(long, "one is too long");
    cover(marked, "one is bad");
    cover(lost.and(dut.committed.valid), "one is committed behind one that is lost");
  },
);

const windowHarness = module(
  "LinkWindowLedgerProof",
  () => ({
    reliable: input(bit),
    restart: input(bit),
    comes: input(bit),
    sends: input(bit),
    idle: input(bit),
    hears: input(bit),
    number: input(uint(BITS)),
    nack: input(bit),
    kept: output(uint(BITS)),
  }),
  io => {
    const dut = instance(
      "dut",
      LinkWindow({ sequenceBits: BITS, frames: FRAMES, placeBits: PLACE, resendCycles: 3, tries: 1, rounds: 2 }),
    );
    const run = reg(bit, { init: 0, name: "model_run" });
    run.set(1);
    assumeAlways(run.not().or(io.reliable.eq(past(io.reliable, 1))), "a port is reliable or it is not");
    assumeAlways(io.comes.not().or(dut.hasPlace.andNot(dut.clear)), "the ring commits what has a place");
    dut.reliable.set(io.reliable);
    dut.restart.set(io.restart);
    dut.committed.set({ valid: io.comes, end: 0 });
    dut.dropEnd.set(0);
    dut.sent.set({ valid: io.sends, end: 0 });
    dut.idle.set(io.idle);
    dut.acked.set({ valid: io.hears, number: io.number, nack: io.nack });

    const inside = reg(uint(KEPT), { init: 0, name: "model_inside" }),
      many = (b: Bit): UInt<typeof KEPT> => b.zext(KEPT),
      cleared = node(mux(dut.clear, dut.kept.zext(KEPT), constant(0, KEPT)), { name: "model_cleared" });
    const written = reg(uint(BITS), { init: 0, name: "model_written" });
    written.set(mux(dut.clear, constant(0, BITS), written.add(io.comes.zext(BITS))));
    assumeAlways(io.sends.not().or(dut.next.ne(written)), "what is sent is in the ring");
    assumeAlways(io.sends.and(dut.clear).not(), "nothing is sent while all is dropped");
    inside.set(inside.add(many(io.comes)).sub(dut.done).sub(cleared));
    assertAlways(inside.eq(dut.kept.zext(KEPT)), "what was committed is done, dropped, or kept");
    assertAlways(dut.kept.le(FRAMES), "no more is kept than there is room for");
    assertAlways(dut.done.le(dut.kept.zext(KEPT)), "no more is done than is kept");
    io.kept.set(dut.kept);
    cover(dut.done.gt(1), "two are done at once");
    cover(cleared.gt(1), "two are dropped when the link goes down");
    cover(dut.done.any().andNot(io.reliable), "one is done when it is sent");
  },
);

export const ringLedgerProofs: readonly Proof[] = [
  {
    module: "TxRing's ledger",
    harness: ringHarness(),
    own: true,
    reach: 20,
    faults: [
      {
        what: "a bad frame that is too long is told twice",
        from: / & ~frame_over & frame_marked/,
        to: " & frame_marked",
      },
      {
        what: "what comes while all is dropped is lost in silence",
        from: /drops_frame = [^;]*;/,
        to: "drops_frame = frame_ends & drops;",
      },
      { what: "a frame counts with each of its beats", from: /frame_ends = [^;]*;/, to: "frame_ends = beat_taken;" },
    ],
  },
  {
    module: "LinkWindow's ledger",
    harness: windowHarness(),
    own: true,
    reach: 20,
    faults: [
      { what: "an ACK of two counts as one", from: /done = moves \?/, to: "done = moves ? 11'd1 : moves ?" },
      { what: "any ACK is believed", from: /believed = [^;]*;/, to: "believed = heard_counts;" },
      {
        what: "a frame that is heard of as it is dropped is done too",
        from: /heard_counts = [^;]*;/,
        to: "heard_counts = heard_valid & reliable;",
      },
    ],
  },
];
