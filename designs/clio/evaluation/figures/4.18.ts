import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { checkValue, createKeys, keyOf, kvLineNs, valueOf } from "../measure/key-value.ts";
import { theta, valueBytes, workloads, Zipf } from "../../../shared/workload/index.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const clients = 2,
  threads = 8,
  pid = 1;
/** Entries, and operations of each workload, in the paper. */
const paperCount = 100_000;
/** Operations of one thread alone, at most: all take the same time. */
const aloneAtMost = 50;
const kinds = ["get", "set"] as const;
/** How many of the clients' threads are at work. */
const crowds = [
  ["one thread", 1],
  [`${clients} clients of ${threads} threads`, clients * threads],
] as const;
const nameOf = (kind: (typeof kinds)[number], crowd: string): string => `${kind}, ${crowd}`;
const alone = (kind: (typeof kinds)[number]): string => nameOf(kind, crowds[0][0]);

/** Clio-KV under YCSB. */
export const figure418: Definition = {
  number: "4.18",
  title: "Clio-KV, YCSB latency",
  paper: [
    ["4.7.2", "Two CNs with 8 threads each; 100K entries of 1 KB, the default of YCSB; 100K operations in a test."],
    ["4.7.2", "Clio-KV is the fastest of the systems."],
  ],
  given: network,
  notes: [
    `Clio-KV is the offload in hardware. Keys by Zipf's distribution, theta ${theta}; the result of a get is checked to be one whole value of its key. Clover, HERD and HERD-BF are not modelled.`,
    "A thread has one operation under way at a time. All of them together request more gets than the node's port of 10 Gbit/s has room for. So a get waits for the replies before it; sets fill the other direction.",
  ],
  measure: async ({ seed, quick, full = false }) => {
    const keys = quick ? 256 : full ? paperCount : 4096,
      operations = quick ? 96 : full ? paperCount : 800,
      paperSays = paperCount.toLocaleString("en"),
      found = new Map<string, Series["points"]>(),
      busy = { requests: 0 };
    /** Operations of a thread, when so many are at work. */
    const of = (count: number): number =>
      Math.min(operations / (clients * threads), count === 1 ? aloneAtMost : Infinity);
    const prepare = (node: Parameters<typeof createKeys>[0]): Promise<void> =>
      createKeys(
        node,
        Array.from({ length: keys }, (_, i) => i),
      );
    await withClients("YCSB", { seed, clients, offloads: "all", fastOffloads: true, prepare }, async rig => {
      const all = rig.clients.flatMap(c => Array.from({ length: threads }, () => c.process(pid, rig.address).thread()));
      // The pages' entries are in the TLB from here on. The first set of each client introduces it to the node's
      // software, which costs a round trip.
      for (let c = 0; c < clients; c++) await all[c * threads]?.kv.shared.update(keyOf(0), valueOf(0, 0));
      let stamp = 1;
      for (const [crowd, count] of crowds)
        for (const [x, sets] of workloads) {
          const took = { get: [] as number[], set: [] as number[] };
          await Promise.all(
            all.slice(0, count).map(async (t, k) => {
              const random = new Random(seed * 100 + k, mulberry32),
                zipf = new Zipf(keys, theta, random);
              // Not all at one moment.
              await rig.pause(k * kvLineNs);
              for (let i = 0; i < of(count); i++) {
                const key = zipf.next(),
                  kind = random.fraction() < sets ? ("set" as const) : ("get" as const);
                took[kind].push(
                  await rig.timed(async () => {
                    if (kind === "get") {
                      checkValue(key, await t.kv.shared.read(keyOf(key)));
                      return;
                    }
                    if (!(await t.kv.shared.update(keyOf(key), valueOf(key, stamp++))))
                      throw new CheckFailed(`key ${key} is gone`);
                  }),
                );
              }
            }),
          );
          for (const kind of kinds) {
            const a = took[kind],
              name = nameOf(kind, crowd);
            if (a.length > 0)
              found.set(name, [...(found.get(name) ?? []), { x, y: a.reduce((s, v) => s + v, 0) / a.length / 1000 }]);
          }
        }
      busy.requests = rig.clients.reduce((n, c) => n + c.statistics.busy, 0);
    });
    return {
      plots: [
        {
          title: `${keys} entries of ${valueBytes} B`,
          kind: "bars",
          x: { label: "workload", scale: "category" },
          y: { label: "latency, mean", unit: "µs", scale: "linear" },
          series: [...found].map(([name, points]) => ({ name, standing: "calibrated", points })),
        },
      ],
      claims: [
        [
          "one thread: a get takes the same in each workload, within 1 %",
          { kind: "flat", series: alone("get"), within: 0.01 },
        ],
        [
          "one thread: a set takes at most 1 µs more than a get: a memory access more, of the node's own",
          { kind: "above", series: alone("set"), base: alone("get"), least: 0, most: 1 },
        ],
        [
          `all threads: a get waits for at most the ${clients * threads - 1} other threads' values on the node's line`,
          {
            kind: "above",
            series: nameOf("get", crowds[1][0]),
            base: alone("get"),
            least: 0,
            most: ((clients * threads - 1) * kvLineNs) / 1000,
          },
        ],
      ],
      sizes: [
        { what: "entries of 1 KB", paper: paperSays, here: keys.toLocaleString("en") },
        { what: "operations of a workload", paper: paperSays, here: operations.toLocaleString("en") },
        { what: "compute nodes and threads of each", paper: "2 and 8", here: `${clients} and ${threads}` },
      ],
      notes: [
        `${operations} operations of each workload with all threads, ${of(1)} with one. ${busy.requests} requests found no room at the offload and were made again.`,
      ],
    };
  },
};
