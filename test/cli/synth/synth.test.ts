import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { totalLuts } from "../../../cli/synth/area.ts";
import { readBaseline, regressions, writeBaseline } from "../../../cli/synth/baseline.ts";
import { areaTable, levelsOf, paperTable, pathLine, type Result } from "../../../cli/synth/report.ts";
import { synthesize } from "../../../cli/synth/synthesize.ts";
import { targets, type TargetName } from "../../../cli/synth/target.ts";
import { unitsFor, type Unit } from "../../../cli/synth/unit.ts";
import { findYosys } from "../../../cli/synth/yosys.ts";
import { instance, input, module, output, reg, uint } from "../../../hdl-dsl/index.ts";
import { mnemo } from "../command-line.ts";

let folder = "";
const cacheBefore = process.env["MNEMO_CACHE"];
beforeAll(() => { folder = mkdtempSync(join(tmpdir(), "mnemo-synth-test-")); process.env["MNEMO_CACHE"] = folder; });
afterAll(() => {
  if (cacheBefore === undefined) delete process.env["MNEMO_CACHE"]; else process.env["MNEMO_CACHE"] = cacheBefore;
  rmSync(folder, { recursive: true, force: true });
});

async function synthesized(unit: Unit, target: TargetName = "xcup", passes: string[] = []): Promise<Result & { readonly fresh: boolean }> {
  return { unit, ...await synthesize(unit, targets[target], await findYosys(), (p) => { passes.push(p); }) };
}

/** The parity of a register's bits, in a register: of 36 bits two levels of LUT6. */
const Parity = module("Parity", (p: { readonly bits: number }) => ({ a: input(uint(p.bits)), q: output(uint(1)) }), (io, p) => {
  const held = reg(uint(p.bits), { name: "held", next: io.a });
  const parity = reg(uint(1), { name: "parity", next: held.xorReduce() });
  io.q.set(parity);
});
const Pair = module("Pair", { a: input(uint(36)), b: input(uint(6)), q: output(uint(2)) }, (io) => {
  const wide = instance(Parity({ bits: 36 })), narrow = instance(Parity({ bits: 6 }));
  wide.a.set(io.a); narrow.a.set(io.b);
  io.q.set(wide.q.zext(2).add(narrow.q.zext(2)));
});
const parity = (bits: number): Unit => unitsFor(Parity({ bits }), undefined)[0] as Unit;

describe("synthesis", () => {
  it("gives area and depth, says what it is doing, and remembers until the text or the target changes", async () => {
    const passes: string[] = [], first = await synthesized(parity(36), "xcup", passes);
    expect([levelsOf(first), first.area.lut, first.area.ff, first.fresh]).toEqual([2, 7, 37, true]);
    expect(passes).toContain("ABC9");
    expect(pathLine(first.paths[0]!, first.unit.files)).toMatch(/^2 LUT: held \(synth\.test\.ts:\d+\) > parity \(synth\.test\.ts:\d+\)$/);
    const moved = { ...first.unit, files: first.unit.files.map((f) => ({ ...f, text: f.text.replace(/(\.ts:)\d+/g, "$19999") })) };
    expect((await synthesized(moved)).fresh).toBe(false);
    expect((await synthesized(parity(6))).fresh).toBe(true);
  });
  it.each([["xc7", 2], ["ecp5", 3], ["ice40", 3]] as const)("maps to %s", async (target, levels) => {
    const r = await synthesized(parity(36), target);
    expect([r.area.ff, levelsOf(r)]).toEqual([37, levels]);
    expect(areaTable([r], targets[target])).toContain(targets[target].memoryBlock);
  });
  it("text that Yosys refuses is told in its words", async () => {
    await expect(synthesized({ name: "t", top: "t", files: [{ name: "t.v", text: "module t(input a, output b); assign b = no_such(a); endmodule\n" }] })).rejects.toThrow(/^Yosys could not synthesize it: .*no_such/s);
  });
});

describe("what is synthesized", () => {
  it("the blocks and the whole; two of one name keep their parameters", () => {
    expect(unitsFor(Pair, undefined).map((u) => [u.name, u.files.length])).toEqual([["Parity_bits36", 1], ["Parity_bits6", 1], ["Pair", 3]]);
  });
  it("or modules by name", () => {
    expect(unitsFor(Pair, ["Parity_bits6"]).map((u) => u.top)).toEqual(["Parity_bits6"]);
    expect(() => unitsFor(Pair, ["Parity"])).toThrow("Parity is several modules: choose one of Parity_bits36, Parity_bits6");
    expect(() => unitsFor(Pair, ["Odd"])).toThrow("Pair has no module Odd; it has Parity, Pair");
  });
});

describe("the baseline", () => {
  it("lets a module grow by 5 %, and finds one that is planted larger or deeper", async () => {
    const path = join(folder, "constraints/xcup.json"), before = { ...await synthesized(parity(36)) }, small = await synthesized(parity(6));
    writeBaseline(path, [before], "Yosys 0", undefined);
    writeBaseline(path, [{ ...small, unit: { ...small.unit, name: "Other" } }], "Yosys 0", readBaseline(path));
    const baseline = readBaseline(path);
    expect(Object.keys(baseline.units)).toEqual(["Other", "Parity"]);
    expect(regressions([before], baseline)).toEqual([]);
    expect(regressions([small], baseline)).toEqual([]);
    const grown = await synthesized(parity(216)), luts = totalLuts(grown.area);
    expect(regressions([grown], baseline)).toEqual([
      `Parity: lut was 7, is ${luts} (+${(100 * (luts / 7 - 1)).toFixed(1)} %)`, "Parity: ff was 37, is 217 (+486.5 %)", "Parity: levels was 2, is 3 (+50.0 %)",
    ]);
    expect(regressions([{ ...before, area: { ...before.area, bram: 0.5 } }], baseline)).toEqual(["Parity: bram was 0, is 0.5"]);
    expect(regressions([{ ...before, unit: { ...before.unit, name: "New" } }], baseline)).toEqual(["New has no baseline"]);
  });
  it("is missed and mistrusted in one sentence", () => {
    expect(() => readBaseline(join(folder, "none.json"))).toThrow("is missing: write it with mnemo synth --write-baseline");
  });
});

it("the paper's table says what is absent and what was not synthesized", async () => {
  const r = await synthesized(parity(36)), text = paperTable([{ ...r, unit: { ...r.unit, name: "Translate" } }]);
  expect(text).toMatch(/^VirtMem +5\.5 % +12,672 +3 % +7 +0\.0 % +0\.0 % +8,000: reached +0\.0 % +2 +reached$/m);
  expect(text).toMatch(/^NetStack .*not synthesized/m);
  expect(text).toMatch(/^Go-Back-N .*absent/m);
});

describe("mnemo synth refuses", () => {
  it.each([
    [["synth", "clio", "--target", "virtex"], "It must be xcup, xc7, ecp5 or ice40."],
    [["synth", "clio", "--only", "Nothing"], "has no module Nothing; it has "],
    [["synth", "library", "--set", "dataWidth=64"], "--set is for clio"],
    [["synth", "clio", "--check", "--set", "dataWidth=64"], "--check and --write-baseline go with neither --set"],
    [["synth", "clio", "--table", "--target", "xc7"], "--table is of the whole node on UltraScale+"],
    [["synth", "clio", "--paths", "many"], "It must be a whole number from 0 to 30."],
  ])("%j", async (args, message) => {
    const { code, out, err } = await mnemo(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(message);
  });
});
