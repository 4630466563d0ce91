/**
 * The ledger of the switch lane. Each frame whose beats come in leaves the two blocks that put something in front or
 * take it away, once. And of each that ends one thing is told: that it left, for software or by ports, with a copy for
 * each port more, or why not.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  fromBits,
  input,
  instance,
  module,
  mux,
  node,
  orTree,
  output,
  pack,
  past,
  producerObeys,
  type Proof,
  reg,
  sink,
  stream,
  struct,
  toBits,
  uint,
  type UInt,
  type Val,
} from "../../../../../hdl-dsl/index.ts";
import { ShimInsert } from "../../deparse/index.ts";
import { AxisBeat } from "../../../../shared/frame/index.ts";
import { beatBytes } from "../../inside/index.ts";
import { Bound, eventsOf, Reshape, spread } from "../../lane/index.ts";

const sizes = { ports: 2 } as const,
  /** Ways out: ports, the loop port, and software. */
  WAYS = sizes.ports + 2,
  OWED = 4;

const sum = (bits: readonly Bit[], width: number): UInt =>
  bits.reduce<UInt>((n, b) => n.add(b.zext(width)), constant(0, width));

const endsHarness = module(
  "LaneEndsLedgerProof",
  () => ({
    beats: sink(struct({ last: bit })),
    bound: sink(struct({ to: uint(WAYS), late: bit })),
    ready: input(uint(WAYS)),
    badSoftware: input(bit),
    own: input(bit),
    told: output(bit),
  }),
  io => {
    const ways = WAYS - 1,
      beats = stream(AxisBeat(beatBytes), { name: "beats_in" }),
      bound = stream(Bound(sizes), { name: "bound_in" });
    producerObeys({ ...io.beats, payload: pack(io.beats.payload) }, "beats");
    producerObeys({ ...io.bound, payload: pack(io.bound.payload) }, "bound");
    beats.valid.set(io.beats.valid);
    beats.payload.set({ data: 0, keep: 1, last: io.beats.payload.last, user: 0 });
    io.beats.ready.set(beats.ready);
    const { to, late } = io.bound.payload;
    bound.valid.set(io.bound.valid);
    bound.payload.set({
      ...{ redirect: 0, unwrap: 0, class: 0, mac: 0, far: 0, ingress: 0, shimmed: 0, ttl: 0, uid: 0, size: 0 },
      to,
      late,
    });
    io.bound.ready.set(bound.ready);
    assumeAlways(to.bit(ways).and(to.bits(0, ways).any()).not(), "a frame for software is for no port");
    assumeAlways(to.any().and(late).not(), "who is late gets nothing");

    const gives: Bit[] = [],
      { ends, begins } = spread(
        beats,
        bound,
        toBits(io.ready).map(ready => ({ ready, give: (valid: Bit): void => void gives.push(valid) })),
      ),
      events = eventsOf(ways, bound.payload, ends, { badSoftware: io.badSoftware, own: io.own }),
      last = io.beats.payload.last,
      gone = node(fromBits(gives.map((g, i) => g.and(io.ready.bit(i)).and(last))), { name: "model_gone" }),
      ported = node(sum(toBits(gone).slice(0, ways), OWED), { name: "model_ported" }),
      came = node(io.beats.fire.and(last), { name: "model_came" });
    const { left, toSoftware, notTaken, nowhere } = events,
      told = [left, toSoftware, notTaken, nowhere];
    assertAlways(sum(told, OWED).eq(past(came, 1).zext(OWED)), "a frame that ends is told once, and nothing else is");
    assertAlways(toSoftware.eq(past(gone.bit(ways), 1)), "one is told for software when software has it");
    assertAlways(came.eq(ends), "a frame ends when its last beat is taken");

    // Of a frame that has not ended, those that have its last beat are ahead.
    const has = reg(uint(ways), { init: 0, name: "model_has" }),
      most = { left: left.zext(OWED), copies: events.copies },
      ahead = reg(uint(OWED), { init: 0, name: "model_ahead" });
    has.set(mux(came, constant(0, ways), has.or(gone.trunc(ways))));
    ahead.set(ahead.add(ported).sub(most.left).sub(most.copies));
    const ended = node(most.left.add(most.copies), { name: "model_told" });
    assertAlways(
      ahead.eq(sum(toBits(has), OWED).add(ended)),
      "what ports have is told, with a copy for each port more",
    );
    assertAlways(orTree(begins).and(io.beats.valid.not()).not(), "nobody gets a beat that is not there");
    io.told.set(orTree(told));
    cover(left.and(events.copies.eq(ways - 1)), "one leaves by all ports");
    cover(has.any().andNot(came), "one port has the last beat, and others wait");
    cover(notTaken.and(past(notTaken, 1)), "two that software did not take, one behind the other");
    cover(nowhere.and(ends), "one goes nowhere while one ends");
  },
);

const BITS = 3,
  FRONT = 22,
  SHORTEST = 60,
  /** Frames that are in each of the two blocks. */
  INSERTED = 1,
  RESHAPED = 5,
  Beat = struct({ count: uint(7), last: bit });

/** Frames that are inside, by their last beats; says that those that leave have come. */
function insideOf(came: Bit, went: Bit, most: number): UInt {
  const inside = reg(uint(BITS), { init: 0, name: "model_inside" });
  inside.set(inside.add(came.zext(BITS)).sub(went.zext(BITS)));
  assertAlways(inside.le(most), "frames that have come have left, or are inside");
  assertAlways(went.not().or(inside.any()), "a frame that leaves has come");
  cover(inside.eq(most), "as many are inside as there is room for");
  cover(went.and(came), "one comes while one goes");
  return inside;
}
/** Beats have bytes, and all but a frame's last one are full. */
function areFull({ count, last }: Val<typeof Beat>): void {
  assumeAlways(count.any().and(count.le(beatBytes)), "a beat has bytes");
  assumeAlways(last.or(count.eq(beatBytes)), "beats in front of the last are full");
}

const insertHarness = module(
  "LaneInsertLedgerProof",
  () => ({
    plain: sink(Beat),
    what: sink(struct({ tagged: bit, shimmed: bit })),
    ready: input(bit),
    total: output(uint(BITS)),
  }),
  io => {
    const dut = instance("dut", ShimInsert()),
      { plain, what } = io;
    producerObeys({ ...plain, payload: pack(plain.payload) }, "plain");
    dut.plain.valid.set(plain.valid);
    dut.plain.payload.set({ data: 0, bad: 0, ...plain.payload });
    plain.ready.set(dut.plain.ready);
    dut.what.valid.set(what.valid);
    dut.what.payload.set({ tag: 0, shim: 0, ...what.payload });
    what.ready.set(dut.what.ready);
    dut.frame.ready.set(io.ready);
    areFull(plain.payload);
    const { count, last } = dut.frame.payload,
      starts = reg(bit, { init: 1, name: "model_starts" });
    starts.set(mux(dut.frame.fire, last, starts));
    assertAlways(
      dut.frame.valid.and(starts).and(count.lt(SHORTEST)).not(),
      "the first beat of a frame has as many bytes as the shortest frame",
    );
    io.total.set(insideOf(plain.fire.and(plain.payload.last), dut.frame.fire.and(last), INSERTED));
    cover(dut.frame.fire.and(last).and(count.lt(SHORTEST)), "a frame grows into one beat more");
  },
);

const reshapeHarness = module(
  "LaneReshapeLedgerProof",
  () => ({
    frame: sink(Beat),
    shape: sink(struct({ redirect: bit, unwrap: bit })),
    ready: input(bit),
    total: output(uint(BITS)),
  }),
  io => {
    const dut = instance("dut", Reshape()),
      { frame, shape } = io;
    producerObeys({ ...frame, payload: pack(frame.payload) }, "frame");
    producerObeys({ ...shape, payload: pack(shape.payload) }, "shape");
    dut.frame.valid.set(frame.valid);
    dut.frame.payload.set({ data: 0, bad: 0, ...frame.payload });
    frame.ready.set(dut.frame.ready);
    dut.shape.valid.set(shape.valid);
    dut.shape.payload.set({ front: constant(0, FRONT * 8), ...shape.payload });
    shape.ready.set(dut.shape.ready);
    dut.out.ready.set(io.ready);
    areFull(frame.payload);
    const first = reg(bit, { init: 1, name: "model_first" }),
      { redirect, unwrap } = shape.payload;
    first.set(mux(frame.fire, frame.payload.last, first));
    assumeAlways(first.and(frame.payload.count.lt(SHORTEST)).not(), "a frame is as long as the shortest one");
    assumeAlways(redirect.and(unwrap).not(), "a frame gets something in front, or loses it");
    io.total.set(insideOf(frame.fire.and(frame.payload.last), dut.out.fire.and(dut.out.payload.last), RESHAPED));
    cover(frame.fire.and(first).and(unwrap).and(frame.payload.last), "a frame of one beat loses its front");
  },
);

export const laneLedgerProofs: readonly Proof[] = [
  {
    module: "SwitchLane's ends, their ledger",
    harness: endsHarness(),
    own: true,
    faults: [
      {
        what: "one that goes nowhere does not count",
        from: /events_nowhere <= frame_ends[^;]*;/,
        to: "events_nowhere <= 1'b0;",
      },
      {
        what: "one that software did not take counts as one that goes nowhere too",
        from: " & ~bound_payload_late;",
        to: ";",
      },
      {
        what: "a port that takes in the cycle in which all have it gets it again",
        from: "if (beat_goes) has_0 <= 1'b0",
        to: "if (beat_goes & ~has_0_when) has_0 <= 1'b0",
      },
      { what: "copies count with each beat", from: "events_copies <= frame_ends", to: "events_copies <= beat_goes" },
    ],
  },
  {
    module: "SwitchLane's insert, its ledger",
    harness: insertHarness(),
    own: true,
    faults: [
      {
        what: "a frame that grows into one beat more ends twice",
        from: "flushes | (plain_payload_last & ~grows_over)",
        to: "flushes | plain_payload_last",
      },
      {
        what: "the beat more is given for ever",
        from: "flushes <= ~flushes & grows_over",
        to: "flushes <= grows_over",
      },
      {
        what: "one is taken while the one before it has a beat more",
        from: "~flushes & what_now_full",
        to: "what_now_full",
      },
    ],
  },
  {
    module: "SwitchLane's reshape, its ledger",
    harness: reshapeHarness(),
    own: true,
    long: true,
    by: "abc pdr",
    faults: [
      {
        what: "a frame's beat more is given for ever",
        from: /first_beat <= 1'b1;\n\s*flushes <= 1'b0;/,
        to: "first_beat <= 1'b1;",
      },
      {
        what: "a frame of one beat that loses its front is lost",
        from: "flushes <= grows_over",
        to: "flushes <= grows_over & ~gives_none",
      },
      {
        what: "one is taken while the one before it has a beat more",
        from: "shape_valid & ~flushes &",
        to: "shape_valid &",
      },
    ],
  },
];
