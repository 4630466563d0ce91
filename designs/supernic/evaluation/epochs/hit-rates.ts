/** How often a cache of the sNIC has the value of a get: YCSB's keys by Zipf (§5.7.3, figures 5.16 and 5.17). */
import { Random } from "../../../../hdl-dsl/index.ts";
import { operations, workloads } from "../../../shared/workload/index.ts";
import { CacheModel, cachePolicies, type CachePolicy } from "../../model/index.ts";

/** Entries and operations of a test, as the paper has them. */
export const entries = 100_000,
  operationCount = 100_000;
/** Values that a cache holds. */
export const cacheSizes = [1_024, 4_096, 16_384] as const;
export { cachePolicies, type CachePolicy, workloads };

const known = new Map<string, number>();
/** Share of gets that hit. The cache is warm: as many operations go before as are counted. @param sets share of sets */
export function hitRate(seed: number, policy: CachePolicy, values: number, sets: number): number {
  const key = `${seed} ${policy} ${values} ${sets}`,
    rate = known.get(key) ?? measured(seed, policy, values, sets);
  known.set(key, rate);
  return rate;
}
function measured(seed: number, policy: CachePolicy, values: number, sets: number): number {
  const next = operations(entries, sets, new Random(seed)),
    cache = new CacheModel(policy, values);
  let gets = 0,
    hits = 0;
  for (let i = -operationCount; i < operationCount; i++) {
    const { kind, key } = next();
    if (kind === "set") {
      cache.set(key);
      continue;
    }
    const hit = cache.get(key);
    if (i < 0) continue;
    gets++;
    if (hit) hits++;
  }
  return hits / gets;
}
