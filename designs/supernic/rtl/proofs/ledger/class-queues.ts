/**
 * The ledger of a port's class queues: frames that were kept are those that were given out, those that wait, and the
 * one that is being given out. The reader is the queues' own; what waits is counted as they count it. Counts are modulo
 * twice the buffer, which never has as many frames.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  input,
  instance,
  module,
  node,
  output,
  type Proof,
  reg,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { lateCount } from "../../../../shared/stream/index.ts";
import { FrameReader } from "../../port/index.ts";

const sizes = { ports: 2, frameBytes: 100, beats: 4, softwareBeats: 0, pauseAt: 2, resumeAt: 1 } as const,
  COUNT = Math.log2(sizes.beats) + 1,
  BEATS = 2;

const harness = module(
  "ClassQueuesLedgerProof",
  () => ({
    keeps: input(bit),
    takes: input(bit),
    second: input(bit),
    beats: input(uint(BEATS)),
    firstReady: input(bit),
    secondReady: input(bit),
    total: output(uint(COUNT)),
  }),
  io => {
    const dut = instance("dut", FrameReader(sizes));
    dut.take.valid.set(io.takes);
    dut.take.payload.set({ at: { first: 0, beats: io.beats }, second: io.second });
    dut.data.set(0);
    dut.next.set(0);
    dut.first.ready.set(io.firstReady);
    dut.second.ready.set(io.secondReady);
    const waiting = reg(uint(COUNT), { init: 0, name: "waiting" }),
      taken = dut.take.fire;
    waiting.set(lateCount(waiting, io.keeps, taken));
    assumeAlways(io.takes.not().or(waiting.any()), "a class is taken when it has a frame");
    assumeAlways(io.takes.not().or(io.beats.any()), "a frame has a beat");
    assumeAlways(io.keeps.not().or(waiting.lt(sizes.beats)), "no more frames are kept than there are beats");

    const inside = reg(uint(COUNT + 1), { init: 0, name: "model_inside" }),
      rest = reg(uint(BEATS), { init: 0, name: "model_rest" }),
      beat = node(dut.first.fire.or(dut.second.fire), { name: "model_beat" }),
      last = node(dut.first.valid.and(dut.first.payload.last).or(dut.second.valid.and(dut.second.payload.last)), {
        name: "model_last",
      }),
      went = node(beat.and(last), { name: "model_went" }),
      gives = node(dut.first.valid.or(dut.second.valid), { name: "model_gives" });
    inside.set(inside.add(io.keeps.zext(COUNT + 1)).sub(went.zext(COUNT + 1)));
    when(taken, () => rest.set(io.beats)).elseWhen(beat, () => rest.set(rest.sub(1)));
    assertAlways(dut.first.valid.and(dut.second.valid).not(), "one frame is given out at a time");
    assertAlways(
      inside.eq(waiting.zext(COUNT + 1).add(gives.zext(COUNT + 1))),
      "frames that were kept have been given out, wait, or are being given out",
    );
    assertAlways(gives.not().or(last.eq(rest.eq(1))), "a frame has the beats that it came with");
    io.total.set(waiting);
    cover(went.and(io.keeps).and(taken), "one comes and one is taken while one goes");
    cover(gives.and(waiting.eq(sizes.beats)), "the buffer is full while one is given out");
  },
);

export const classQueuesLedgerProof: Proof = {
  module: "ClassQueues' ledger",
  harness: harness(),
  faults: [
    { what: "one that has been given out is given out again", from: "reads <= issues", to: "reads <= issues | reads" },
    { what: "one is taken while another one has beats left", from: /take_ready = [^;]*;/, to: "take_ready = moves;" },
    { what: "a frame ends a beat early", from: /last <= rest == 2'd1/, to: "last <= rest <= 2'd2" },
  ],
};
