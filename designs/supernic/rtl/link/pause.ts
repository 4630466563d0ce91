/** Priority flow control both ways: the classes that the partner has paused, and those that he is to pause. */
import {
  bit,
  cat,
  constant,
  fromBits,
  input,
  module,
  mux,
  node,
  output,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { pfcClasses, pfcQuantumBits } from "../../wire/index.ts";
import { PfcSeen, queueClasses } from "../inside/index.ts";

/** A quantum is 512 bits at 100 Gbps, a cycle is 4 ns: so many quanta are so many cycles. */
const rate = { quanta: 25, cycles: 32 } as const;
export const quantaToCycles = (quanta: number): number => (quanta * rate.cycles) / rate.quanta;
/** Bits on a line of 100 Gbps in a cycle. */
const lineBitsPerCycle = 400;
if (pfcQuantumBits * rate.quanta !== lineBitsPerCycle * rate.cycles)
  throw new RangeError("pause: the rate is not that of quanta at 100 Gbps and 250 MHz");

/**
 * Classes that the partner has paused. Each class has a timer in quanta, which PFC sets; 0 lets the class go. Latency 1
 * cycle from `pfc`; a pause lasts for its time to within one quantum. Reset: none is paused.
 */
export const PauseTimers = module(
  "PauseTimers",
  () => ({ pfc: input(PfcSeen), paused: output(uint(pfcClasses)) }),
  io => {
    // A quantum has gone by when the count runs over.
    const phaseBits = Math.log2(rate.cycles),
      phase = reg(uint(phaseBits), { init: 0, name: "phase" }),
      sum = node(phase.zext(phaseBits + 1).add(rate.quanta), { name: "phase_sum" }),
      ticks = sum.bit(phaseBits);
    phase.set(sum.trunc(phaseBits));
    const paused = Array.from({ length: pfcClasses }, (_, i) => {
      const left = reg(uint(16), { init: 0, name: `left_${i}` }),
        runs = node(left.any(), { name: `paused_${i}` });
      when(io.pfc.valid.and(io.pfc.enabled.bit(i)), () => left.set(io.pfc.times.at(constant(i, 3)))).elseWhen(
        ticks.and(runs),
        () => left.set(left.sub(1)),
      );
      return runs;
    });
    io.paused.set(fromBits(paused).is(pfcClasses));
  },
);

/** What a PFC frame is to say now. */
export const PauseWish = struct({ due: bit, enabled: uint(pfcClasses), times: vec(uint(16), pfcClasses) });

export interface PauseSenderParameters {
  /** Quanta that XOFF tells. */
  readonly pauseQuanta: number;
}
/** XON goes so many cycles behind the frame of PFC before, at the earliest: a queue that flutters makes no storm. */
const xonCycles = 256;
/** Frames that may be lost before the time of XOFF ends, and one. */
const refreshes = 4;
export const refreshCycles = (p: PauseSenderParameters): number =>
  Math.floor(quantaToCycles(p.pauseQuanta) / refreshes);

/**
 * Which classes the partner is to pause. A class queue that is over its limit (`full`) makes XOFF due at once, and
 * again when a quarter of its time has gone by. One that has fallen makes XON due, but not within 256 cycles of the
 * frame before. `sent`: in this cycle a frame tells what `wish` says. So a class makes at most two frames in 256
 * cycles, whatever its queue does. Latency 2 cycles. Reset: nothing has been told.
 */
export const PauseSender = module(
  "PauseSender",
  (_p: PauseSenderParameters) => ({ full: input(uint(queueClasses)), sent: input(bit), wish: output(PauseWish) }),
  (io, p) => {
    const told = reg(uint(queueClasses), { init: 0, name: "told" }),
      full = reg(uint(queueClasses), { init: 0, name: "full_q" }),
      since = reg(uint(Math.ceil(Math.log2(refreshCycles(p) + 1))), { init: 0, name: "since_sent" }),
      mayResume = reg(bit, { init: 0, name: "may_resume" });
    full.set(io.full);
    const late = node(since.eq(refreshCycles(p)), { name: "refresh_due" });
    when(io.sent, () => since.set(0)).elseWhen(late.not(), () => since.set(since.add(1)));
    when(io.sent, () => mayResume.set(0)).elseWhen(since.eq(xonCycles - 2), () => mayResume.set(1));

    // A wish is made in one cycle, and holds in the next.
    const fallen = node(told.andNot(full), { name: "fallen" }),
      resumes = node(fallen.and(repeat(mayResume, queueClasses)), { name: "resumes" }),
      risen = node(full.andNot(told).any(), { name: "risen" });
    const due = reg(bit, { init: 0, name: "due_q" }),
      stops = reg(uint(queueClasses), { init: 0, name: "stops_q" }),
      goes = reg(uint(queueClasses), { init: 0, name: "goes_q" });
    const again = node(late.and(full.any()), { name: "again" });
    due.set(io.sent.not().and(risen.or(resumes.any()).or(again)));
    stops.set(full);
    goes.set(resumes);
    when(io.sent, () => told.set(told.andNot(goes).or(stops)));
    io.wish.due.set(due);
    const rest = pfcClasses - queueClasses;
    io.wish.enabled.set(cat(constant(0, rest), stops.or(goes)));
    const none = constant(0, 16);
    const time = (i: number): UInt<16> =>
      i < queueClasses ? mux(stops.bit(i), constant(p.pauseQuanta, 16), none) : none;
    io.wish.times.set(Array.from({ length: pfcClasses }, (_, i) => time(i)));
  },
  { nameOf: p => `PauseSender_q${p.pauseQuanta}` },
);
