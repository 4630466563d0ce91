/** Cycles of the scheduler's rounds, seen at its ports inside the device. */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { SimulatedSuperNic } from "../../rig/index.ts";
import { latencyOf } from "./measured-device.ts";

export interface Rounds {
  /** From a packet's arrival to its first start. */
  readonly arrive: number;
  /** From a branch's return to the start of the next stage. */
  readonly back: number;
}
/** @param frame of a DAG with two stages of a branch each */
export async function roundsOf(device: SimulatedSuperNic, frame: Uint8Array): Promise<Rounds> {
  const { sim } = device.bench,
    signal = (name: string) => sim.signal(`scheduler.${name}`),
    seen: Record<"arrive" | "start" | "back", number[]> = { arrive: [], start: [], back: [] };
  const fires = {
    arrive: [signal("arrive_valid"), signal("arrive_ready")],
    start: [signal("start_valid")],
    back: [signal("back_valid"), signal("back_ready")],
  };
  const remove = device.bench.onEdge({
    sample: () => {
      for (const name of ["arrive", "start", "back"] as const)
        if (fires[name].every(s => s.value !== 0)) seen[name].push(device.bench.cycle);
    },
  });
  await latencyOf(device, frame);
  remove();
  const { arrive, start, back } = seen;
  if (arrive.length !== 1 || start.length !== 2 || back.length !== 2)
    throw new CheckFailed(`a packet of two stages starts ${start.length} times and is back ${back.length} times`);
  return { arrive: (start[0] ?? NaN) - (arrive[0] ?? NaN), back: (start[1] ?? NaN) - (back[0] ?? NaN) };
}
