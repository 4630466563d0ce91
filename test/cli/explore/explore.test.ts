/** The points of a sweep: the front, the page, and what cannot be. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { Random } from "../../../hdl-dsl/index.ts";
import { explorePage } from "../../../cli/explore/page.ts";
import { beats, type Figures, front, goals, sharedGoals } from "../../../cli/explore/pareto.ts";
import { valuesOf } from "../../../cli/explore/run-explore.ts";
import { scatter } from "../../../cli/explore/scatter.ts";
import { findTool, tools } from "../../../scripts/setup/tools.mjs";
import { mnemo } from "../../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-explore-"));
afterAll(() => rmSync(folder, { recursive: true }));

const random = (n: number, seed: number): readonly Figures[] => {
  const r = new Random(seed);
  return Array.from({ length: n }, () => Object.fromEntries(goals.map(g => [g.figure, r.below(6)])));
};
/** The front as a definition says it, written out for the four goals. */
const byHand = (all: readonly Figures[]): readonly boolean[] =>
  all.map(p => {
    const at = (q: Figures, k: string): number => q[k] ?? NaN;
    return !all.some(
      q =>
        at(q, "luts") <= at(p, "luts") &&
        at(q, "levels") <= at(p, "levels") &&
        at(q, "latency") <= at(p, "latency") &&
        at(q, "throughput") >= at(p, "throughput") &&
        (at(q, "luts") < at(p, "luts") ||
          at(q, "levels") < at(p, "levels") ||
          at(q, "latency") < at(p, "latency") ||
          at(q, "throughput") > at(p, "throughput")),
    );
  });
type Front = typeof front;
function agrees(by: Front): void {
  for (let seed = 0; seed < 50; seed++) {
    const all = random(30, seed);
    expect(by(all, goals), `seed ${seed}`).toEqual(byHand(all));
  }
}

describe("the front", () => {
  it("is what the definition says, for 50 random sets of 30 points", () => agrees(front));
  const faults: readonly (readonly [string, Front])[] = [
    [
      "more throughput is worse",
      (all, by) =>
        front(
          all,
          by.map(g => ({ ...g, better: "less" as const })),
        ),
    ],
    [
      "the depth does not count",
      (all, by) =>
        front(
          all,
          by.filter(g => g.figure !== "levels"),
        ),
    ],
    [
      "a point that is as good beats another",
      (all, by) =>
        all.map(
          (p, i) => !all.some((q, j) => i !== j && (beats(q, p, by) || by.every(g => q[g.figure] === p[g.figure]))),
        ),
    ],
  ];
  it.each(faults)("planted fault: %s", (_what, by) => expect(() => agrees(by)).toThrow());
  it("goals that a point lacks do not count", () => {
    expect(sharedGoals([{ luts: 1, levels: 2 }, { luts: 1 }]).map(g => g.figure)).toEqual(["luts"]);
  });
});

describe("the page", () => {
  const points = [
    { name: "a=1", figures: { luts: 100, latency: 9, throughput: 5 }, repeat: "npx mnemo explore x --set a=1" },
    { name: "a=2", figures: { luts: 200, latency: 7, throughput: 9 }, repeat: "npx mnemo explore x --set a=2" },
    { name: "a=<3>", figures: { luts: 300, latency: 8, throughput: 9 }, repeat: "npx mnemo explore x --set a=3" },
  ];
  const html = explorePage("x", points, ["3 points"], ["a=4: no"]);
  it("has a drawing of each two goals that change, the front, and a command a point", () => {
    expect(html.split("<svg").length - 1).toBe(3);
    for (const p of points) expect(html).toContain(p.repeat);
    expect(html).toMatch(/a=&lt;3&gt;<\/th><td><\/td>/);
    expect(html).toMatch(/a=2<\/th><td>yes<\/td>/);
    expect(html).toContain("a=4: no");
  });
  it("a drawing joins the front of its own two axes; each point says what it is", () => {
    const [luts, , latency] = goals,
      svg = scatter(points, luts as never, latency as never);
    expect(svg.match(/<path class="line c0" d="M[\d.]+ [\d.]+L[\d.]+ [\d.]+"\/>/)).not.toBeNull();
    expect(svg).toContain("<title>a=&lt;3&gt;: 300 LUT, 8 cycles</title>");
    expect(svg).not.toContain("NaN");
  });
  it("one point alone is no division by nothing", () => {
    const [luts, , latency] = goals;
    expect(scatter(points.slice(0, 1), luts as never, latency as never)).not.toContain("NaN");
  });
});

describe("what cannot be", () => {
  it.each([
    [["nobody"], /'nobody' is invalid for argument 'design'/],
    [["clio", "--set", "tlbEntries"], /"tlbEntries" is no setting; write key=value/],
    [["clio", "--set", "tlbEntries=16,,64"], /has an empty value; write tlbEntries=a,b/],
    [["clio", "--set", "tlbEntries=16,16"], /has 16 twice; give it once/],
    [["clio", "--set", "tlbEntries=16,17"], /tlbEntries = "17": /],
    [["clio", "--set", "tlbEntrys=16"], /there is no setting "tlbEntrys"; did you mean tlbEntries\?/],
    [["clio", "--whole", "--only", "Tlb"], /leave one out/],
    [["frame-counter"], /frame-counter has no explore; its verbs are /],
    [["frame-counter", "--set", "a=1", "--measure", "area"], /there is no setting "a"; the only one is beatBytes/],
  ])("%j: one sentence, exit code 2, nothing is run", async (args, sentence) => {
    const { code, out, err } = await mnemo(["explore", ...args, "--out", join(folder, "none")]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(sentence);
    expect(err).toMatch(/^mnemo: [^\n]*\n$/);
  });
  it("too many points", () => {
    const many = Array.from({ length: 101 }, (_, i) => i).join();
    expect(() => valuesOf([`a=${many}`, `b=${many}`])).toThrow(/10201 points, more than 10000/);
  });
});

const long = process.env["MNEMO_LONG"] !== undefined;
// A point takes Yosys some seconds: one, or with MNEMO_LONG=1 two that differ.
it.skipIf(findTool(tools.yosys) === undefined)(
  "measures area at each point; the page has the command of each",
  async () => {
    const out = join(folder, "area"),
      set = `beatBytes=1${long ? ",64" : ""}`,
      args = ["explore", "frame-counter", "--set", set, "--measure", "area", "--out", out, "--slots", "1"];
    const { code, err } = await mnemo(args);
    expect([code, err]).toEqual([0, ""]);
    const report = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as {
      works: { figures: Record<string, { pieces: number; least: number; most: number }> }[];
    };
    const [work] = report.works,
      luts = work?.figures["luts"],
      levels = work?.figures["levels"];
    expect(luts?.pieces).toBe(long ? 2 : 1);
    expect(luts?.least).toBeGreaterThan(0);
    expect(levels?.least).toBeGreaterThan(0);
    if (long) expect(luts?.most).toBeGreaterThan(luts?.least ?? NaN);
    const page = readFileSync(join(out, "explore.html"), "utf8");
    expect(page).toContain("npx mnemo explore frame-counter --set beatBytes=1 --measure area --seed 1");
  },
);
