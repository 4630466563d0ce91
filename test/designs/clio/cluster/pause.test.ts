/**
 * Duration of a migration, and its effects on clients, with pages of 4 MB, in model time: the
 * table of docs/clio/distributed.md.
 */
import { expect, test } from "vitest";
import type { MigrationMode } from "../../../../designs/clio/software/index.ts";
import { onCluster } from "./rig.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const MB = 2 ** 20,
  pageSize = 4 * MB,
  pages = 2,
  perGigabyte = 2 ** 30 / pageSize / pages;

interface Measured {
  readonly mode: MigrationMode;
  readonly gbps: number;
  readonly totalNs: number;
  readonly longestReadNs: number;
  readonly longestWriteNs: number;
  readonly reads: number;
  readonly writes: number;
}

/**
 * A region of `pages` pages of 4 MB, all with frames, moves. Meanwhile one client reads and one writes 64 bytes at
 * random places, one after another.
 */
function measure(mode: MigrationMode, gbps: number): Promise<Measured> {
  return onCluster(
    { clients: 2, gbps, limitNs: 1e12, given: { pageSize, physicalMemory: 64 * MB } },
    async ({ process, controller, reports, time }) => {
      const [p, q] = await process(),
        reader = p!.thread(),
        writer = q!.thread(),
        va = await reader.ralloc(pages * pageSize, { region: 1 });
      for (let i = 0; i < pages; i++) await writer.rwrite(va + BigInt(i * pageSize), Uint8Array.of(1));
      let over = false;
      const repeat = async (
        seed: number,
        operation: (at: bigint) => Promise<unknown>,
      ): Promise<{ readonly longest: number; readonly count: number }> => {
        const r = new Random(seed);
        let longest = 0,
          count = 0;
        for (; !over; count++) {
          const from = time.now();
          await operation(va + BigInt(r.below((pages * pageSize) / 64) * 64));
          longest = Math.max(longest, time.now() - from);
        }
        return { longest, count };
      };
      const reads = repeat(1, at => reader.rread(at, 64)),
        writes = repeat(2, at => writer.rwrite(at, new Uint8Array(64).fill(7)));
      expect(await controller.migrate(p!.pid, 1, { mode })).toBe(0);
      over = true;
      const [read, wrote] = await Promise.all([reads, writes]);
      return {
        mode,
        gbps,
        totalNs: reports[0]!.totalNs,
        longestReadNs: read.longest,
        longestWriteNs: wrote.longest,
        reads: read.count,
        writes: wrote.count,
      };
    },
  );
}

const ms = (ns: number): string => (ns / 1e6).toFixed(3);
test("pause and total time, scaled to 1 GB", async () => {
  const all: Measured[] = [];
  for (const gbps of [10, 100])
    for (const mode of ["stopAll", "pageByPage"] as const) all.push(await measure(mode, gbps));
  for (const m of all) {
    console.log(
      `${m.mode} at ${m.gbps} Gbit/s, ${pages} pages of 4 MB: ${ms(m.totalNs)} ms (1 GB: ${ms(m.totalNs * perGigabyte)} ms); longest read ${ms(m.longestReadNs)} ms, longest write ${ms(m.longestWriteNs)} ms${
        m.mode === "stopAll"
          ? ` (1 GB: ${ms(m.longestReadNs * perGigabyte)} and ${ms(m.longestWriteNs * perGigabyte)} ms)`
          : " (the same at 1 GB)"
      }; ${m.reads} reads and ${m.writes} writes meanwhile`,
    );
  }
  for (const gbps of [10, 100]) {
    const [stopped, served] = all.filter(m => m.gbps === gbps) as [Measured, Measured];
    // Stopped, an access waits for all pages; served, a write for one page, and a read for the switch of one.
    expect(stopped.longestReadNs).toBeGreaterThan(stopped.totalNs * 0.9);
    expect(served.longestWriteNs).toBeLessThan((stopped.totalNs / pages) * 1.5);
    expect(served.longestReadNs).toBeLessThan(served.longestWriteNs / 10);
    expect(served.totalNs).toBeLessThan(stopped.totalNs * 1.1);
    expect(served.reads).toBeGreaterThan(10 * stopped.reads);
  }
});
