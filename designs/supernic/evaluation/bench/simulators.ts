/** The built-in simulator beside Verilator on the device: frames at all ports, one frame at a time, idle. */
import { emit } from "../../../../hdl-dsl/index.ts";
import { builtinLoadMs, compareSimulatorSpeed, type SimulatorSpeeds } from "../../../../sim/index.ts";
import { simulatorTable } from "../../../shared/command-line/index.ts";
import { recordedLoads } from "../measure/index.ts";

export interface SimulatorFigures {
  readonly loads: readonly { readonly speeds: SimulatorSpeeds; readonly goal: number }[];
  /** From the emitted device to a model, ms. */
  readonly loadMs: number;
}

export async function compareDeviceSimulators(seed: number): Promise<SimulatorFigures> {
  const { device, loads } = await recordedLoads(seed),
    design = emit(device()),
    rows = [];
  for (const { name, goal, inputs } of loads)
    rows.push({ speeds: await compareSimulatorSpeed(name, design, inputs, { seed }), goal });
  return { loads: rows, loadMs: builtinLoadMs(() => emit(device()), 3) };
}

export const simulatorReport = ({ loads, loadMs }: SimulatorFigures): string =>
  simulatorTable("the device, four ports, five tasks", loads, [{ what: "the device", ms: loadMs, below: 500 }]);
