import type { Thread } from "../../client/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { type Rig, withClients } from "../measure/clients.ts";
import { network } from "../measure/given.ts";
import { theta, Zipf } from "../../../shared/workload/index.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

const bytes = 16,
  pid = 1;
/** ns between the clients' first operations. */
const apartNs = 170;
const kinds = ["read", "write"] as const,
  skews = [
    ["uniform", 0],
    ["Zipf", theta],
  ] as const;
const nameOf = (kind: (typeof kinds)[number], skew: string): string => `${kind}, ${skew}`;
const byVersion = "read, by version";

/** Objects at the node, and what has been written to them: the values of each one by version. */
class Objects {
  private readonly written: (readonly (Uint8Array | undefined)[])[] = [];
  private readonly numbers: number[] = [];
  private readonly random: Random;

  constructor(random: Random) {
    this.random = random;
  }

  get count(): number {
    return this.numbers.length;
  }

  /** One more, with one version. */
  async add(t: Thread): Promise<void> {
    this.numbers.push(await t.mv.create(bytes));
    this.written.push([]);
    await this.append(t, this.numbers.length - 1);
  }
  /** The latest version that has been answered for. */
  latest(i: number): number {
    return this.written[i]?.length ?? 0;
  }

  async append(t: Thread, i: number): Promise<void> {
    const value = this.random.bytes(bytes),
      version = await t.mv.append(this.numbers[i] ?? 0, value),
      before = this.written[i] ?? [];
    if (version === undefined || before[version - 1] !== undefined)
      throw new CheckFailed(`an append to object ${i} gives version ${version}`);
    const after = [...before];
    after[version - 1] = value;
    this.written[i] = after;
  }
  /** Reads a version and compares it with what was written. */
  async read(t: Thread, i: number, version: number): Promise<void> {
    const expected = this.written[i]?.[version - 1],
      value = await t.mv.read(this.numbers[i] ?? 0, version);
    if (value === undefined || expected?.some((b, k) => b !== value[k]) === true)
      throw new CheckFailed(`version ${version} of object ${i} is not what was written`);
  }
}

/** Mean µs of reads and writes, half of each, by clients of one thread. */
async function mixture(
  rig: Rig,
  threads: readonly Thread[],
  objects: Objects,
  { seed, skew, each }: { readonly seed: number; readonly skew: number; readonly each: number },
): Promise<Readonly<Record<(typeof kinds)[number], number>>> {
  const took = { read: [] as number[], write: [] as number[] };
  await Promise.all(
    threads.map(async (t, k) => {
      const random = new Random(seed * 100 + k, mulberry32),
        zipf = new Zipf(objects.count, skew, random);
      await rig.pause(k * apartNs);
      for (let n = 0; n < each; n++) {
        const i = zipf.next(),
          kind = n % 2 === k % 2 ? "read" : "write";
        took[kind].push(
          await rig.timed(() =>
            kind === "write" ? objects.append(t, i) : objects.read(t, i, random.between(1, objects.latest(i))),
          ),
        );
      }
    }),
  );
  const mean = (all: readonly number[]): number => all.reduce((a, b) => a + b, 0) / all.length / 1000;
  return { read: mean(took.read), write: mean(took.write) };
}

/** Clio-MV by the number of clients. */
export const figure419: Definition = {
  number: "4.19",
  title: "Clio-MV object read and write latency",
  paper: [
    [
      "4.7.2",
      "Several CNs share objects of 16 B on one MN: half reads, of various versions, and half writes. Objects are drawn uniformly, or by Zipf.",
    ],
    ["4.7.2", "Reads, of whatever version, and writes take the same time: versions stand in an array."],
  ],
  given: network,
  sizes: [
    { what: "object", paper: "16 B", here: "16 B" },
    { what: "compute nodes", paper: "four at most", here: "1 to 16 (quick: 4)" },
  ],
  notes: [
    `Objects of ${bytes} B in the Clio-MV offload. A client is a compute node with one thread, which reads and appends by turns. A read is of any version that there is, and its result is checked.`,
    `Of Zipf's distribution theta is ${theta}, assumed: as of figure 4.18. Requests to one object are done one after another when one of them writes.`,
  ],
  measure: async ({ seed, quick }) => {
    const counts = quick ? [1, 4] : [1, 2, 4, 8, 16],
      most = counts.at(-1) ?? 1,
      objects = quick ? 16 : 256,
      each = quick ? 12 : 60,
      versions = quick ? [1, 2, 4, 8] : [1, 4, 16, 64, 256];
    const found = new Map<string, { x: number; y: number }[]>(),
      add = (name: string, x: number, y: number): void => {
        found.set(name, [...(found.get(name) ?? []), { x, y }]);
      };
    let busy = 0;
    await withClients("versions", { seed, clients: most, offloads: "all", fastOffloads: true }, async rig => {
      const threads = rig.clients.map(c => c.process(pid, rig.address).thread()),
        all = new Objects(new Random(seed, mulberry32)),
        first = threads[0] as Thread;
      for (let i = 0; i < objects; i++) await all.add(first);
      // A client's first operation introduces it, and is not measured.
      for (const t of threads) await all.append(t, 0);
      for (const [name, skew] of skews)
        for (const x of counts) {
          const mean = await mixture(rig, threads.slice(0, x), all, { seed, skew, each });
          for (const kind of kinds) add(nameOf(kind, name), x, mean[kind]);
        }
      busy = rig.clients.reduce((n, c) => n + c.statistics.busy, 0);
      await all.add(first);
      for (const last = versions.at(-1) ?? 1; all.latest(objects) < last;) await all.append(first, objects);
      for (const x of versions) add(byVersion, x, (await rig.timed(() => all.read(first, objects, x))) / 1000);
    });
    const of = (name: string): Series => ({ name, standing: "calibrated", points: found.get(name) ?? [] });
    const x = { scale: "log2" } as const,
      y = { label: "latency, mean", unit: "µs", scale: "linear" } as const;
    return {
      plots: [
        {
          title: `${objects} objects`,
          kind: "lines",
          x: { ...x, label: "number of clients" },
          y,
          series: skews.flatMap(([skew]) => kinds.map(k => of(nameOf(k, skew)))),
        },
        {
          title: "One client, one object",
          kind: "lines",
          x: { ...x, label: "number of the version" },
          y: { ...y, label: "latency" },
          series: [of(byVersion)],
        },
      ],
      claims: [
        ...skews.map(
          ([skew]) =>
            [
              `${skew}: a write takes as long as a read, within 0.3 µs`,
              { kind: "above", series: nameOf("write", skew), base: nameOf("read", skew), least: -0.3, most: 0.3 },
            ] as const,
        ),
        ["reading any version takes the same, within 1 %", { kind: "flat", series: byVersion, within: 0.01 }],
        [
          "uniform: more clients take nothing from each other, within 10 %",
          { kind: "flat", series: nameOf("read", "uniform"), within: 0.1 },
        ],
      ],
      notes: [
        `${each} operations of each client at each point. ${busy} requests found no room at the offload and were made again.`,
      ],
    };
  },
};
