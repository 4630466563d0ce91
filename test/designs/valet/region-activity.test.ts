/** The choice of a region by the table: what is enrolled, what is set aside, and that no entry is kept. */
import { expect, it } from "vitest";
import { regionEntry } from "../../../designs/clio/config/index.ts";
import { RegionActivity, type RegionName } from "../../../designs/clio/software/index.ts";
import { Random } from "../../../sim/index.ts";
import { TableActivity } from "../clio/cluster/table-activity.ts";

const bits = 4;
const entryOf = (n: RegionName): number => regionEntry(n, bits);

it("is the one of those named, with frames, that was written longest ago; all others stay enrolled", async () => {
  const random = new Random(3),
    table = new TableActivity(bits),
    all = Array.from({ length: 30 }, (_, i): RegionName => ({ pid: 1 + (i % 3), region: i })),
    withFrames = new Set<RegionName>();
  const activity = new RegionActivity(table, n =>
    Promise.resolve([...withFrames].some(w => w.pid === n.pid && w.region === n.region)),
  );
  for (let round = 0; round < 200; round++) {
    const regions = all.filter(() => random.chance(0.5)),
      named = regions.filter(() => random.chance(0.6));
    withFrames.clear();
    for (const n of all) if (random.chance(0.7)) withFrames.add(n);
    await activity.scan(regions);
    expect([...table.order].sort((a, b) => a - b)).toEqual([...new Set(regions.map(entryOf))].sort((a, b) => a - b));
    for (let i = 0; i < 5; i++) table.write(random.below(table.entries));
    const may = named.filter(n => withFrames.has(n)),
      first = table.order.find(e => may.some(n => entryOf(n) === e)),
      chosen = await activity.leastRecentlyWritten(named);
    expect(chosen === undefined ? undefined : entryOf(chosen)).toBe(first);
    if (chosen !== undefined) expect(may).toContain(chosen);
    expect(table.order).toHaveLength(new Set(regions.map(entryOf)).size);
  }
});
