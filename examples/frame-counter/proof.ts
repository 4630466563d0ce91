import {
  assertAlways,
  bit,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  uint,
  type UInt,
} from "../../hdl-dsl/index.ts";
import { Tally } from "./frame-counter.ts";

const sizeBits = 4;

/** From each cycle to the next: the counts rise by what has passed, from where they were or, with a clear, from 0. */
const TallyProof = module(
  "FrameCounterProof",
  () => ({
    passes: input(bit),
    last: input(bit),
    size: input(uint(sizeBits)),
    clear: input(bit),
    frames: output(uint(32)),
    bytes: output(uint(32)),
  }),
  io => {
    const dut = instance("dut", Tally({ sizeBits }));
    dut.passes.set(io.passes);
    dut.last.set(io.last);
    dut.size.set(io.size);
    dut.clear.set(io.clear);
    io.frames.set(dut.frames);
    io.bytes.set(dut.bytes);

    /** A value of the cycle before. */
    const before = (name: string, value: UInt<32>) => {
      const was = reg(uint(32), { init: 0, name: `model_${name}` });
      was.set(value);
      return was;
    };
    const none = constant(0, 32),
      ended = node(io.passes.and(io.last), { name: "model_ended" }),
      size = mux(io.passes, io.size.zext(32), none);
    const framesThen = before("frames", mux(io.clear, none, dut.frames)),
      bytesThen = before("bytes", mux(io.clear, none, dut.bytes)),
      endedThen = before("one", ended.zext(32)),
      sizeThen = before("size", size);
    assertAlways(dut.frames.sub(framesThen).eq(endedThen), "a frame's end adds one frame, in a clear's cycle too");
    assertAlways(dut.bytes.sub(bytesThen).eq(sizeThen), "a beat adds its bytes, in a clear's cycle too");
    cover(io.clear.and(ended).and(dut.frames.eq(2)), "a clear beside the end of a frame");
  },
);

export const frameCounterProof: Proof = {
  module: "FrameCounter, its counts",
  harness: TallyProof(),
  faults: [{ what: "a frame that ends beside a clear is lost", from: "(clear ? 32'd0 : frames_q)", to: "frames_q" }],
};
