/** A counterexample in the simulator. */
import type { Ports } from "../../hdl-dsl/index.ts";
import { designOf, type Dut } from "../design.ts";
import { signalOf } from "../dut/signal.ts";
import { DesignStopped, SimulationError } from "../errors.ts";
import { simulate } from "../simulate.ts";

/** Wave and seed of a replayed counterexample. */
export interface ReplayOptions {
  /** Wave to write: `.vcd`, or `.fst` by Verilator. */
  readonly wave?: string;
  /** Seed of the registers that reset leaves open; default: 1 to 8, until one of them shows the failure. */
  readonly seed?: number;
}

/**
 * Drives a design with the inputs of a counterexample, cycle by cycle, the first one under reset. Designs of one clock
 * only: with several the run is one of edges in time, which the wave shows. An assumption that fails ends it: from
 * there on, these are not inputs that the design's users promise (as happens with a mended design).
 * @returns the stop that an assertion made, or undefined when none failed: the run depends on registers that reset
 *   leaves open, and the simulator started them with other values than the solver, or the fault is mended.
 */
export async function replay<P extends Ports>(
  dut: Dut<P>,
  inputs: readonly Readonly<Record<string, number | bigint>>[],
  o: ReplayOptions = {},
): Promise<DesignStopped | undefined> {
  const clocks = designOf(dut).emitted.ports.filter(p => p.role === "clock").length;
  if (clocks > 1)
    throw new SimulationError(
      `${designOf(dut).emitted.top} has ${clocks} clocks: its counterexamples cannot be replayed, look at the wave`,
    );
  for (const seed of o.seed === undefined ? [1, 2, 3, 4, 5, 6, 7, 8] : [o.seed]) {
    const stop = await once(dut, inputs, seed, o.wave);
    if (stop !== undefined) return stop;
  }
  return undefined;
}

async function once<P extends Ports>(
  dut: Dut<P>,
  inputs: readonly Readonly<Record<string, number | bigint>>[],
  seed: number,
  wave: string | undefined,
): Promise<DesignStopped | undefined> {
  using sim = await simulate(dut, { resetCycles: 0, seed, ...(wave === undefined ? {} : { wave: { path: wave } }) });
  const signals = new Map([...sim.model.slots.values()].map(s => [s.port.name, signalOf(sim.model.words, s)]));
  try {
    for (const [cycle, values] of inputs.entries()) {
      for (const s of signals.values())
        if (s.slot.port.role === "reset") s.value = (cycle === 0) === (s.slot.port.activeLow !== true) ? 1 : 0;
      for (const [name, value] of Object.entries(values)) {
        const s = signals.get(name);
        if (s === undefined)
          throw new SimulationError(
            `replay: the design has no input ${name}; take the inputs from a counterexample of this design`,
          );
        s.value = s.signed ? BigInt.asIntN(s.width, BigInt(value)) : value;
      }
      sim.step();
    }
    return undefined;
  } catch (e) {
    if (e instanceof DesignStopped) return e.output.includes("assumption failed: ") ? undefined : e;
    throw e;
  }
}
