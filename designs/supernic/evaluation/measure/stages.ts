/** Where the cycles of an idle frame go: when it passes from each block to the next, seen inside the device. */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { SimulatedSuperNic } from "../../rig/index.ts";
import { latencyOf } from "./measured-device.ts";

/** A block, and the cycles from the block before it to its own end. */
export interface StageCycles {
  readonly stage: string;
  readonly cycles: number;
}

/** Stages of a frame of one beat from port 0 to port 1, and what is true in the cycle in which each ends. */
const stages: Readonly<Record<string, readonly string[]>> = {
  judge: ["rx_0.judge.frame_valid"],
  match: ["rx_0.match.outcome_valid"],
  "class queue": ["merge.take0_valid", "merge.take0_ready"],
  merge: ["merge.enter_valid", "merge.enter_ready"],
  "header store": ["merge.arrived_valid", "merge.arrived_ready"],
  scheduler: ["scheduler.start_valid"],
  dispatch: ["dispatch.enter_valid", "dispatch.enter_ready"],
  region: ["regions.leave_valid", "regions.leave_ready"],
  "return and join": ["scheduler.finished_valid", "scheduler.finished_ready"],
  egress: ["egress.out1_valid", "egress.out1_ready"],
};
const entry = ["rx_0.rx_valid"];

/** @param frame of one beat for port 1, through one stage @throws CheckFailed when it is not seen everywhere once */
export async function stagesOf(device: SimulatedSuperNic, frame: Uint8Array): Promise<readonly StageCycles[]> {
  const { bench } = device,
    points = [entry, ...Object.values(stages)].map(names => names.map(name => bench.sim.signal(name))),
    seen = points.map((): number[] => []);
  const remove = bench.onEdge({
    sample: () => {
      for (const [i, signals] of points.entries()) if (signals.every(s => s.value !== 0)) seen[i]?.push(bench.cycle);
    },
  });
  const whole = await latencyOf(device, frame);
  remove();
  const at = seen.map(cycles => (cycles.length === 1 ? (cycles[0] ?? NaN) : NaN));
  if (at.some(Number.isNaN))
    throw new CheckFailed(`an idle frame passes its stages ${seen.map(s => s.length).join(", ")} times`);
  const ends = [...at, (at[0] ?? NaN) + whole];
  return [...Object.keys(stages), "port"].map((stage, i) => ({
    stage,
    cycles: (ends[i + 1] ?? NaN) - (ends[i] ?? NaN),
  }));
}
