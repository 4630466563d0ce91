/** Findings, as rows of a table. */
import type { Property, Proved } from "../../sim/index.ts";
import type { Checked } from "./check.ts";

export const heading = ["module", "property", "verdict", "engine", "holds for", "s"] as const;
export const alignment = "lllllr";

/**
 * One row per assertion, cover and planted fault; an assertion that the harness makes of several streams stands
 * there for each.
 */
export function rows(c: Checked): string[][] {
  const { result } = c,
    seconds = result.seconds.toFixed(1);
  const claims =
    result.assertions.length === 0
      ? [["(no assertion)", "NOTHING TO PROVE", "-", "-"]]
      : result.assertions.map(p => [p.message, ...verdictOf(result, p)]);
  const covers = result.covers.map(v => [
    `cover: ${v.property.message}`,
    v.cycle === undefined ? "NOT REACHED" : "reached",
    "smtbmc",
    v.cycle === undefined ? "-" : `cycle ${v.cycle}`,
  ]);
  const faults = c.faults.map(f => [
    `fault: ${f.what}`,
    f.by === undefined ? "NOT CAUGHT" : "caught",
    "-",
    f.by === undefined ? "-" : `fails: ${f.by}`,
  ]);
  return [...claims, ...covers, ...faults].map((r, i) => [i === 0 ? c.proof.module : "", ...r, i === 0 ? seconds : ""]);
}

function verdictOf(r: Proved, p: Property): [verdict: string, engine: string, bound: string] {
  const engine = r.engine ?? "-";
  switch (r.finding.verdict) {
    case "proved":
      return ["proved", engine, `ever: ${r.finding.how}`];
    case "bounded":
      return ["no counterexample", engine, `up to ${r.finding.cycles} cycles`];
    case "failed": {
      const cycles = (r.counterexample?.inputs.length ?? 1) - 1;
      return r.counterexample?.property === p
        ? ["FAILED", engine, `fails within ${cycles} cycles`]
        : ["not decided", "-", "-"];
    }
    case "unknown":
      return ["UNKNOWN", "-", `${r.finding.holdsFor} cycles (${r.finding.why})`];
  }
}
