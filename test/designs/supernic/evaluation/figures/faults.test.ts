/** Claims of the figures fail when what they are measured with has a fault. */
import { describe, expect, it } from "vitest";
import { mutantOf, type SourceFault } from "./support/mutants.ts";

/** About those of the device: no claim of these figures knows the number. */
const cycles = { dummy: 38, switched: 24 };
type Name = "5.8" | "5.10" | "5.11" | "5.12" | "5.13" | "5.16" | "5.17" | "5.18" | "5.20";
const epochs = "supernic/model/epochs",
  rules = "supernic/software/regions",
  hops = "supernic/evaluation/epochs/hops.ts";

interface Planted extends SourceFault {
  readonly figure: Name;
  /** With `MNEMO_LONG=1` only: each takes seconds. */
  readonly long?: boolean;
}
const faults: readonly Planted[] = [
  {
    figure: "5.8",
    name: "the pool at the switch has its ports for nothing",
    file: "supernic/evaluation/epochs/cap-ex.ts",
    from: "return endpoint + cable + port + snic;",
    to: "return endpoint + cable + snic;",
  },
  {
    figure: "5.8",
    name: "a multi-host NIC is consolidated, too",
    file: "supernic/evaluation/epochs/cap-ex.ts",
    from: "unconsolidated = snic + tasks * (1 - consolidation)",
    to: "unconsolidated = snic",
    long: true,
  },
  {
    figure: "5.10",
    name: "nobody is ever redirected",
    file: `${epochs}/pool.ts`,
    from: "where.move(next, 1);",
    to: "void next;",
    long: true,
  },
  {
    figure: "5.10",
    name: "frames are passed on for nothing",
    file: `${epochs}/cost.ts`,
    from: "passedPart = 0.1",
    to: "passedPart = 0",
    long: true,
  },
  {
    figure: "5.11",
    name: "a ring is as long as one hop",
    file: hops,
    from: "2 * hops * passing(c)",
    to: "2 * Math.min(1, hops) * passing(c)",
  },
  {
    figure: "5.11",
    name: "the pool at the switch grows with its devices",
    file: hops,
    from: "return processing(c) + 2 * torSwitch;",
    to: "return processing(c) + devices * torSwitch;",
    long: true,
  },
  {
    figure: "5.12",
    name: "hysteresis is missing: who has two gives one back at once",
    file: `${rules}/autoscale.ts`,
    from: "demand < spare * capacity * (instances - 1)",
    to: "demand < spare * capacity * instances",
    long: true,
  },
  {
    figure: "5.12",
    name: "nobody is ever scaled out",
    file: `${rules}/autoscale.ts`,
    from: "demand > capacity * instances)",
    to: "demand > 100 * capacity * instances)",
    long: true,
  },
  {
    figure: "5.13",
    name: "victims are never used again",
    file: `${rules}/manager.ts`,
    from: 'const isThere = place.chain === chain && place.use === "victim";',
    to: 'const isThere = place.chain === chain && place.use === "broken";',
    long: true,
  },
  {
    figure: "5.16",
    name: "LRU forgets who was used",
    file: "supernic/model/cache/cache.ts",
    from: 'if (hit && this.#policy === "FIFO") return true;',
    to: "if (hit) return true;",
  },
  {
    figure: "5.16",
    name: "a full cache keeps the old ones for ever",
    file: "supernic/model/cache/cache.ts",
    from: "else if (this.#keys.size === this.#values)",
    to: "else if (this.#keys.size === this.#values) return false;\n    else if (this.#keys.size > this.#values)",
    long: true,
  },
  {
    figure: "5.16",
    name: "keys are drawn evenly",
    file: "shared/workload/zipf.ts",
    from: "sum += (i + 1) ** -theta;",
    to: "sum += 1 + 0 * theta;",
    long: true,
  },
  {
    figure: "5.17",
    name: "a hit goes to the board, too",
    file: hops,
    from: "misses = (1 - w.sets) * (1 - w.hits)",
    to: "misses = 1 - w.sets",
  },
  {
    figure: "5.18",
    name: "the sNIC sends one copy after the other has come back",
    file: hops,
    from: "return clockPeriod;",
    to: "return clockPeriod + node;",
  },
  {
    figure: "5.20",
    name: "fair shares ignore a resource",
    file: `${epochs}/shares.ts`,
    from: "use(partOf(u, t))",
    to: 'use(t === "NT4" ? 0 : partOf(u, t))',
  },
  {
    figure: "5.20",
    name: "a period is one epoch short",
    file: `${rules}/autoscale.ts`,
    from: "if (this.#seen < this.#period) return false;",
    to: "if (this.#seen < this.#period - 1) return false;",
    long: true,
  },
  {
    figure: "5.20",
    name: "time of a region that is being reprogrammed is not counted",
    file: `${epochs}/managed.ts`,
    from: '(p => p.use === "active" || p.use === "fixed").length + this.reprogramming',
    to: '(p => p.use === "active" || p.use === "fixed").length',
  },
  {
    figure: "5.20",
    name: "a reprogramming takes no time",
    file: `${epochs}/regions.ts`,
    from: "ends: this.#now + this.#reprogramTime",
    to: "ends: this.#now",
    long: true,
  },
  {
    figure: "5.20",
    name: "fair shares do not learn of the second instance",
    file: `${epochs}/shares.ts`,
    from: "* (instances[c] ?? 0) * unit)",
    to: "* Math.min(1, instances[c] ?? 0) * unit)",
    long: true,
  },
];
const isLong = process.env["MNEMO_LONG"] === "1";
async function broken(figure: Name, fault: SourceFault | undefined): Promise<readonly string[]> {
  const m = await mutantOf(fault, cycles),
    definition = {
      "5.8": m.figure58,
      "5.10": m.figure510,
      "5.11": m.figure511,
      "5.12": m.figure512,
      "5.13": m.figure513,
      "5.16": m.figure516,
      "5.17": m.figure517,
      "5.18": m.figure518,
      "5.20": m.timelineFigure,
    }[figure];
  const { verdicts } = await m.figureOf(definition, { seed: 1, quick: true });
  return verdicts.filter(v => !v.holds).map(v => v.says);
}

describe("claims of the figures", () => {
  it("hold of what is bundled without a fault, and a fault must stand somewhere", async () => {
    expect(await broken("5.11", undefined)).toEqual([]);
    expect(await broken("5.20", undefined)).toEqual([]);
    await expect(mutantOf({ name: "none", file: hops, from: "not there", to: "" }, cycles)).rejects.toThrow(
      'none: "not there" stands 0 times',
    );
  });
  it.each(faults.filter(f => isLong || f.long !== true).map(f => [f.figure, f.name, f] as const))(
    "%s, planted: %s",
    async (figure, _, fault) => {
      expect((await broken(figure, fault)).length).toBeGreaterThan(0);
    },
  );
});
