import { makeSettings } from "../../config/index.ts";
import { FramePool } from "../../../shared/virtual-memory/software/index.ts";
import { MemoryManager } from "../../software/index.ts";
import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Claim, Definition, Plot, Series } from "../../../shared/evaluation/index.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

/** Pages of 4 MB of an allocation; bins of the x axis, per cent; slots for each frame. */
const sizes = [1, 4, 16],
  bin = 10,
  factors = [
    [4, "the default here"],
    [2, "the paper's default"],
    [1, "as dense as can be"],
  ] as const;

/** Most retries of one allocation by how full memory is (per cent, the upper end of each bin). */
async function fill(pages: number, slotsFactor: number, seed: number): Promise<Series["points"]> {
  const { config } = makeSettings({ slotsFactor }),
    page = BigInt(config.pageSize),
    random = new Random(seed, mulberry32),
    none = (): Promise<void> => Promise.resolve();
  // The allocator reads its shadow table only: its writes to the real one go nowhere here.
  const hardware = {
    exchangeEntry: () => Promise.resolve(0n),
    readMemory: (_: number, n: number) => Promise.resolve(new Uint8Array(n)),
    shootdown: none,
  };
  const memory = new MemoryManager(
    config,
    hardware,
    new FramePool(config.firstPpn, config.usablePages, config.pageSize, none),
  );
  const points = Array.from({ length: 100 / bin }, (_, i) => ({ x: (i + 1) * bin, y: 0 }));
  while (memory.entries + pages <= config.usablePages) {
    const at = points[Math.min(points.length - 1, Math.floor((100 * memory.entries) / config.usablePages / bin))];
    const given = await memory.allocate({
      pid: random.between(1, 65_535),
      address: 0n,
      length: BigInt(pages) * page,
      vregion: BigInt(random.below(1024)),
      write: true,
    });
    if (!given.ok)
      throw new CheckFailed(
        `an allocation of ${pages} pages is refused with ${memory.entries} pages allocated of ${config.usablePages}`,
      );
    if (at !== undefined) at.y = Math.max(at.y, memory.statistics.lastRetries);
  }
  return points;
}

/** Retries of allocation as physical memory fills up. */
export const figure413: Definition = {
  number: "4.13",
  title: "Allocation retries as memory fills up",
  paper: [
    ["4.7.1", "Allocations need no retry while less than half of the memory is in use."],
    ["4.7.1", "In almost full memory, an allocation needs 60 retries at most, of about 0.5 ms each."],
  ],
  notes: [
    "The allocator of the slow path itself, on 2 GB of memory. Random processes and regions allocate until there are as many pages as frames. A point is the most retries of any one allocation in a tenth.",
    "The table has 4 slots for each frame by default here, and 2 in the paper (4.4.2). With 1, as dense as it can be, the counter is seen to count. How long a retry takes is not modelled.",
  ],
  sizes: [
    { what: "physical memory", paper: "2 GB", here: "2 GB" },
    { what: "allocation sizes", paper: "three", here: "4, 16 and 64 MB" },
    { what: "slots for each frame", paper: "2", here: "4, 2 and 1" },
  ],
  measure: async ({ seed }) => {
    const plots: Plot[] = [],
      claims: [string, Claim][] = [];
    for (const [factor, note] of factors) {
      const slots = `${factor} ${factor === 1 ? "slot" : "slots"}`,
        series: Series[] = [];
      // As dense as it can be, 16 pages in one piece need not be found any more.
      for (const pages of factor === 1 ? sizes.slice(0, 2) : sizes)
        series.push({
          name: `${slots}, ${4 * pages} MB`,
          standing: "predicted",
          points: await fill(pages, factor, seed),
        });
      plots.push({
        title: `Most retries of one allocation: ${slots} for each frame, ${note}`,
        kind: "lines",
        x: { label: "physical memory allocated, up to", unit: "%", scale: "linear" },
        y: { label: "number of retries", scale: "linear" },
        series,
        references: [{ at: 60, says: "the paper: 60 at most" }],
      });
      if (factor > 1)
        for (const { name } of series) {
          claims.push(
            [`${name}: no retry below half`, { kind: "within", series: name, from: 0, to: 50, least: 0, most: 0 }],
            [`${name}: 60 retries at most`, { kind: "within", series: name, from: 0, to: 100, least: 0, most: 60 }],
          );
        }
    }
    return { plots, claims };
  },
};
