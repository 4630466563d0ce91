/** More chains are wanted than there are regions: each keeps its region for a while, and each gets one in time. */
import { describe, expect, it } from "vitest";
import { mutantOf, type SourceFault } from "../support/mutants.ts";
import type * as bench from "./support/turns.ts";
import { hold, mostWait, turns, wrongTurns } from "./support/turns.ts";
import type { LiveChain } from "../../../../../designs/supernic/software/index.ts";
import { world, type World } from "./support/world.ts";

/** Longer than all that comes before somebody waits. */
const long = 2_000_000,
  isLong = process.env["MNEMO_LONG"] === "1";
async function untilWaits(w: World, chain: LiveChain): Promise<void> {
  for (let i = 0; i < 1_000 && !w.manager.waits(chain); i++) await w.regions.wait();
  expect(w.manager.waits(chain)).toBe(true);
}

describe("more chains than regions", () => {
  it("a chain keeps its region for the hold time, and who waits has one within the bound", async () => {
    const { ran, waited, swap, stopped } = await turns();
    expect(stopped).toBeGreaterThan(15);
    expect(Math.min(...ran)).toBeGreaterThanOrEqual(hold);
    for (const { place, time } of waited) expect(time).toBeLessThanOrEqual(mostWait(place, swap));
    // Both bounds are near what happens: nobody keeps his region much longer, and somebody waits nearly that long.
    expect(Math.max(...ran)).toBeLessThan(2 * hold);
    expect(Math.max(...waited.map(w => w.time))).toBeGreaterThan(hold / 2);
  });
  it("it holds also when regions are killed all the time", async () => {
    expect(await wrongTurns()).toEqual([]);
  });
  it("what becomes free is for those in line, and not for who is launched ahead or scaled", async () => {
    const w = world({ hold: long }),
      of = (...labels: string[]) => w.manager.chainFor(labels, found => found.length === labels.length);
    const [a, b, waits, ahead] = [["firewall"], ["delay(4,8)"], ["checksum", "dummy"], ["firewall", "checksum"]].map(
      l => of(...l),
    );
    if (!a || !b || !waits || !ahead) throw new RangeError("there are four chains");
    await w.manager.launch(a, "demand");
    await w.manager.launch(b, "demand");
    const line = w.manager.launch(waits, "demand");
    await untilWaits(w, waits);
    await w.manager.stop(a);
    expect(await w.manager.launch(ahead, "ahead")).toBe("noRegion");
    expect(await line).toBe("running");
    expect(w.manager.counted.stopped).toBe(0);
  });
  it("who is not wanted any more leaves the line, and one that asks twice stands in it once", async () => {
    const w = world({ hold: long }),
      chains = ["firewall", "delay(4,8)", "checksum+dummy", "firewall+checksum"].map(n =>
        w.manager.chainFor(n.split("+"), found => found.join("+") === n),
      );
    const [a, b, first, second] = chains;
    if (!a || !b || !first || !second) throw new RangeError("there are four chains");
    await w.manager.launch(a, "demand");
    await w.manager.launch(b, "demand");
    const gone = w.manager.launch(first, "demand"),
      twice = [w.manager.launch(second, "demand"), w.manager.launch(second, "demand")];
    await untilWaits(w, second);
    await w.manager.stop(first);
    expect(await gone).toBe("noRegion");
    expect(await Promise.all(twice)).toEqual(["running", "running"]);
    expect(w.manager.counted).toMatchObject({ reprogrammed: 3, stopped: 1 });
  });
});

describe("a fault in the rule is found", () => {
  const rules = "software/regions";
  const faults: readonly (SourceFault & { readonly long?: boolean })[] = [
    {
      name: "a chain loses its region at once",
      file: `${rules}/placing.ts`,
      from: "now - p.since >= hold",
      to: "now >= hold",
    },
    {
      name: "the last one in line is served first",
      file: `${rules}/waiting-line.ts`,
      from: "this.#line.push(",
      to: "this.#line.unshift(",
    },
    {
      name: "a kill begins the time anew",
      long: true,
      file: `${rules}/manager.ts`,
      from: `if (done === "running") place.since = since;`,
      to: "void since;",
    },
    {
      name: "who runs is looked at as if it had just begun",
      long: true,
      file: `${rules}/placing.ts`,
      from: "now - p.since >= hold",
      to: "now - p.since >= 3 * hold",
    },
    {
      name: "who comes passes those in line",
      long: true,
      file: `${rules}/manager.ts`,
      from: "if (this.#line.isEmpty)\n",
      to: "if (chain.number > 0)\n",
    },
  ];
  // Each is a bundle of its own, which takes seconds.
  it.each(faults.filter(f => isLong || f.long !== true))("$name", async fault => {
    const planted = await mutantOf<typeof bench>("software/regions/support/turns.ts", fault);
    expect(await planted.wrongTurns()).not.toEqual([]);
  });
});
