/**
 * The shared blocks keep partitions apart. The proof runs two copies of each. Partition 0 gets the same inputs in both,
 * and partition 1 any inputs in each. The copies do the same for partition 0 in every cycle. Bytes are not looked at,
 * only when they come; that they go through unchanged is the node's bench to show.
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
  portOf,
  type Proof,
  reg,
  struct,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { PartitionRx } from "../partition/partition-rx.ts";
import { turns } from "../../../shared/stream/index.ts";

const COPIES = 2,
  PARTITIONS = 2;
const copies = <T>(f: (k: number) => T): [T, T] => Array.from({ length: COPIES }, (_, k) => f(k)) as [T, T];

const same = (a: Bit, b: Bit, what: string): void =>
  assertAlways(a.eq(b), `${what} is the same whatever partition 1 does`);

// ---- Frames in.
const rxHarness = module(
  "PartitionRxProof",
  () => ({
    rx: input(struct({ valid: bit, data: bit, last: bit })),
    others: input(vec(struct({ valid: bit, data: bit, last: bit }), COPIES)),
    ready: input(bit),
    otherReady: input(uint(COPIES)),
    seen: output(bit),
  }),
  io => {
    const frame = { partitions: PARTITIONS, beatBytes: 1, frameBytes: 1, plain: true } as const;
    const duts = copies(k => {
      const dut = instance(`dut_${k}`, PartitionRx(frame));
      const own = io.rx,
        other = io.others.at(k);
      // Beats of partition 0 come in the same cycles; between its frames, and only there, what is the other's.
      const inside = reg(bit, { init: 0, name: `model_inside_${k}` });
      when(other.valid, () => inside.set(other.last.not()));
      assumeAlways(own.valid.and(other.valid).not(), `${k}: one beat in a cycle`);
      assumeAlways(own.valid.and(inside).not(), `${k}: frames are whole`);
      assumeAlways(other.valid.not().or(inside).or(other.data), `${k}: the other's frames are of partition 1`);
      dut.rx.valid.set(own.valid.or(other.valid));
      dut.rx.payload.set({
        data: mux(own.valid, own.data, other.data).zext(8),
        keep: 1,
        last: mux(own.valid, own.last, other.last),
        user: 0,
      });
      portOf(dut, "rx", 0).ready.set(io.ready);
      portOf(dut, "rx", 1).ready.set(io.otherReady.bit(k));
      return { dut, out: portOf(dut, "rx", 0), inside: inside };
    });
    const ownInside = reg(bit, { init: 0, name: "model_inside" });
    when(io.rx.valid, () => ownInside.set(io.rx.last.not()));
    assumeAlways(io.rx.valid.not().or(ownInside).or(io.rx.data.not()), "frames of partition 0 are its");
    for (const k of [0, 1])
      assumeAlways(ownInside.and(io.others.at(k).valid).not(), `${k}: nothing comes into a frame of partition 0`);
    const [a, b] = duts;
    same(a.out.valid, b.out.valid, "that a beat is there");
    same(a.dut.dropped.bit(0), b.dut.dropped.bit(0), "that a frame is dropped");
    assertAlways(a.dut.rx.ready, "the line is never held up");
    io.seen.set(a.out.valid);
    cover(a.dut.dropped.bit(0), "a frame of partition 0 is dropped");
    cover(a.dut.dropped.bit(1).and(a.out.valid), "a frame of partition 1 is dropped while partition 0 has one");
  },
);

// ---- Turns: they let out the frames, the reads and the writes.
const CYCLES = 4;
const Ask = struct({ valid: bit, cost: uint(2) });
const turnsHarness = module(
  "PartitionTurnsProof",
  () => ({ own: input(Ask), others: input(vec(Ask, COPIES)), holds: input(bit), seen: output(bit) }),
  io => {
    const grants = copies(k => {
      const turn = turns({ partitions: PARTITIONS, cycles: CYCLES }, io.holds, `turn_${k}`);
      // Bursts let out and not done yet, of the turn's owner or of any partition before.
      const left = reg(uint(4), { init: 0, name: `model_left_${k}` });
      const asks = [io.own, io.others.at(k)].map((ask, i) => {
        const cost = node(ask.cost.zext(3).add(1), { name: `model_cost_${k}_${i}` }),
          booking = turn.book(i, cost);
        const goes = node(ask.valid.and(booking.fits).and(io.holds.not()), { name: `model_goes_${k}_${i}` });
        booking.taken(goes);
        return { goes, cost, fits: booking.fits };
      });
      const [a, b] = asks as [(typeof asks)[number], (typeof asks)[number]];
      const more = mux(a.goes, a.cost, mux(b.goes, b.cost, constant(0, 3))).zext(4),
        all = node(left.add(more), { name: `model_all_${k}` });
      left.set(mux(io.holds.or(all.eq(0)), all, all.sub(1)));
      const owner = reg(uint(PARTITIONS), { init: 1, name: `model_owner_${k}` });
      owner.set(turn.mine.is(PARTITIONS));
      assertAlways(a.goes.and(b.goes).not(), `${k}: one at a time`);
      assertAlways(owner.eq(turn.mine).or(left.eq(0)), `${k}: what a turn let out is done when it ends`);
      return { own: a.goes, other: b.goes, fits: a.fits, left };
    });
    const [a, b] = grants;
    same(a.own, b.own, "what partition 0 is let out");
    same(a.fits, b.fits, "what it could be let out");
    io.seen.set(a.own);
    cover(a.own.and(a.left.eq(2)), "one more while something is under way");
    cover(a.other.and(b.other.not()), "partition 1 goes in one copy alone");
  },
);

/** The claims, with faults by which partition 1 could be felt. */
export const partitionProofs: readonly Proof[] = [
  {
    module: "PartitionRx, 2 copies, frames of a beat",
    harness: rxHarness(),
    reach: 24,
    faults: [
      {
        what: "a frame needs room in every partition's queue",
        from: /assign admits = [^;]*;|wire admits = [^;]*;/,
        to: "wire admits = first ? &roomy : admitted;",
      },
    ],
  },
  {
    module: "Turns of 2 partitions, 2 copies",
    harness: turnsHarness(),
    reach: 16,
    faults: [
      {
        what: "what begins in a turn may end in the next",
        from: /wire turn_0_fits_1 = [^;]*;/,
        to: "wire turn_0_fits_1 = turn_0_mine[1];",
      },
    ],
  },
];
