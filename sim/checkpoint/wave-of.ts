/** Waves of what has happened. */
import type { Ports } from "../../hdl-dsl/index.ts";
import { backendForWave, waveFormatOf } from "../backend/choose.ts";
import { SimulationError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";
import { writeSaveFile } from "../wave/save-file.ts";
import { RecordedModel } from "./history.ts";

/**
 * Writes the wave of the edges that `history` has kept: another model goes to the state at their beginning and is given
 * the same inputs. The simulation may have stopped or been freed. @returns the first edge of the wave
 */
export async function waveOf<P extends Ports>(sim: Simulation<P>, path: string, fromCycle = 0): Promise<number> {
  const { model, design } = sim;
  if (!(model instanceof RecordedModel))
    throw new SimulationError("waveOf: nothing is kept of this simulation; give simulate the option history");
  const trace = waveFormatOf(path);
  if (trace !== "vcd")
    throw new SimulationError(`waveOf: the wave's name is "${path}"; it must end in .vcd, of the built-in simulator`);
  const { emitted } = design,
    program = await backendForWave(trace, emitted, undefined).load(emitted, { trace, brief: true });
  const from = Math.max(model.first, fromCycle);
  const again = program.create({ seed: sim.seed, clocks: model.settings, wave: { path, fromCycle: from } });
  try {
    model.replay(again);
  } finally {
    again.free();
  }
  if (emitted.names !== undefined) writeSaveFile(emitted.names, path, `TOP.${emitted.top}`);
  return from;
}
