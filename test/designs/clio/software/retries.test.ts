/**
 * Retries of allocation as memory fills up (paper Fig. 4.13: none below half, 60 at most near full), by the slow
 * path's own counters.
 */
import { describe, expect, it } from "vitest";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { clearTable, MemoryManager } from "../../../../designs/clio/software/index.ts";
import { FramePool } from "../../../../designs/shared/virtual-memory/software/index.ts";
import { FakeHardware } from "./fake-hardware.ts";

interface Filled {
  readonly retriesBelowHalf: number;
  readonly mostNearFull: number;
  readonly allocations: number;
  readonly refused: number;
}

/**
 * Allocates until as many pages are allocated as there are physical ones: processes in turn, each in the first region
 * that has room.
 * @param size pages of an allocation
 */
async function fill(size: number, slotsFactor: number, processes: number): Promise<Filled> {
  const { config } = makeSettings({ slotsFactor }),
    hardware = new FakeHardware(config),
    page = BigInt(config.pageSize);
  await clearTable(hardware, config);
  const pool = new FramePool(config.firstPpn, config.usablePages, config.pageSize, () => Promise.resolve());
  const memory = new MemoryManager(config, hardware, pool);
  let retriesBelowHalf = 0,
    mostNearFull = 0;
  for (let i = 0; memory.entries + size <= config.usablePages; i++) {
    const given = await memory.allocate({
      pid: 1 + (i % processes),
      address: 0n,
      length: BigInt(size) * page,
      vregion: BigInt(1 + (i % 7)),
      write: true,
    });
    expect(given.ok).toBe(true);
    const { lastRetries } = memory.statistics;
    if (memory.entries <= config.usablePages / 2) retriesBelowHalf += lastRetries;
    else mostNearFull = Math.max(mostNearFull, lastRetries);
  }
  const { allocations, refused } = memory.statistics;
  return { retriesBelowHalf, mostNearFull, allocations, refused };
}

describe("retries while physical memory fills up", () => {
  it.each([1, 4, 16, 64])("allocations of %i pages", async size => {
    const paper = await fill(size, 4, 13),
      tight = await fill(size, 1, 13);
    const told = (r: Filled): string =>
      `${r.retriesBelowHalf} retries below half, at most ${r.mostNearFull} for one allocation above`;
    console.log(`${size} pages, slotsFactor 4: ${told(paper)}; slotsFactor 1: ${told(tight)}`);
    expect(paper.retriesBelowHalf).toBe(0);
    expect(paper.mostNearFull).toBeLessThanOrEqual(60);
    expect(paper.refused).toBe(0);
    expect(paper.allocations).toBe(Math.floor(511 / size));
  });
  it("a table without spare slots has to retry: the counter counts", async () => {
    const { mostNearFull, retriesBelowHalf } = await fill(4, 1, 13);
    expect(mostNearFull + retriesBelowHalf).toBeGreaterThan(0);
  });
});
