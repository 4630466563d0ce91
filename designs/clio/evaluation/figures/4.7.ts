import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { sharedProcess, withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const bytes = 16,
  pages = 128;

/** At most 200 steps of the distribution of some samples, the last ones all. */
function distribution(samples: readonly number[]): Series["points"] {
  const sorted = [...samples].sort((a, b) => a - b),
    n = sorted.length,
    every = Math.max(1, Math.floor(n / 150));
  return sorted.flatMap((x, i) => (i % every === every - 1 || i >= n - 50 ? [{ x, y: (i + 1) / n }] : []));
}

/** Distribution of latency without page faults. */
export const figure47: Definition = {
  number: "4.7",
  title: "Latency CDF, 16 B",
  paper: [["4.7.1", "Latency varies far less than with RDMA, and its tail is far shorter."]],
  given: network,
  notes: [
    "Four clients with two threads each read and write random ones of 128 pages, one after another without a pause. The TLB has half as many entries. Memory always takes the same time; only hit or miss, and waiting for others, vary. RDMA is not modelled.",
  ],
  measure: async ({ seed, quick }) => {
    const each = quick ? 20 : 400,
      found = { read: [] as number[], write: [] as number[] };
    await withClients("latency distribution", { seed, clients: 4 }, async rig => {
      const { threads, page } = await sharedProcess(rig, { threads: 2, pages, populate: true });
      await Promise.all(
        threads.map(async (t, k) => {
          const random = new Random(seed + k, mulberry32),
            data = random.bytes(bytes);
          for (let i = 0; i < each; i++) {
            const va = page(random.below(pages)),
              kind = random.chance(0.5) ? ("read" as const) : ("write" as const);
            const ns = await rig.timed(() => (kind === "read" ? t.rread(va, bytes) : t.rwrite(va, data)));
            // The first ones make the clients known.
            if (i >= 2) found[kind].push(ns);
          }
        }),
      );
    });
    const kinds = ["read", "write"] as const;
    return {
      plots: [
        {
          title: "Share of operations that took at most so long",
          kind: "steps",
          x: { label: "latency, end to end", unit: "ns", scale: "linear" },
          y: { label: "operations", unit: "share, 0 to 1", scale: "linear" },
          series: kinds.map(k => ({ name: k, standing: "calibrated", points: distribution(found[k]) })),
        },
      ],
      claims: kinds.map(
        k =>
          [
            `${k}: the 99th percentile is at most 1.25 times the median`,
            { kind: "tail", series: k, low: 0.5, high: 0.99, most: 1.25 },
          ] as const,
      ),
      notes: [`${found.read.length + found.write.length} operations.`],
    };
  },
};
