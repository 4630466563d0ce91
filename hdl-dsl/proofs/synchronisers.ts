/**
 * Crossings of single bits: nothing is lost or made up between two clocks, whatever they do; a reset ends for all
 * at one edge.
 */
import { input, output } from "../types/ports.ts";
import { bit, uint } from "../types/shape.ts";
import type { Bit, UInt } from "../types/value.ts";
import { clockDomain, inDomain } from "../build/clock-domain.ts";
import { reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { assertAlways, cover, when } from "../build/statements.ts";
import { LevelSynchroniser, PulseSynchroniser, ResetSynchroniser } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";

const STAGES = 3;

const levelHarness = module(
  "LevelSynchroniserProof",
  () => ({ d: input(bit), q: output(bit) }),
  io => {
    const dut = instance("dut", LevelSynchroniser({ stages: STAGES }));
    dut.d.set(io.d);
    io.q.set(dut.q);
    let before: Bit = io.d;
    for (let i = 1; i <= STAGES; i++) {
      const r = reg(bit, { init: 0, name: `model_${i}` });
      r.set(before);
      before = r;
    }
    assertAlways(dut.q.eq(before), `the level of ${STAGES} cycles before`);
    cover(dut.q.and(io.d.not()), "a level that is over by now");
  },
);

/** Cycles of the receiving clock after which a pulse that was seen to be sent has arrived. */
const ARRIVED = 3;

/**
 * Pulses are counted on both sides. The receiving side sees the sender's count through a register of its own, which
 * takes the old or the new count whole. Arrivals lag behind that count by one pulse at most, and not for long.
 */
const pulseHarness = module(
  "PulseSynchroniserProof",
  () => ({ pulse: input(bit, { domain: "from" }), arrived: output(bit, { domain: "to" }) }),
  io => {
    const from = clockDomain("from"),
      to = clockDomain("to");
    const dut = instance("dut", PulseSynchroniser(), { domains: { from, to } });
    dut.pulse.set(io.pulse);
    io.arrived.set(dut.arrived);
    const sent = inDomain(from, (): UInt => {
      const count = reg(uint(2), { init: 0, name: "model_sent" });
      when(io.pulse.and(dut.busy.not()), () => count.set(count.add(1)));
      cover(io.pulse.and(dut.busy), "a pulse while one is under way");
      return count;
    });
    inDomain(to, () => {
      const seen = reg(uint(2), {
        init: 0,
        name: "model_seen",
        attributes: { async_reg: "true" },
        // The proof's own register: no metastability there.
        oneBitAtATime: true,
      });
      seen.set(sent);
      const came = reg(uint(2), { init: 0, name: "model_came" });
      when(dut.arrived, () => came.set(came.add(1)));
      const missing = seen.sub(came),
        waited = reg(uint(2), { init: 0, name: "model_waited" });
      when(missing.eq(0).or(dut.arrived), () => waited.set(0)).otherwise(() => waited.set(waited.add(1)));
      assertAlways(missing.le(1), "no pulse is lost, doubled or made up");
      assertAlways(waited.lt(ARRIVED), `a pulse arrives within ${ARRIVED} cycles`);
      cover(came.eq(3), "three have come");
    });
  },
);

const resetHarness = module(
  "ResetSynchroniserProof",
  () => ({ reset: output(bit, { domain: "to" }) }),
  io => {
    const to = clockDomain("to", { reset: "async" });
    const dut = instance("dut", ResetSynchroniser({ stages: STAGES }), { domains: { to } });
    io.reset.set(dut.reset);
    inDomain(to, () => {
      const edges = reg(uint(2), { init: 0, name: "model_edges" });
      when(edges.ne(STAGES), () => edges.set(edges.add(1)));
      assertAlways(dut.reset.eq(edges.ne(STAGES)), `it stays for ${STAGES} edges after its end, and no longer`);
      cover(dut.reset.not(), "it ends");
    });
  },
);

export const synchroniserProofs: readonly Proof[] = [
  {
    module: `LevelSynchroniser, ${STAGES} stages`,
    harness: levelHarness(),
    faults: [{ what: "a register is passed by", from: "level_2 <= level_1", to: "level_2 <= d" }],
  },
  {
    module: "PulseSynchroniser, any two clocks",
    long: true,
    harness: pulseHarness(),
    reach: 40,
    faults: [{ what: "a pulse is taken while one is under way", from: "pulse & ~busy", to: "pulse" }],
  },
  {
    module: `ResetSynchroniser, ${STAGES} stages`,
    harness: resetHarness(),
    faults: [{ what: "it ends an edge early", from: "held_3 <= held_2", to: "held_3 <= held_1" }],
  },
];
