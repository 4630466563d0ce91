/** Published modules beside ours: what is asked of their folder. The figures need clones, which are not here. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { besideMarkdown, commitsIn, withParameters } from "../../cli/compare/public.ts";
import { publicPairs } from "../../cli/compare/public-pairs.ts";
import { between } from "../../cli/page-marks.ts";
import { catalogue, emit } from "../../hdl-dsl/index.ts";
import { mnemo } from "../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-public-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("parameters of a published module are changed, and nothing else", () => {
  const text = "module m #(\n  parameter DATA_WIDTH = 32, // bits\n  parameter STRB_WIDTH = (DATA_WIDTH/8)\n) ();";
  expect(withParameters(text, { DATA_WIDTH: 64 })).toBe(text.replace("= 32", "= 64"));
  expect(withParameters(text, { STRB_WIDTH: 1 })).toBe(text.replace("(DATA_WIDTH/8)", "1"));
  expect(() => withParameters(text, { WIDTH: 1 })).toThrow("no parameter WIDTH");
});
it("each of ours is in the catalogue", () => {
  const names = catalogue.map(({ def }) => emit(def).top);
  expect(publicPairs.map(p => p.ours).filter(n => !names.includes(n))).toEqual([]);
});
it("the page has a row of each, as written by the command", () => {
  const cost = { lut: 1, ff: 2, levels: 3 },
    text = besideMarkdown(
      publicPairs.map(pair => ({ pair, ours: cost, theirs: cost })),
      commitsIn(folder),
    ),
    // Figures and commits are those of its last run.
    shape = (t: string): string => t.replace(/\| \d+(?= \|)/g, "| #").replace(/`\w+`/g, "`#`");
  const page = readFileSync("docs/library.md", "utf8");
  expect(shape(page)).toBe(shape(between("docs/library.md", "published", text)));
});
describe("refuses", () => {
  it.each([
    [["--public", folder], "is not there; clone github.com/alexforencich/verilog-ethernet"],
    [["--markdown", "page.md"], "--markdown is of --public <folder>; add it, or leave out both"],
  ])("%j", async (args, why) => {
    const { code, out, err } = await mnemo(["compare", ...args]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
  });
  it("a module without a parameter that it had", async () => {
    const rtl = join(folder, "verilog-axi/rtl");
    mkdirSync(rtl, { recursive: true });
    mkdirSync(join(folder, "verilog-ethernet/rtl"), { recursive: true });
    for (const p of publicPairs)
      for (const name of [p.top, ...p.with])
        writeFileSync(
          join(folder, p.repository, "rtl", `${name}.v`),
          `module ${name}(input a, output b);\nassign b = a;\nendmodule\n`,
        );
    const { code, err } = await mnemo(["compare", "--public", folder]);
    expect(code).toBe(2);
    expect(err).toMatch(/^mnemo: a published module has no parameter \w+; give another commit of it\n$/);
  });
});
