/** The report is a function of the set of results: whatever the order, the same bytes. */
import { describe, expect, it } from "vitest";
import { Random } from "../../../hdl-dsl/index.ts";
import { merge, type Report } from "../../../cli/campaign/merge.ts";
import { campaignPage } from "../../../cli/campaign/page.ts";
import { reportMarkdown } from "../../../cli/campaign/report.ts";
import { opened, type Result, sealed, verdicts } from "../../../cli/campaign/result.ts";
import { pieces, planHere, specOf } from "./support/here.ts";

const plan = planHere(specOf([pieces(40), { kind: "command", command: ["true"], count: 20 }]));
/** Seconds and figures whose sums depend on the order of their terms. */
function made(r: Random): readonly Result[] {
  return plan.pieces.map(({ index }) => {
    const verdict = verdicts[r.below(4)] ?? "passed";
    return {
      id: plan.id,
      index,
      verdict,
      attempts: 1 + r.below(2),
      seconds: r.fraction() * 10 ** r.below(9),
      problems: verdict === "passed" ? [] : [`problem of ${index}`],
      figures: { rate: r.fraction() * 1e6, ...(r.below(2) === 0 && { some: 0.1 * index }) },
      printed: verdict === "passed" ? "" : "the end",
    };
  });
}
function shuffled<T>(all: readonly T[], r: Random): readonly T[] {
  const left = [...all];
  return all.map(() => left.splice(r.below(left.length), 1)[0] as T);
}
type Merge = typeof merge;
const bytes = (report: Report, results: readonly Result[]): string =>
  JSON.stringify(report) + reportMarkdown(report) + campaignPage(report, results);
/** @throws when an order gives other bytes */
function sameInAnyOrder(by: Merge): void {
  const r = new Random(3),
    results = made(r),
    first = bytes(by(plan, results), results);
  for (let i = 0; i < 100; i++) {
    const order = shuffled(results, r);
    expect(bytes(by(plan, order), order) === first, `order ${i}`).toBe(true);
  }
}

describe("merge", () => {
  it("100 random orders give the same bytes of report, text and page", () => sameInAnyOrder(merge));
  const faults: readonly (readonly [string, Merge])[] = [
    [
      "seconds are added up as they come",
      (p, rs) => ({ ...merge(p, rs), seconds: rs.reduce((s, r) => s + r.seconds, 0) }),
    ],
    [
      "findings stand as they come",
      (p, rs) => {
        const m = merge(p, rs),
          place = (i: number): number => rs.findIndex(r => r.index === i);
        return { ...m, findings: m.findings.toSorted((a, b) => place(a.index) - place(b.index)) };
      },
    ],
    ["the first result gives its number", (p, rs) => ({ ...merge(p, rs), again: rs[0]?.index ?? 0 })],
  ];
  it.each(faults)("planted fault: %s", (_what, by) => {
    expect(() => sameInAnyOrder(by)).toThrow();
  });
  it("a piece that has two results counts once, whichever comes first", () => {
    const results = made(new Random(4)),
      [some] = results as [Result],
      twice = { ...some, seconds: some.seconds + 1, printed: "another machine" };
    const one = merge(plan, [twice, ...results]),
      other = merge(plan, [...results, twice]);
    expect(one).toEqual(other);
    expect(one.done).toBe(plan.pieces.length);
  });
  it("what is not there is not counted", () => {
    const results = made(new Random(5)).slice(0, 45),
      m = merge(plan, results);
    expect([m.done, m.pieces, ...m.works.map(w => `${w.count} of ${w.of}`)]).toEqual([45, 60, "40 of 40", "5 of 20"]);
    expect(Object.values(m.verdicts).reduce((a, b) => a + b)).toBe(45);
    expect(m.findings.map(f => f.index)).toEqual(results.filter(r => r.verdict !== "passed").map(r => r.index));
  });
});

describe("a result's file", () => {
  const [result] = made(new Random(6)) as [Result],
    text = sealed(result);
  it("is read as it was written", () => expect(opened(text, plan.id, 0)).toEqual(result));
  it("cut short anywhere, it is none", () => {
    for (let n = 0; n < text.length; n++) expect(opened(text.slice(0, n), plan.id, 0), `${n} letters`).toBeUndefined();
  });
  it("with any letter changed, it is none", () => {
    for (let n = 0; n < text.length; n++) {
      const changed = `${text.slice(0, n)}${text[n] === "7" ? "8" : "7"}${text.slice(n + 1)}`;
      expect(opened(changed, plan.id, 0), `letter ${n}`).toBeUndefined();
    }
  });
  it("of another campaign or another piece, it is none", () => {
    expect(opened(text, "0".repeat(16), 0)).toBeUndefined();
    expect(opened(text, plan.id, 1)).toBeUndefined();
  });
});
