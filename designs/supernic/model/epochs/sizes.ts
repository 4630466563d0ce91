/** What the epoch model is told of a device and of who uses it (docs/supernic/epochs.md). */
import type { Endpoint } from "./endpoint.ts";

/** Times in nanoseconds, amounts in bytes an epoch. */
export interface EpochSizes {
  readonly epoch: number;
  /** How long an epoch's rates are those of the epoch before. */
  readonly drfTime: number;
  readonly reprogramTime: number;
  readonly monitorPeriod: number;
  readonly regions: number;
  /** Chains by their tasks. A task is in one chain. */
  readonly chains: readonly (readonly string[])[];
  /** What one instance of a task does. */
  readonly taskBytes: Readonly<Record<string, number>>;
  /** What all users together send through the lane. */
  readonly laneBytes: number;
  /** What each user may send without asking: a longest frame. */
  readonly floor: number;
}
export interface EpochUser {
  readonly name: string;
  readonly weight: number;
  /** Parts of its bytes that go through each task, 0 to 1; left out: none. */
  readonly parts: Readonly<Record<string, number>>;
  readonly endpoint: Endpoint;
  /** Whether its frames are processed at this device now; left out: always. */
  readonly isHere?: () => boolean;
}
/** Bytes in an epoch that it wants to send here. */
export const demandOf = ({ endpoint, isHere }: EpochUser): number => (isHere?.() === false ? 0 : endpoint.demand);
export const partOf = (user: Pick<EpochUser, "parts">, task: string): number => user.parts[task] ?? 0;

/** Bytes for a task when users send so much. */
export const taskLoad = (users: readonly EpochUser[], bytes: readonly number[], task: string): number =>
  users.reduce((n, u, i) => n + partOf(u, task) * (bytes[i] ?? 0), 0);
/** Instances that a chain needs for these bytes: what its tightest task asks for, not a whole number. */
export function chainNeed(sizes: EpochSizes, users: readonly EpochUser[], bytes: readonly number[], chain: number) {
  const tasks = sizes.chains[chain] ?? [];
  return Math.max(0, ...tasks.map(t => taskLoad(users, bytes, t) / (sizes.taskBytes[t] ?? 1)));
}
