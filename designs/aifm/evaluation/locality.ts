import type { Definition, Series } from "../../shared/evaluation/index.ts";
import { measureMisses, type Way, ways } from "../rig/index.ts";

/** Shares of the objects' bytes that are local. */
const shares = [0.05, 0.1, 0.2, 0.4, 0.8] as const;
/** Skew of YCSB's requests. */
const theta = 0.99;
const objectBytes = 64;

/** What a machine has to fetch, with the same local memory in objects and in pages. */
export const locality: Definition = {
  number: "locality",
  title: "Accesses that go to the node, with the same local memory",
  paper: [["1", "Pages bring cold objects with the hot ones; objects keep local memory for what is hot."]],
  given: [
    {
      what: "accesses",
      value: `Zipf, theta ${theta}; hot objects lie anywhere`,
      source: "YCSB; the paper has no such figure",
    },
  ],
  notes: [
    "In traffic only: the machine's store with 64 B objects, the least recently used going first. No cycle of the hardware is in this figure.",
  ],
  measure: async ({ seed, quick }) => {
    const objects = quick ? 1 << 14 : 1 << 16,
      plot = async (way: Way): Promise<Series> => {
        const points = [];
        for (const local of shares) {
          const misses = await measureMisses(way, { seed, objectBytes, objects, local, theta, accesses: objects });
          points.push({ x: 100 * local, y: 100 * misses });
        }
        return { name: way, standing: "predicted", points };
      };
    const series = [];
    for (const way of ways) series.push(await plot(way));
    const [own, pages] = series.map(x => x.points.map(p => p.y)),
      more = shares.map((local, i) => ({ x: 100 * local, y: (pages?.[i] ?? 0) - (own?.[i] ?? 0) }));
    return {
      plots: [
        {
          title: "Accesses that miss",
          kind: "lines",
          x: { label: "local memory", unit: "% of the objects", scale: "linear" },
          y: { label: "accesses that miss", unit: "%", scale: "linear" },
          series,
        },
        {
          title: "Misses of pages beside those of objects",
          kind: "lines",
          x: { label: "local memory", unit: "% of the objects", scale: "linear" },
          y: { label: "more accesses that miss", unit: "%", scale: "linear" },
          series: [{ name: "pages beside objects", standing: "predicted", points: more }],
        },
      ],
      claims: [
        [
          "up to two fifths local, pages miss more: 5 to 60 of a hundred accesses",
          { kind: "within", series: "pages beside objects", from: 5, to: 40, least: 5, most: 60 },
        ],
        [
          "with four fifths local they miss no more than objects: each brings neighbours that were never used",
          { kind: "within", series: "pages beside objects", from: 80, to: 80, least: -20, most: 0 },
        ],
        [
          "objects: under 45 % miss with a twentieth local",
          { kind: "within", series: "objects", from: 5, to: 5, least: 20, most: 45 },
        ],
      ],
    };
  },
};
