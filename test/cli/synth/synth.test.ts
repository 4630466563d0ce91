import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totalLuts } from "../../../cli/synth/area.ts";
import { boundedOf, type Bounds, outOfBounds, readBounds, standing } from "../../../cli/synth/bounds.ts";
import { type Baseline, byKnownText, readBaseline, regressions, writeBaseline } from "../../../cli/synth/baseline.ts";
import { depthOfPath } from "../../../cli/synth/carry.ts";
import { areaTable, depthOf, levelsOf, pathLine, type Result } from "../../../cli/synth/report.ts";
import { keyOf, synthesize } from "../../../cli/synth/synthesize.ts";
import { type TargetName, targets } from "../../../cli/synth/target.ts";
import { toMeasure } from "../../../cli/synth/unchanged.ts";
import { type Unit, unitsFor } from "../../../cli/synth/unit.ts";
import { findYosys } from "../../../cli/synth/yosys.ts";
import { bit, input, instance, module, output, reg, toBits, uint } from "../../../hdl-dsl/index.ts";
import { mnemo } from "../../support/command-line.ts";

let folder = "";
const cacheBefore = process.env["MNEMO_CACHE"];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-synth-test-"));
  process.env["MNEMO_CACHE"] = folder;
});
afterAll(() => {
  if (cacheBefore === undefined) delete process.env["MNEMO_CACHE"];
  else process.env["MNEMO_CACHE"] = cacheBefore;
  rmSync(folder, { recursive: true, force: true });
});

async function synthesized(
  unit: Unit,
  target: TargetName = "ecp5",
  passes: string[] = [],
): Promise<Result & { readonly fresh: boolean }> {
  return {
    unit,
    ...(await synthesize(unit, targets[target], await findYosys(), p => {
      passes.push(p);
    })),
  };
}

/** Whether all bits of a register are 1, in a register: of 36 bits seven LUT6 in two levels. */
const All = module(
  "All",
  (p: { readonly bits: number }) => ({ a: input(uint(p.bits)), q: output(bit) }),
  (io, p) => {
    const held = reg(uint(p.bits), { name: "held" }),
      all = reg(bit, { name: "all" });
    held.set(io.a);
    all.set(toBits(held).reduce((a, b) => a.and(b)));
    io.q.set(all);
  },
);
const Pair = module(
  "Pair",
  () => ({ a: input(uint(36)), b: input(uint(6)), q: output(uint(2)) }),
  io => {
    const wide = instance(All({ bits: 36 })),
      narrow = instance(All({ bits: 6 }));
    wide.a.set(io.a);
    narrow.a.set(io.b);
    io.q.set(wide.q.zext(2).add(narrow.q.zext(2)));
  },
);
const all = (bits: number): Unit => unitsFor(All({ bits }), undefined)[0] as Unit;

describe("synthesis", () => {
  it("gives area and depth, says what it is doing, and remembers until the text or the target changes", async () => {
    const passes: string[] = [],
      first = await synthesized(all(36), "xcup", passes);
    expect([first.area.ff, first.fresh]).toEqual([37, true]);
    // Seven LUT6 would do; mapping for speed prefers smaller ones.
    expect(first.area.lut).toBeGreaterThanOrEqual(7);
    expect(first.area.lut).toBeLessThan(20);
    expect(levelsOf(first)).toBeGreaterThanOrEqual(2);
    expect(passes).toContain("ABC9");
    expect(pathLine(first.paths[0]!, first.unit.files)).toMatch(
      /^\d LUT: held \(synth\.test\.ts:\d+\) > all \(synth\.test\.ts:\d+\)$/,
    );
    const moved = {
      ...first.unit,
      files: first.unit.files.map(f => ({ ...f, text: f.text.replace(/(\.ts:)\d+/g, "$19999") })),
    };
    expect((await synthesized(moved, "xcup")).fresh).toBe(false);
    expect((await synthesized(all(36))).fresh).toBe(true);
  });
  // xc7 goes the way of xcup, which the first test takes: reading Xilinx' libraries takes seconds.
  it.each(["ecp5", "ice40"] as const)("maps to %s", async target => {
    const r = await synthesized(all(36), target);
    expect(r.area.ff).toBe(37);
    expect(levelsOf(r)).toBeGreaterThanOrEqual(1);
    expect(levelsOf(r)).toBeLessThanOrEqual(4);
    expect(areaTable([r], targets[target])).toContain(targets[target].memoryBlock);
  });
  it("text that Yosys refuses is told in its words", async () => {
    await expect(
      synthesized({
        name: "t",
        top: "t",
        files: [{ name: "t.v", text: "module t(input a, output b); assign b = no_such(a); endmodule\n" }],
      }),
    ).rejects.toThrow(/^Yosys could not synthesize it: .*no_such/s);
  });
});

describe("what is synthesized", () => {
  it("the blocks and the whole; two of one name keep their parameters", () => {
    expect(unitsFor(Pair(), undefined).map(u => [u.name, u.files.length])).toEqual([
      ["All_bits36", 1],
      ["All_bits6", 1],
      ["Pair", 3],
    ]);
  });
  it("the blocks of what is only a case around others", () => {
    const Case = module(
      "Case",
      () => ({ a: input(uint(36)), b: input(uint(6)), q: output(uint(2)) }),
      io => {
        const pair = instance(Pair());
        pair.a.set(io.a);
        pair.b.set(io.b);
        io.q.set(pair.q);
      },
    )();
    expect(unitsFor(Case, undefined).map(u => u.name)).toEqual(["Pair", "Case"]);
    const opened = unitsFor(Case, undefined, ["Pair"]);
    expect(opened.map(u => u.name)).toEqual(["All_bits36", "All_bits6", "Case"]);
    expect(opened.at(-1)?.blocks).toEqual(["All_bits36", "All_bits6"]);
  });
  it("or modules by name", () => {
    // Its name is what it has among the blocks: one of two of the same short name is not that name.
    expect(unitsFor(Pair(), ["All_bits6"]).map(u => [u.name, u.top])).toEqual([["All_bits6", "All_bits6"]]);
    expect(() => unitsFor(Pair(), ["All"])).toThrow("All is several modules: choose one of All_bits36, All_bits6");
    expect(() => unitsFor(Pair(), ["Odd"])).toThrow("Pair has no module Odd; it has Pair, All");
  });
});

describe("the bounds", () => {
  it("find what is too deep or too wide, and exceptions that nothing needs", async () => {
    const all36 = await synthesized(all(36)),
      bounds = { depth: 8, fanOut: 256, wholes: ["Whole"], exceptions: {} };
    const made = (levels: number, carries: number, sinks: number): Result => ({
      ...all36,
      levels,
      paths: all36.paths.slice(0, 1).map(p => ({ ...p, levels, carries })),
      fanOuts: all36.fanOuts.slice(0, 1).map(f => ({ ...f, sinks })),
    });
    const over = (results: readonly Result[], of: Bounds): readonly string[] => outOfBounds(results.map(boundedOf), of);
    expect(over([made(8, 0, 256), made(7, 1, 1)], bounds)).toEqual([]);
    expect(over([made(8, 1, 256)], bounds)).toEqual(["All: depth with carries is 9, the bound is 8"]);
    // Carries and nets may be left out.
    const levels = { depth: 8, carries: false, wholes: [], exceptions: {} };
    expect(over([made(8, 9, 9999)], levels)).toEqual([]);
    expect(over([made(9, 0, 1)], levels)).toEqual(["All: depth is 9, the bound is 8"]);
    // A path of fewer levels and more carries is not hidden behind the first one.
    const shallow = made(8, 0, 256),
      hidden = { ...shallow, paths: [...made(7, 2, 1).paths, ...shallow.paths, ...made(2, 1, 1).paths] };
    expect(over([hidden], bounds)).toEqual(["All: depth with carries is 9, the bound is 8"]);
    expect(over([made(1, 0, 257)], bounds)).toEqual(["All: fan-out is 257, the bound is 256"]);
    const whole = made(20, 0, 5000);
    expect(over([{ ...whole, unit: { ...whole.unit, name: "Whole" } }], bounds)).toEqual([]);
    const excepted = { ...bounds, exceptions: { All: { depth: 10, fanOut: 500, reason: "a wide beat" } } };
    expect(over([made(10, 0, 500)], excepted)).toEqual([]);
    expect(over([made(10, 1, 501)], excepted)).toEqual([
      "All: depth with carries is 11, the bound is 10",
      "All: fan-out is 501, the bound is 500",
    ]);
    expect(over([made(8, 0, 256)], excepted)).toEqual([
      "All: depth with carries is 8, so its exception (10) is not needed",
      "All: fan-out is 256, so its exception (500) is not needed",
    ]);
  });
  it("are kept by what stands in the baseline, too: no row is out of sight because its text has not changed", () => {
    const { units } = readBaseline("constraints/baseline/xcup.json"),
      row = { ...Object.values(units)[0], levels: 9, depth: 10, fanOut: 300 } as (typeof units)[string],
      rows = standing(["Deep", "New"], { tool: "Yosys 0", units: { Deep: row, Other: row } });
    expect(rows).toEqual([{ name: "Deep", levels: 9, depth: 10, fanOut: 300 }]);
    expect(outOfBounds(rows, { depth: 8, fanOut: 256, wholes: [], exceptions: {} })).toEqual([
      "Deep: depth with carries is 10, the bound is 8",
      "Deep: fan-out is 300, the bound is 256",
    ]);
  });
  it("of the memory node have a reason for each exception, and none is of a unit that is not measured", () => {
    const path = "constraints/baseline/xcup.json",
      { units } = readBaseline(path),
      bounds = readBounds(path);
    expect(bounds).toMatchObject({ depth: 8, fanOut: 256 });
    expect(Object.keys(bounds?.exceptions ?? {}).filter(n => units[n] === undefined)).toEqual([]);
    // The figures in the baseline keep them, too.
    for (const [name, u] of Object.entries(units)) {
      const own = bounds?.exceptions[name];
      expect(u.depth ?? depthOfPath(u), `depth of ${name}`).toBeLessThanOrEqual(own?.depth ?? 8);
      expect(u.fanOut ?? 0, `fan-out of ${name}`).toBeLessThanOrEqual(own?.fanOut ?? 256);
    }
  });
  it("of SuperNIC are of levels, and the figures in its baseline keep them", () => {
    const path = "constraints/baseline/supernic/xcup.json",
      { units } = readBaseline(path),
      bounds = readBounds(path);
    expect(bounds).toMatchObject({ depth: 8, carries: false });
    expect(Object.keys(bounds?.exceptions ?? {}).filter(n => units[n] === undefined)).toEqual([]);
    for (const [name, u] of Object.entries(units))
      expect(u.levels, `levels of ${name}`).toBeLessThanOrEqual(bounds?.exceptions[name]?.depth ?? 8);
  });
  it("are refused in a sentence when they are no list of bounds", () => {
    const path = join(folder, "bounded/xcup.json");
    expect(readBounds(path)).toBeUndefined();
    mkdirSync(join(folder, "bounded"), { recursive: true });
    writeFileSync(join(folder, "bounded/bounds.json"), '{"depth": 8}');
    expect(() => readBounds(path)).toThrow("is no list of bounds: depth, fanOut, and exceptions with a reason each");
  });
});

describe("the baseline", () => {
  it("lets a module grow by 5 %, and finds one that is planted larger or deeper", async () => {
    const path = join(folder, "constraints/xcup.json"),
      before = { ...(await synthesized(all(36))) },
      small = await synthesized(all(6));
    writeBaseline(path, [before], "Yosys 0", undefined);
    writeBaseline(path, [{ ...small, unit: { ...small.unit, name: "Other" } }], "Yosys 0", readBaseline(path));
    const baseline = readBaseline(path);
    expect(Object.keys(baseline.units)).toEqual(["All", "Other"]);
    expect(regressions([before], baseline)).toEqual([]);
    expect(regressions([small], baseline)).toEqual([]);
    const grown = await synthesized(all(216)),
      was = totalLuts(before.area),
      is = totalLuts(grown.area);
    expect(regressions([{ ...grown, levels: before.levels, paths: before.paths }], baseline)).toEqual([
      `All: lut was ${was}, is ${is} (+${(100 * (is / was - 1)).toFixed(1)} %)`,
      "All: ff was 37, is 217 (+486.5 %)",
    ]);
    const deeper = (by: number): Result => ({
        ...before,
        levels: before.levels + by,
        paths: before.paths.map(p => ({ ...p, levels: p.levels + by })),
      }),
      levels = levelsOf(before),
      depth = depthOf(before);
    expect(regressions([deeper(1)], baseline)).toEqual([]);
    expect(regressions([deeper(2)], baseline)).toEqual([
      `All: levels was ${levels}, is ${levels + 2} (+${(200 / levels).toFixed(1)} %)`,
      `All: depth was ${depth}, is ${depth + 2} (+${(200 / depth).toFixed(1)} %)`,
    ]);
    const carries = before.paths[0]?.carries ?? 0,
      carrying = (by: number): Result => ({
        ...before,
        paths: before.paths.map(p => ({ ...p, carries: p.carries + by })),
      });
    expect(regressions([carrying(1)], baseline)).toEqual([]);
    expect(regressions([carrying(2)], baseline)).toEqual([
      expect.stringMatching(`^All: carries was ${carries}, is`),
      expect.stringMatching(`^All: depth was ${depth}, is`),
    ]);
    // A net may be as wide as needs no copy of its register, and no wider than it was.
    const wide = (sinks: number): Result => ({ ...before, fanOuts: before.fanOuts.map(f => ({ ...f, sinks })) });
    expect(regressions([wide(256)], baseline)).toEqual([]);
    expect(regressions([wide(257)], baseline)).toEqual([expect.stringMatching(/^All: fan-out was \d+, is 257 /)]);
    const widePath = join(folder, "wide.json");
    writeBaseline(widePath, [wide(1000)], "Yosys 0", undefined);
    expect(regressions([wide(1050)], readBaseline(widePath))).toEqual([]);
    expect(regressions([wide(1051)], readBaseline(widePath))).toEqual(["All: fan-out was 1000, is 1051 (+5.1 %)"]);
    expect(regressions([{ ...before, area: { ...before.area, bram: 0.5 } }], baseline)).toEqual([
      "All: bram was 0, is 0.5",
    ]);
    expect(regressions([{ ...before, unit: { ...before.unit, name: "New" } }], baseline)).toEqual([
      "New has no baseline",
    ]);
  });
  it("says of which text it is: what has not changed is left out, but for some", async () => {
    const path = join(folder, "changed/xcup.json"),
      sizes = Array.from({ length: 40 }, (_, i) => ({ ...all(6), name: `All${i}` })),
      of = (u: Unit): string => keyOf(u, targets.ice40, "Yosys 0");
    const made = await synthesized(all(6), "ice40"),
      baselineOf = (units: readonly Unit[], edited: string): Baseline => {
        writeBaseline(
          path,
          units.map(u => ({ ...made, unit: u, of: u.name === edited ? "another" : of(u) })),
          "Yosys 0",
          undefined,
        );
        return readBaseline(path);
      };
    const measured = (edited: string, tool = "Yosys 0"): readonly string[] =>
      toMeasure(sizes, baselineOf(sizes, edited), targets.ice40, tool).map(u => u.name);
    const drawn = measured("");
    expect(drawn.length).toBeGreaterThan(0);
    expect(drawn.length).toBeLessThan(16);
    // A changed text is measured, and so is one that the baseline has not; another tool changes all.
    const edited = sizes.map(u => u.name).find(n => !drawn.includes(n))!;
    expect(measured(edited)).toEqual(sizes.map(u => u.name).filter(n => n === edited || drawn.includes(n)));
    expect(toMeasure(sizes, { tool: "Yosys 0", units: {} }, targets.ice40, "Yosys 0")).toEqual(sizes);
    expect(measured("", "Yosys 1")).toHaveLength(sizes.length);
    // Which ones are drawn changes with the text of any.
    const others = Array.from({ length: 8 }, (_, i) =>
      [...sizes, { ...all(36), name: `More${i}` }].map(u => ({ ...u, top: u.name === `More${i}` ? `m${i}` : u.top })),
    );
    expect(
      new Set(
        others.map(units =>
          toMeasure(units, baselineOf(units, ""), targets.ice40, "Yosys 0")
            .map(u => u.name)
            .join(),
        ),
      ),
    ).not.toEqual(new Set([drawn.join()]));
  });
  it("judges by figures of a known text, and tells of others", async () => {
    const path = join(folder, "told/xcup.json"),
      made = await synthesized(all(6), "ice40"),
      named = (name: string) => ({ ...made, unit: { ...made.unit, name } });
    writeBaseline(path, [named("Known"), { ...named("Old"), of: undefined }], "Yosys 0", undefined);
    const { known, unknown } = byKnownText([named("Known"), named("Old"), named("New")], readBaseline(path));
    expect([known, unknown].map(x => x.map(r => r.unit.name))).toEqual([["Known"], ["Old", "New"]]);
  });
  it("is missed and mistrusted in one sentence", () => {
    expect(() => readBaseline(join(folder, "none.json"))).toThrow(
      "is missing: write it with mnemo synth --write-baseline",
    );
  });
});

describe("mnemo synth refuses", () => {
  it.each([
    [["synth", "clio", "--target", "virtex"], "It must be xcup, xc7, ecp5 or ice40."],
    [["synth", "clio", "--only", "Nothing"], "ClioNode has no module Nothing; it has ClioNode, "],
    [["synth", "clio", "--only", "NetRX"], "ClioNode has no module NetRX; did you mean NetRx"],
    [["synth", "library", "--set", "dataWidth=64"], "--set is for clio"],
    [["synth", "clio", "--changed"], "add --check, or leave out --changed"],
    [["synth", "clio", "--check", "--set", "dataWidth=64"], "leave out --set, or --check and --write-baseline"],
    [["synth", "clio", "--table", "--target", "xc7"], "--table is of the whole node on UltraScale+"],
    [["synth", "clio", "--paths", "many"], "It must be a whole number from 0 to 30."],
  ])("%j", async (args, message) => {
    const { code, out, err } = await mnemo(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });
});
