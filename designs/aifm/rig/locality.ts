/** What of its accesses a machine finds here, by objects and by pages, with the same local memory. */
import { Zipf } from "../../shared/workload/index.ts";
import { Random } from "../../../sim/index.ts";
import { FarStore } from "../client/index.ts";
import { shuffled } from "./shuffled.ts";
import { pageBytes, type Way } from "./swap.ts";

export interface LocalityOptions {
  readonly seed: number;
  readonly objectBytes: number;
  readonly objects: number;
  /** Share of the objects' bytes that there is room for here. */
  readonly local: number;
  /** Skew of the accesses; the hot objects lie anywhere. */
  readonly theta: number;
  readonly accesses: number;
}

/** @returns the share of accesses that had to go to the node; no node is needed for that */
export async function measureMisses(way: Way, o: LocalityOptions): Promise<number> {
  const random = new Random(o.seed),
    zipf = new Zipf(o.objects, o.theta, random),
    places = shuffled(
      Array.from({ length: o.objects }, (_, i) => i),
      random,
    );
  const unitBytes = way === "objects" ? o.objectBytes : pageBytes,
    store = new FarStore({
      far: { read: (_, bytes) => Promise.resolve(new Uint8Array(bytes)), write: () => Promise.resolve() },
      unitBytes,
      room: Math.max(1, Math.floor((o.local * o.objects * o.objectBytes) / unitBytes)),
    });
  const use = (): Promise<void> =>
    store.use(Math.floor(((places[zipf.next()] as number) * o.objectBytes) / unitBytes), 1, "read", () => undefined);
  // As many again before, so that the room is full of what is hot.
  for (let i = 0; i < o.accesses; i++) await use();
  const before = store.statistics;
  for (let i = 0; i < o.accesses; i++) await use();
  return 1 - (store.statistics.hits - before.hits) / o.accesses;
}
