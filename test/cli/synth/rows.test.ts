import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { designs } from "../../../cli/designs.ts";
import { type Baseline, baselinePath, readBaseline, unmeasured, without } from "../../../cli/synth/baseline.ts";
import { readBounds } from "../../../cli/synth/bounds.ts";
import { designUnits } from "../../../cli/synth/run-synth.ts";
import { targets } from "../../../cli/synth/target.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import { hangMs } from "../../support/hang-ms.ts";

const row = { lut: 1, ff: 1, bram: 0, uram: 0, dsp: 0, levels: 1, deepest: "a > b" };

const folders = (
  await Promise.all(
    designs.map(async d => {
      const folder = (await d.synth?.())?.baseline;
      return folder === undefined ? [] : [[d.name, d, folder] as const];
    }),
  )
).flat();

describe("the rows of a baseline", () => {
  it("that nothing measures are named, and can be taken out", () => {
    const baseline: Baseline = { tool: "Yosys 0", units: { Block: row, Whole: row, Old: row } };
    expect(unmeasured(baseline, ["Block", "New"], ["Whole"])).toEqual(["Old"]);
    expect(unmeasured(baseline, ["Block", "Whole"], [])).toEqual(["Old"]);
    expect(Object.keys(without(baseline, ["Old"])?.units ?? {})).toEqual(["Block", "Whole"]);
    expect(without(undefined, [])).toBeUndefined();
  });
  it("are looked at for every design that has some", () =>
    expect(folders.map(([name]) => name)).toEqual(expect.arrayContaining(["clio", "supernic", "legoos", "wickit"])));
  // Built, and not mapped: a design takes seconds.
  it.each(folders)(
    "are all measured by a check of everything, and no block lacks one: %s",
    async (_name, d, folder) => {
      const path = baselinePath(root, folder, targets.xcup),
        baseline = readBaseline(path),
        wholes = readBounds(path)?.wholes ?? [];
      const options = { target: "xcup", set: [], whole: true, paths: 0 } as const,
        names = (await designUnits(d, options, true)).map(u => u.name);
      expect(unmeasured(baseline, names, []), join(folder, "xcup.json")).toEqual([]);
      // A whole need not be measured: what it is made of is.
      expect(names.filter(n => baseline.units[n] === undefined && !wholes.includes(n))).toEqual([]);
    },
    hangMs,
  );
});
