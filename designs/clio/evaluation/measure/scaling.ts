import { clockPeriod, makeSettings } from "../../config/index.ts";
import { clientEndpoint, FrameClient } from "../../workload/index.ts";
import { withNode } from "../../rig/index.ts";
import type { Options, Plot, Result, Series } from "../../../shared/evaluation/index.ts";
import { BackDoor } from "./page-table.ts";
import { Probe } from "./probe.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

/** A page. */
export interface Page {
  readonly pid: number;
  readonly vpn: bigint;
}
export interface Scaling {
  /** How many pages there are at each point, rising. */
  readonly counts: readonly number[];
  /** The i-th page. */
  readonly page: (i: number) => Page;
  /** Of the x axis: the meaning of a count. */
  readonly x: Plot["x"];
  readonly at: (count: number) => number;
  readonly title: string;
}
const bytes = 16,
  kinds = ["read, TLB miss", "read, TLB hit", "write, TLB miss", "write, TLB hit"] as const;
const any = "read of a random page, mean";

/**
 * Latency at the node's ports by the number of pages in its table, ns. Misses follow a shootdown of the page, hits
 * are the same page again, and the mean is over random pages as the TLB has them. Pages stay in the table from
 * point to point.
 */
export async function measureScaling(
  { counts, page, x, at, title }: Scaling,
  { seed, quick }: Options,
): Promise<Result> {
  const settings = makeSettings(quick ? {} : { physicalMemory: "4TB" }),
    samples = quick ? 4 : 24,
    randomSamples = quick ? 24 : 160;
  const points = new Map<string, Series["points"]>([...kinds, any].map(k => [k, []]));
  await withNode("scaling", settings, { seed, wave: false, limitCycles: 1e9 }, async node => {
    const client = new FrameClient(clientEndpoint(0), settings.runtime),
      table = new BackDoor(node),
      probe = new Probe(node),
      random = new Random(seed, mulberry32);
    const pageSize = BigInt(node.config.pageSize);
    await probe.greet(client);
    const read = async (i: number): Promise<number> => {
      const { pid, vpn } = page(i),
        data = random.bytes(bytes);
      node.ram.write(table.frameOf(i), data);
      return (await probe.ask(client.read(pid, vpn * pageSize, bytes), data)).latency;
    };
    const write = async (i: number): Promise<number> => {
      const { pid, vpn } = page(i);
      return (await probe.ask(client.write(pid, vpn * pageSize, random.bytes(bytes)))).latency;
    };
    for (const count of counts) {
      while (table.count < count) {
        const p = page(table.count);
        table.map(p.pid, p.vpn);
      }
      const sums = new Map<string, number>();
      for (let s = 0; s < samples; s++)
        for (const [name, access] of [
          ["read", read],
          ["write", write],
        ] as const) {
          const i = random.below(count),
            { pid, vpn } = page(i);
          await node.transport.shootdown(pid, vpn);
          for (const kind of ["miss", "hit"]) {
            const k = `${name}, TLB ${kind}`;
            sums.set(k, (sums.get(k) ?? 0) + (await access(i)));
          }
        }
      for (const k of kinds)
        points.get(k)?.push({ x: at(count), y: ((sums.get(k) ?? Number.NaN) / samples) * clockPeriod });
      // As many first as the TLB holds, so that it has met these pages.
      for (let s = 0; s < Math.min(count, node.config.tlbEntries); s++) await read(s);
      let sum = 0;
      for (let s = 0; s < randomSamples; s++) sum += await read(random.below(count));
      points.get(any)?.push({ x: at(count), y: (sum / randomSamples) * clockPeriod });
    }
  });
  const plot: Plot = {
    title,
    kind: "lines",
    x,
    y: { label: "latency at the ports", unit: "ns", scale: "linear" },
    series: [...points].map(([name, p]) => ({ name, standing: "predicted", points: p })),
  };
  const { dramLatency } = settings.runtime;
  return {
    plots: [plot],
    claims: [
      ...kinds.map(k => [`flat within 5 %: ${k}`, { kind: "flat", series: k, within: 0.05 }] as const),
      ...["read", "write"].map(
        k =>
          [
            `a ${k} that misses takes one memory access (${dramLatency} cycles) and at most 4 cycles more than a hit`,
            {
              kind: "above",
              series: `${k}, TLB miss`,
              base: `${k}, TLB hit`,
              least: dramLatency * clockPeriod,
              most: (dramLatency + 4) * clockPeriod,
            },
          ] as const,
      ),
      [
        "random pages: never above a miss",
        { kind: "above", series: any, base: "read, TLB miss", least: -(dramLatency + 4) * clockPeriod, most: 0.01 },
      ],
    ],
    notes: [
      quick
        ? "Quick: on the default build, whose table holds fewer pages."
        : "On a build for 4 TB of memory, whose table holds all the entries.",
    ],
  };
}
