/** Four endpoints with the memcached pool's loads beside a background that grows: one device, or two (§5.7.1). */
import { makeParameters } from "../../config/index.ts";
import { epochModel } from "../../model/index.ts";
import { constantRate } from "../../workload/index.ts";
import { binEpochs, type Loads } from "./consolidated.ts";

const { Endpoint, EpochDevice, ManagedPlacement, passedPart, stepPool, Whereabouts } = epochModel;
const parameters = makeParameters();
export const topologies = ["single", "ring", "switch"] as const;
export type Topology = (typeof topologies)[number];

const chains = [["firewall", "nat"]],
  /** Bytes that an instance does in an epoch: 16 Gbit/s. */
  instanceBytes = 40_000,
  /** Regions of one device. */
  regions = 3,
  foreground = 4,
  behind = 4,
  frameBytes = 1_024;
export interface PoolRun {
  /** Mean of the foreground's endpoints, 1 is best. */
  readonly slowdown: number;
  /** Region-epochs until all has been sent, of both devices. */
  readonly cost: number;
  /** Part of the cost that is for frames passed on. */
  readonly passed: number;
}
/** @param gbps of the background's endpoints together, for as long as the foreground lasts */
export async function runPool(loads: Loads, topology: Topology, gbps: number): Promise<PoolRun> {
  const bins = loads.bins[0]?.length ?? 0,
    background = gbps === 0 ? 0 : (frameBytes * parameters.epoch) / constantRate(gbps / behind, frameBytes)(),
    where = new Whereabouts();
  const steady = Array.from({ length: bins }, () => background),
    rows = [...loads.bins.slice(0, foreground), ...Array.from({ length: behind }, () => steady)],
    names = rows.map((_, i) => (i < foreground ? `foreground ${i}` : `background ${i - foreground}`)),
    others = names.slice(foreground),
    endpoints = rows.map(row => new Endpoint({ loads: row, each: binEpochs }));
  const member = (device: number) => {
    const sizes: epochModel.EpochSizes = {
      epoch: parameters.epoch,
      drfTime: parameters.drfTime,
      reprogramTime: parameters.reprogramTime,
      monitorPeriod: parameters.monitorPeriod,
      regions,
      chains,
      taskBytes: Object.fromEntries(chains.flat().map(t => [t, instanceBytes])),
      laneBytes: (64 * parameters.epoch) / 4,
      floor: parameters.mtuFrame,
    };
    const users = names.map((name, i): epochModel.EpochUser => ({
      name,
      weight: 1,
      parts: Object.fromEntries(chains.flat().map(t => [t, 1])),
      endpoint: endpoints[i] as epochModel.Endpoint,
      isHere: () => where.of(name) === device,
    }));
    const placement = new ManagedPlacement(sizes, { first: [device === 0 ? 1 : 0] });
    return { placement, device: new EpochDevice(sizes, users, placement) };
  };
  const members = (topology === "single" ? [0] : [0, 1]).map(member);
  // A switch sends them to the device with less load from the start.
  if (topology === "switch") for (const name of others) where.move(name, 1);
  const movable = topology === "ring" ? others : [],
    ends = endpoints.map(() => 0),
    limit = 40 * bins * binEpochs;
  let epochs = 0,
    occupied = 0,
    redirected = 0;
  while (endpoints.some(e => !e.done)) {
    if (epochs++ >= limit) throw new RangeError(`the run does not end within ${limit} epochs`);
    const { seen, redirected: bytes } = await stepPool(members, where, movable);
    occupied += seen.reduce((n, s) => n + s.occupied, 0);
    // Out to the peer and back from it: the device where they came in passes them on twice.
    if (topology === "ring") redirected += 2 * bytes;
    for (const [i, e] of endpoints.entries()) if (e.done) ends[i] ||= epochs;
  }
  const passed = (passedPart * redirected) / instanceBytes,
    slow = endpoints.slice(0, foreground).map((e, i) => (ends[i] ?? 0) / e.length);
  return { slowdown: slow.reduce((a, b) => a + b, 0) / slow.length, cost: occupied + passed, passed };
}
