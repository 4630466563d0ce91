import type { Plot } from "../../../designs/shared/evaluation/index.ts";

/** The names of a plot's series without what all of them begin with, up to a comma: the plot's title says it. */
export function shortNames({ series }: Plot): readonly string[] {
  const names = series.map(s => s.name),
    first = names[0] ?? "",
    end = first.indexOf(", ") + 2;
  return end > 2 && names.length > 1 && names.every(n => n.startsWith(first.slice(0, end)))
    ? names.map(n => n.slice(end))
    : names;
}

/**
 * Of each series the first one before it that it lies on: at each of its points within a two-hundredth of the plot's
 * height. Of curves only: bars stand beside each other.
 */
export function sameAs({ series, kind }: Plot): readonly (number | undefined)[] {
  const near = Math.max(...series.flatMap(s => s.points.map(p => Math.abs(p.y)))) / 200;
  return series.map((s, i) => {
    const found =
      kind === "lines"
        ? series.slice(0, i).findIndex(
            t =>
              t.points.length === s.points.length &&
              s.points.every((p, k) => {
                const q = t.points[k];
                return q?.x === p.x && Math.abs(q.y - p.y) <= near;
              }),
          )
        : -1;
    return found < 0 ? undefined : found;
  });
}
