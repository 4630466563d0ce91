/** Points over two goals as inline SVG: those of the front full and joined, the others hollow. */
import { escape, readable } from "../figures/report/format.ts";
import { areaFor, height, textWidth, underAxis, width } from "../figures/report/layout.ts";
import { mark, n } from "../figures/report/marks.ts";
import { linear, type Scale } from "../figures/report/scale.ts";
import { beats, type Figures, type Goal } from "./pareto.ts";

export interface Spot {
  readonly name: string;
  readonly figures: Figures;
}
/** Marks of figures/report/marks.ts: the full circle, and the hollow square. */
const onFront = 0,
  beaten = 1;

const axisText = (g: Goal): string => `${g.label} (${g.unit}; ${g.better} is better)`;

/** Steps of an axis: between whole numbers there is nothing to mark. */
const steps = (values: readonly number[], fit: number): number =>
  values.every(Number.isInteger) ? Math.max(1, Math.min(fit, Math.max(...values) - Math.min(...values))) : fit;

/**
 * Of these two goals alone: a point may be on the whole front and not on this one.
 * @param spots each has both figures
 */
export function scatter(spots: readonly Spot[], x: Goal, y: Goal): string {
  const of = (g: Goal) => spots.map(s => s.figures[g.figure] ?? NaN),
    xs = of(x),
    ys = of(y);
  const vertical = (from: number, to: number): Scale =>
      linear(Math.min(...ys), Math.max(...ys), from, to, steps(ys, 5)),
    area = areaFor(
      vertical(0, 1).ticks.map(t => t.label),
      1,
    ),
    down = vertical(area.y0, area.y1);
  const widest = Math.max(...xs.map(v => textWidth(readable(Math.round(v))))),
    fit = Math.max(2, Math.floor((area.x1 - area.x0) / (widest + 24))),
    along = linear(Math.min(...xs), Math.max(...xs), area.x0, area.x1, steps(xs, fit));
  const best = spots.filter(s => !spots.some(o => beats(o.figures, s.figures, [x, y]))),
    place = (s: Spot) => ({ x: along.place(s.figures[x.figure] ?? NaN), y: down.place(s.figures[y.figure] ?? NaN) });
  const line = best
    .map(place)
    .sort((a, b) => a.x - b.x || a.y - b.y)
    .map((p, i) => `${i === 0 ? "M" : "L"}${n(p.x)} ${n(p.y)}`)
    .join("");
  const marks = spots.map(s => {
    const p = place(s),
      says = `${s.name}: ${readable(s.figures[x.figure] ?? NaN)} ${x.unit}, ${readable(s.figures[y.figure] ?? NaN)} ${y.unit}`;
    return mark(best.includes(s) ? onFront : beaten, p.x, p.y, says);
  });
  const grid = down.ticks.map(
    t =>
      `<path class="grid" d="M${n(area.x0)} ${n(t.at)}H${n(area.x1)}"/><text class="y" x="${n(area.x0 - 8)}" y="${n(t.at + 5)}" text-anchor="end">${t.label}</text>`,
  );
  const under = along.ticks.map(
    t =>
      `<path class="tick" d="M${n(t.at)} ${n(area.y0)}v6"/><text class="x" x="${n(t.at)}" y="${n(area.y0 + underAxis.first)}" text-anchor="middle">${t.label}</text>`,
  );
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(`${axisText(y)} by ${axisText(x)}`)}">${grid.join("")}
<path class="axis" d="M${n(area.x0)} ${n(area.y1)}V${n(area.y0)}H${n(area.x1)}"/>${under.join("")}
<text class="label" x="${n((area.x0 + area.x1) / 2)}" y="${height - 8}" text-anchor="middle">${escape(axisText(x))}</text>
<text class="label" transform="translate(20 ${n((area.y0 + area.y1) / 2)}) rotate(-90)" text-anchor="middle">${escape(axisText(y))}</text>
<path class="line c0" d="${line}"/>${marks.join("")}</svg>`;
}
