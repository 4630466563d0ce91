/** Counts the frames and bytes that pass on an AXI-Stream; software reads and clears the counts over AXI4-Lite. */
import {
  axisBeat,
  bit,
  connect,
  constant,
  input,
  instance,
  liteSlavePorts,
  module,
  mux,
  node,
  output,
  reg,
  register,
  registerMap,
  RegisterSlave,
  sink,
  source,
  toBits,
  uint,
  type UInt,
} from "../../hdl-dsl/index.ts";

/** The registers, for the hardware and for its driver. */
export const frameCounterMap = registerMap({
  name: "FrameCounter",
  doc: "what has passed since reset or the last clear",
  addressBits: 4,
  registers: [
    register(0x0, "frames", "frames whose last beat has passed", { frames: [0, 32, "live", "the count; it wraps"] }),
    register(0x4, "bytes", "bytes of all beats that have passed", { bytes: [0, 32, "live", "the count; it wraps"] }),
    register(0x8, "control", "what software can do", { clear: [0, 1, "pulse", "both counts begin anew"] }),
  ],
});

/**
 * The two counts. What passes in the cycle of a clear is counted anew: nothing is lost.
 * Latency: a count shows what passed in the cycle before.
 */
export const Tally = module(
  "Tally",
  (p: { readonly sizeBits: number }) => ({
    passes: input(bit),
    last: input(bit),
    size: input(uint(p.sizeBits)),
    clear: input(bit),
    frames: output(uint(32)),
    bytes: output(uint(32)),
  }),
  io => {
    const frames = reg(uint(32), { init: 0 }),
      bytes = reg(uint(32), { init: 0 });
    frames.set(mux(io.clear, constant(0, 32), frames).add(io.passes.and(io.last).zext(32)));
    bytes.set(mux(io.clear, constant(0, 32), bytes).add(mux(io.passes, io.size.zext(32), constant(0, 32))));
    io.frames.set(frames);
    io.bytes.set(bytes);
  },
);

/**
 * Passes beats on from `rx` to `tx` as they are, and counts them. Latency: none, the two streams are one; registers
 * answer as `RegisterSlave` does. When `tx` waits, `rx` waits. Reset clears the counts.
 */
export const FrameCounter = module(
  "FrameCounter",
  (p: { readonly beatBytes: number }) => ({
    rx: sink(axisBeat(p.beatBytes)),
    tx: source(axisBeat(p.beatBytes)),
    ...liteSlavePorts(frameCounterMap.addressBits),
  }),
  (io, p) => {
    connect(io.rx, io.tx);
    const sizeBits = Math.ceil(Math.log2(p.beatBytes + 1)),
      lanes = toBits(io.rx.payload.keep).map((b): UInt => b.zext(sizeBits));
    const tally = instance(Tally({ sizeBits }));
    tally.passes.set(io.rx.fire);
    tally.last.set(io.rx.payload.last);
    tally.size.set(
      node(
        lanes.reduce((a, b) => a.add(b)),
        { name: "size" },
      ),
    );

    const registers = instance(RegisterSlave({ map: frameCounterMap }));
    connect(io.sAw, registers.sAw);
    connect(io.sW, registers.sW);
    connect(registers.sB, io.sB);
    connect(io.sAr, registers.sAr);
    connect(registers.sR, io.sR);
    registers.frames.set(tally.frames);
    registers.bytes.set(tally.bytes);
    tally.clear.set(registers.clear);
  },
);
