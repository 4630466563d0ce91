/** The report of a campaign: a pure function of its pieces and of the set of their results. */
import { repeatOf } from "./repeat.ts";
import type { Plan } from "./plan.ts";
import { isFixed, type Work } from "./spec.ts";
import { type Result, type Verdict, verdicts } from "./result.ts";

/** A figure over the pieces that have it. */
export interface Spread {
  readonly pieces: number;
  readonly sum: number;
  readonly least: number;
  readonly most: number;
}
export interface Finding {
  readonly index: number;
  readonly title: string;
  readonly verdict: Verdict;
  readonly problems: readonly string[];
  readonly printed: string;
  /** The command for a laptop. */
  readonly repeat: string;
}
export interface WorkReport {
  readonly kind: string;
  /** Where its pieces' seeds begin. */
  readonly seed: number;
  readonly pieces: number;
  readonly done: number;
  /** How much of the count is done. */
  readonly count: number;
  readonly of: number;
  readonly seconds: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly figures: Readonly<Record<string, Spread>>;
}
export interface Report {
  readonly name: string;
  readonly about: string;
  readonly id: string;
  readonly state: string;
  readonly pieces: number;
  readonly done: number;
  /** Begun more than once. */
  readonly again: number;
  readonly seconds: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly works: readonly WorkReport[];
  readonly findings: readonly Finding[];
}

/** A work's name in the report; mutants of one design by its name. */
function nameOf(w: Work): string {
  if (!isFixed(w) || w.kind !== "mutants") return w.kind;
  const designs = new Set(w.modules.map(m => m.replace(/\/.*/, "")));
  return designs.size === 1 ? `${w.kind} of ${[...designs].join("")}` : w.kind;
}

const total = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const byVerdict = (results: readonly Result[]): Record<Verdict, number> =>
  Object.fromEntries(verdicts.map(v => [v, results.filter(r => r.verdict === v).length])) as Record<Verdict, number>;

function spreads(results: readonly Result[]): Record<string, Spread> {
  const values = new Map<string, number[]>();
  for (const r of results)
    for (const [name, v] of Object.entries(r.figures)) {
      const of = values.get(name);
      if (of) of.push(v);
      else values.set(name, [v]);
    }
  return Object.fromEntries(
    [...values]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, of]) => [
        name,
        {
          pieces: of.length,
          sum: total(of),
          least: of.reduce((a, b) => Math.min(a, b)),
          most: of.reduce((a, b) => Math.max(a, b)),
        },
      ]),
  );
}

/** @param results in any order, one of a piece or several of which the first counts */
export function merge(plan: Plan, results: readonly Result[]): Report {
  // Sums of fractions depend on their order, so there is one.
  const byIndex = new Map<number, Result>();
  for (const r of results.toSorted((a, b) => a.index - b.index || (sortKey(a) < sortKey(b) ? -1 : 1)))
    if (!byIndex.has(r.index)) byIndex.set(r.index, r);
  const all = [...byIndex.values()];
  const works = plan.spec.work.map((w, n): WorkReport => {
    const pieces = plan.pieces.filter(p => p.work === n),
      own = pieces.flatMap(p => byIndex.get(p.index) ?? []);
    return {
      kind: nameOf(w),
      seed: w.seed,
      pieces: pieces.length,
      done: own.length,
      count: total(pieces.map(p => (byIndex.has(p.index) ? p.count : 0))),
      of: total(pieces.map(p => p.count)),
      seconds: total(own.map(r => r.seconds)),
      verdicts: byVerdict(own),
      figures: spreads(own),
    };
  });
  return {
    name: plan.spec.name,
    about: plan.spec.about,
    id: plan.id,
    state: plan.state,
    pieces: plan.pieces.length,
    done: all.length,
    again: all.filter(r => r.attempts > 1).length,
    seconds: total(all.map(r => r.seconds)),
    verdicts: byVerdict(all),
    works,
    findings: all.flatMap(r => {
      const piece = plan.pieces[r.index];
      if (r.verdict === "passed" || piece === undefined) return [];
      const { index, verdict, problems, printed } = r;
      return [{ index, title: piece.title, verdict, problems, printed, repeat: repeatOf(plan, piece) }];
    }),
  };
}
const sortKey = (r: Result): string => JSON.stringify([r.seconds, r.verdict, r.attempts, r.printed, r.problems]);
