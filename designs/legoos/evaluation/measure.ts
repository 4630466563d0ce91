import { makeParameters, type Parameters } from "../config/index.ts";
import { type Played, playLocality, withExCache } from "../rig/index.ts";
import { localities, type LocalityName } from "../workload/index.ts";

/** Cycles (of 4 ns) from a request to its reply, so that a fetch takes about the paper's 6.5 µs (§3.4.3). */
export const fetchCycles = 1500;
/** Bytes of a line and lines of the application here: smaller than the paper's, for the simulation's sake. */
export const lineBytes = 256,
  memoryLines = 256;

export interface Case {
  readonly seed: number;
  readonly locality: LocalityName;
  readonly accesses: number;
  readonly parameters?: Partial<Parameters>;
  readonly nodes?: number;
  readonly replicated?: boolean;
  readonly writes?: number;
}

/** Plays one case: the RTL cache with model nodes of fixed latency. */
export function measure(c: Case): Promise<Played> {
  const nodes = c.nodes ?? 1,
    parameters = makeParameters({
      sets: 8,
      ways: 8,
      lineBytes,
      misses: 4,
      waiting: 16,
      regions: 8,
      localLines: 64,
      timeoutCycles: 50_000,
      ...c.parameters,
    });
  return withExCache(
    "figure",
    {
      parameters,
      nodes: c.replicated === true ? nodes + 1 : nodes,
      latency: fetchCycles,
      seed: c.seed,
      wave: false,
      limitCycles: 1e9,
      hangCycles: 0,
    },
    async rig => {
      await rig.begin([1], 0);
      for (let r = 0; r < nodes; r++) await rig.mapRegion(r, 1, r, r, c.replicated === true ? nodes : undefined);
      return playLocality(rig, {
        locality: c.locality,
        accesses: c.accesses,
        lines: memoryLines,
        regions: nodes,
        asid: 1,
        writes: c.writes ?? 0.3,
      });
    },
  );
}
export const count = (p: Played, ...names: readonly string[]): number =>
  names.reduce((n, name) => n + (p.counts[name] ?? 0), 0);
export const localityNames = Object.keys(localities) as LocalityName[];
