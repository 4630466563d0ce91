/** Four endpoints behind one device, by the loads of the memcached pool (§5.7.1, §5.7.2): what a run costs. */
import { Random } from "../../../../hdl-dsl/index.ts";
import { makeParameters } from "../../config/index.ts";
import { epochModel } from "../../model/index.ts";
import { correlations, KvTrace, spikes } from "../../workload/index.ts";

const { Endpoint, EpochDevice, FixedPlacement, InstantPlacement, ManagedPlacement, needsOf, runOut } = epochModel;
const parameters = makeParameters();

/** The first chain has everybody's packets, the second one those of the first two endpoints. */
export const chains = [["firewall", "nat"], ["cipher"]] as const;
const endpoints = 4,
  usesSecond = 2;
/** Bytes that an instance does in an epoch of 20 us: 16 Gbit/s. */
const instanceBytes = 40_000,
  /** Mean load of an endpoint, bytes in an epoch: 6 Gbit/s. */
  meanBytes = 15_000,
  /** A port of 100 Gbit/s brings no more. */
  portBytes = 250_000;
/** Of the logarithm of a load. */
const sigma = 0.8;
/** Loads are counted each millisecond; they change every 40. */
export const binEpochs = 50;
const slotBins = 40;
/** Requests of an endpoint's recording. */
const recorded = 20_000;
/** Regions of the largest build. */
const mostRegions = 8;

export type Correlation = keyof typeof correlations;
export interface Loads {
  /** By endpoint, bytes in an epoch, a bin after the other. */
  readonly bins: readonly (readonly number[])[];
  /** How long they last when nothing is held. */
  readonly epochs: number;
}
export function loadsOf(seed: number, correlation: Correlation, slots: number): Loads {
  const random = new Random(seed),
    factors = spikes({ endpoints, slots, sigma, common: correlations[correlation] }, random.fork("spikes"));
  const bins = factors.map((row, i) => {
    const trace = new KvTrace(recorded, random.fork(`requests ${i}`)),
      speed = meanBytes / parameters.epoch / trace.mean;
    return row.flatMap(f =>
      Array.from({ length: slotBins }, () => {
        const bytes = trace.play(binEpochs * parameters.epoch * speed * f);
        return Math.min(portBytes, Math.round(bytes / binEpochs));
      }),
    );
  });
  return { bins, epochs: slots * slotBins * binEpochs };
}
const partsOf = (endpoint: number): Readonly<Record<string, number>> =>
  Object.fromEntries(chains.flatMap((tasks, c) => (c === 0 || endpoint < usesSecond ? tasks.map(t => [t, 1]) : [])));
const usersOf = ({ bins }: Loads): epochModel.EpochUser[] =>
  bins.map((loads, i) => ({
    name: `endpoint ${i}`,
    weight: 1,
    parts: partsOf(i),
    endpoint: new Endpoint({ loads, each: binEpochs }),
  }));
const sizesOf = (regions: number): epochModel.EpochSizes => ({
  epoch: parameters.epoch,
  drfTime: parameters.drfTime,
  reprogramTime: parameters.reprogramTime,
  monitorPeriod: parameters.monitorPeriod,
  regions,
  chains,
  taskBytes: Object.fromEntries(chains.flat().map(t => [t, instanceBytes])),
  laneBytes: (64 * parameters.epoch) / 4,
  floor: parameters.mtuFrame,
});

const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
/** Instances of each chain for the highest bin and for the mean load, to the nearest one; at least one. */
export function allocations(loads: Loads) {
  const sizes = sizesOf(mostRegions),
    users = usersOf(loads),
    count = loads.bins[0]?.length ?? 0;
  const needs = Array.from({ length: count }, (_, b) =>
    needsOf(
      sizes,
      users,
      loads.bins.map(row => row[b] ?? 0),
    ),
  );
  const of = (take: (all: readonly number[]) => number): number[] =>
    chains.map((_, c) => Math.max(1, take(needs.map(n => n[c] ?? 0))));
  return {
    most: of(all => Math.ceil(Math.max(...all))),
    mean: of(all => Math.round(sum(all) / all.length)),
    /** Regions when each endpoint has its own device for its own highest load. */
    alone: users.reduce((n, u, i) => {
      const peak = Math.max(...(loads.bins[i] ?? []));
      return (
        n + chains.filter(tasks => tasks.some(t => (u.parts[t] ?? 0) > 0)).length * Math.ceil(peak / instanceBytes)
      );
    }, 0),
  };
}

export const schemes = ["static-max", "static-avg", "as-instant", "sNIC"] as const;
export interface Scheme {
  readonly kind: (typeof schemes)[number];
  /** Share of regions that are given up and may keep their chain; all, where it is left out. */
  readonly keeps?: number;
  /** Part of the regions needed at most that there are not. */
  readonly overCommitted?: number;
}
export interface RunSeen extends epochModel.RunCost {
  readonly regions: number;
  readonly reprogrammed: number;
  readonly reused: number;
}
const known = new WeakMap<Loads, Map<string, Promise<RunSeen>>>();
/** Runs the loads to their end under a scheme; the same run is made once. */
export function runScheme(
  seed: number,
  loads: Loads,
  { kind, keeps = 1, overCommitted = 0 }: Scheme,
): Promise<RunSeen> {
  const runs = known.get(loads) ?? new Map<string, Promise<RunSeen>>(),
    key = `${seed} ${kind} ${keeps} ${overCommitted}`,
    run = runs.get(key) ?? runOnce(seed, loads, { kind, keeps, overCommitted });
  known.set(loads, runs.set(key, run));
  return run;
}
async function runOnce(seed: number, loads: Loads, scheme: Required<Scheme>): Promise<RunSeen> {
  const { most, mean } = allocations(loads),
    users = usersOf(loads),
    /** A run may take so many times what it had to. */
    patience = 20,
    limit = patience * loads.epochs;
  const ideal = Math.min(mostRegions, sum(most)),
    regions = Math.max(chains.length, Math.round(ideal * (1 - scheme.overCommitted)));
  const run = (placement: epochModel.Placement) => runOut(new EpochDevice(sizesOf(regions), users, placement), limit);
  if (scheme.kind === "sNIC") {
    const random = new Random(seed).fork("victims"),
      { keeps } = scheme,
      placement = new ManagedPlacement(sizesOf(regions), {
        first: chains.map(() => 1),
        keeps: () => random.chance(keeps),
      });
    const cost = await run(placement);
    const { reprogrammed, reused } = placement.counted;
    return { ...cost, regions, reprogrammed, reused };
  }
  const cost = await run(
    scheme.kind === "as-instant"
      ? new InstantPlacement(chains.length, mostRegions)
      : new FixedPlacement(scheme.kind === "static-max" ? most : mean),
  );
  return { ...cost, regions, reprogrammed: 0, reused: 0 };
}
