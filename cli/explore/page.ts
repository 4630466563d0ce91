/** A sweep as one HTML page: the points, the front, and the command of each. */
import { escape, readable } from "../figures/report/format.ts";
import { htmlTable, pageOf } from "../campaign/page.ts";
import { front, type Goal, sharedGoals } from "./pareto.ts";
import { scatter, type Spot } from "./scatter.ts";

export interface Measured extends Spot {
  readonly repeat: string;
}

/** Pairs of goals that are drawn: each that changes, against each other one. */
export function pairsOf(points: readonly Spot[], by: readonly Goal[]): readonly (readonly [Goal, Goal])[] {
  const changing = by.filter(g => new Set(points.map(p => p.figures[g.figure])).size > 1);
  return changing.flatMap((x, i) => changing.slice(i + 1).map(y => [x, y] as const));
}

/** All figures' names, the goals first. */
export const columnsOf = (points: readonly Spot[], by: readonly Goal[]): readonly string[] => [
  ...new Set([...by.map(g => g.figure), ...points.flatMap(p => Object.keys(p.figures))]),
];
export const rowOf = (p: Spot, columns: readonly string[], best: boolean): readonly string[] => [
  p.name,
  best ? "yes" : "",
  ...columns.map(c => (p.figures[c] === undefined ? "" : readable(p.figures[c]))),
];

/** @param points those that were measured @param facts sentences about the run @param missing points that failed */
export function explorePage(
  title: string,
  points: readonly Measured[],
  facts: readonly string[],
  missing: readonly string[],
): string {
  const figures = points.map(p => p.figures),
    by = sharedGoals(figures),
    best = front(figures, by),
    columns = columnsOf(points, by);
  const drawings = pairsOf(points, by).map(
    ([x, y]) =>
      `<figure><figcaption>${escape(`${y.label} by ${x.label}`)}</figcaption><div class="drawing">${scatter(points, x, y)}</div></figure>`,
  );
  return pageOf(
    title,
    `${facts.map(f => `<p>${escape(f)}</p>`).join("")}
<p>A point is on the front when no other is as good in ${escape(by.map(g => g.label).join(", "))} and better in one. Full circles are the front of a drawing's own two axes.</p>
<div class="plots">${drawings.join("")}</div>
<h3>Points</h3>${htmlTable(
      ["settings", "on the front", ...columns],
      points.map((p, i) => rowOf(p, columns, best[i] === true)),
    )}
<h3>One command a point</h3>${points.map(p => `<pre>${escape(p.repeat)}</pre>`).join("")}
${missing.length === 0 ? "" : `<h3>Not measured</h3><ul>${missing.map(m => `<li>${escape(m)}</li>`).join("")}</ul>`}`,
  );
}
