/** YCSB's core workloads and defaults (Cooper et al., SoCC 2010), as both papers use them. */
import type { Random } from "../../../hdl-dsl/index.ts";
import { Zipf } from "./zipf.ts";

/** Bytes of a value, and skew of the keys. */
export const valueBytes = 1024,
  theta = 0.99;
/** Workloads by their share of sets; all else are gets. */
export const workloads = [
  ["C: 100 % get", 0],
  ["B: 5 % set", 0.05],
  ["A: 50 % set", 0.5],
] as const;
export interface Operation {
  readonly kind: "get" | "set";
  readonly key: number;
}
/** Operations on keys 0 to `keys` - 1, by Zipf. @param sets share of sets */
export function operations(keys: number, sets: number, random: Random): () => Operation {
  const zipf = new Zipf(keys, theta, random);
  return () => ({ key: zipf.next(), kind: random.chance(sets) ? "set" : "get" });
}
