import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { sharedProcess, withClients } from "../measure/clients.ts";
import { boardGbps, network } from "../measure/given.ts";
import { LINE_OVERHEAD } from "../../../../sim/index.ts";
import type { Thread } from "../../client/index.ts";

const bytes = 1024,
  headers = 70,
  pagesEach = 8,
  asyncAtOnce = 8;
/** ns before the measurement, and of it. */
const warmNs = 12_000;
const kinds = ["read", "write"] as const,
  modes = ["asynchronous", "synchronous"] as const;
/** Room of the line, Gbit/s of data. */
const room = (boardGbps * bytes) / (bytes + headers + LINE_OVERHEAD);

interface Load {
  readonly seed: number;
  readonly threads: number;
  readonly kind: (typeof kinds)[number];
  readonly mode: (typeof modes)[number];
  readonly ns: number;
}

/** Gbit/s of data, from the first operation that ends within the measurement to the last. */
async function goodput({ seed, threads, kind, mode, ns }: Load): Promise<number> {
  const clients = Math.min(4, threads);
  return withClients("goodput", { seed, clients }, async rig => {
    const { threads: all, page } = await sharedProcess(rig, {
        threads: threads / clients,
        pages: threads * pagesEach,
        populate: true,
      }),
      data = new Uint8Array(bytes).fill(7);
    const from = rig.now() + warmNs,
      to = from + ns;
    const ends: number[] = [];
    const count = (): void => {
      const t = rig.now();
      if (t >= from && t < to) ends.push(t);
    };
    const synchronous = async (t: Thread, at: (i: number) => bigint): Promise<void> => {
      for (let i = 0; rig.now() < to; i++) {
        await rig.timed(() => (kind === "read" ? t.rread(at(i), bytes) : t.rwrite(at(i), data)));
        count();
      }
    };
    // Each on a page of its own: an operation on a page waits for writes of that page.
    const asynchronous = async (t: Thread, at: (i: number) => bigint): Promise<void> => {
      await Promise.all(
        Array.from({ length: asyncAtOnce }, async (_, lane) => {
          while (rig.now() < to) {
            await rig.timed(() =>
              t.rpoll([kind === "read" ? t.rreadAsync(at(lane), bytes) : t.rwriteAsync(at(lane), data)]),
            );
            count();
          }
        }),
      );
    };
    await Promise.all(
      all.map((t, k) =>
        (mode === "synchronous" ? synchronous : asynchronous)(t, i => page(k * pagesEach + (i % pagesEach))),
      ),
    );
    return ((ends.length - 1) * bytes * 8) / ((ends.at(-1) ?? to) - (ends[0] ?? from));
  });
}

/** Goodput by the number of client threads. */
export const figure48: Definition = {
  number: "4.8",
  title: "End-to-end goodput, 1 KB requests",
  paper: [
    ["4.7.1", "Asynchronous calls, the default, need few threads to fill the line, which carries 9.4 Gbit/s at most."],
    ["4.7.1", "Synchronous calls fill the line too, with somewhat more threads."],
  ],
  given: network,
  sizes: [
    { what: "requests", paper: "1 KB", here: "1 KB" },
    { what: "compute nodes", paper: "four", here: "one to four" },
  ],
  notes: [
    `A frame with 1 KB of data has 70 B of headers and ${LINE_OVERHEAD} B of preamble, check sequence and gap. So ${boardGbps} Gbit/s have room for ${room.toFixed(2)} Gbit/s of data. An asynchronous thread has ${asyncAtOnce} operations under way.`,
  ],
  measure: async ({ seed, quick }) => {
    const ns = quick ? 15_000 : 60_000,
      counts = quick ? [1, 8] : [1, 2, 4, 8, 16, 32],
      series: Series[] = [];
    for (const mode of modes)
      for (const kind of kinds) {
        const points: { x: number; y: number }[] = [];
        for (const threads of counts) points.push({ x: threads, y: await goodput({ seed, threads, kind, mode, ns }) });
        series.push({ name: `${mode} ${kind}`, standing: "calibrated", points });
      }
    const most = counts.at(-1) ?? 0;
    return {
      plots: [
        {
          title: "Goodput by client threads",
          kind: "lines",
          x: { label: "number of client threads", scale: "log2" },
          y: { label: "goodput", unit: "Gbit/s of data", scale: "linear" },
          series,
          references: [{ at: 9.4, says: "the paper: 9.4 Gbit/s at most" }],
        },
      ],
      claims: series.flatMap(
        ({ name }) =>
          [
            [`${name}: never falls by more than 3 % with more threads`, { kind: "rising", series: name, slack: 0.03 }],
            [
              `${name}: with ${name.startsWith("a") ? 8 : most} threads 95 % of what the line has room for, or more`,
              {
                kind: "within",
                series: name,
                from: name.startsWith("a") ? 8 : most,
                to: most,
                least: 0.95 * room,
                most: 1.01 * room,
              },
            ],
          ] as const,
      ),
    };
  },
};
