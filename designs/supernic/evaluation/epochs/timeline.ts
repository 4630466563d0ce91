/** Figure 5.20 in steps of epochs: loads, fair shares, a second instance, from the first epoch to the end. */
import { makeParameters } from "../../config/index.ts";
import { epochModel } from "../../model/index.ts";
import { type Load, partOf, taskNames, taskUnits, type UserName, userNames } from "./example.ts";

const { Endpoint, EpochDevice, ManagedPlacement } = epochModel;
/** Bytes of a unit; large, so that a longest frame is little. */
const unitBytes = 25_600,
  chains = [
    ["NT1", "NT2"],
    ["NT3", "NT4"],
  ],
  regions = 3;

/** One epoch of the timeline. */
export interface TimelineEpoch {
  /** From 1. */
  readonly epoch: number;
  /** Units that each user has at each task. */
  readonly units: Readonly<Record<UserName, readonly number[]>>;
  /** Instances of the chain that has NT2. */
  readonly instances: number;
  readonly reprogramming: number;
  /** Regions that are paid for. */
  readonly occupied: number;
}
export interface TimelineOptions {
  /** Nanoseconds. */
  readonly monitorPeriod: number;
  readonly reprogramTime: number;
  readonly epochs: number;
  /** Loads, in units, in the first epoch and from the second one on. */
  readonly before: Load;
  readonly after: Load;
}
export async function timeline({ monitorPeriod, reprogramTime, epochs, before, after }: TimelineOptions) {
  const { epoch, drfTime } = makeParameters(),
    sizes: epochModel.EpochSizes = {
      epoch,
      drfTime,
      reprogramTime,
      monitorPeriod,
      regions,
      chains,
      taskBytes: Object.fromEntries(taskNames.map((t, i) => [t, (taskUnits[i] ?? 0) * unitBytes])),
      laneBytes: 2 * Math.max(...taskUnits) * unitBytes,
      floor: 0,
    };
  const users = userNames.map((name): epochModel.EpochUser => {
    const loads = [before[name], ...Array.from({ length: epochs }, () => after[name])].map(u => u * unitBytes);
    return {
      name,
      weight: 1,
      parts: Object.fromEntries(taskNames.map((t, i) => [t, partOf(name, i)])),
      endpoint: new Endpoint({ loads, each: 1 }),
    };
  });
  const device = new EpochDevice(sizes, users, new ManagedPlacement(sizes, { first: [1, 1] })),
    seen: TimelineEpoch[] = [];
  for (let i = 0; i < epochs; i++) {
    const { epoch, sent, instances, reprogramming, occupied } = await device.step(),
      of = (u: number): number[] =>
        taskNames.map((_, t) => ((sent[u] ?? 0) / unitBytes) * partOf(userNames[u] as UserName, t));
    seen.push({ epoch, units: { first: of(0), second: of(1) }, instances: instances[0] ?? 0, reprogramming, occupied });
  }
  return seen;
}
