import type { Claim, Figure, Plot, Series, Verdict } from "./schema.ts";

const short = (n: number): string => String(Number(n.toPrecision(4)));
const ys = (s: Series): number[] => s.points.map(p => p.y);

function named(plots: readonly Plot[], name: string): { readonly plot: Plot; readonly series: Series } {
  for (const plot of plots) for (const series of plot.series) if (series.name === name) return { plot, series };
  throw new RangeError(`a claim names the series "${name}", which the figure does not have`);
}

type Judged = Pick<Verdict, "holds" | "found">;

function flat({ series }: { readonly series: Series }, within: number): Judged {
  const least = Math.min(...ys(series)),
    most = Math.max(...ys(series)),
    spread = most / least - 1;
  return { holds: spread <= within, found: `${short(least)} to ${short(most)}: ${short(100 * spread)} % apart` };
}

function above(series: Series, base: Series, least: number, most: number): Judged {
  const rises = series.points.flatMap(p => {
    const b = base.points.find(q => q.x === p.x);
    return b ? [p.y - b.y] : [];
  });
  if (rises.length === 0) return { holds: false, found: "no x in common" };
  return {
    holds: rises.every(r => r >= least && r <= most),
    found: `${short(Math.min(...rises))} to ${short(Math.max(...rises))} more`,
  };
}

function within(series: Series, c: Extract<Claim, { kind: "within" }>): Judged {
  const inside = series.points.filter(p => typeof p.x === "number" && p.x >= c.from && p.x <= c.to).map(p => p.y);
  if (inside.length === 0) return { holds: false, found: `no point from ${c.from} to ${c.to}` };
  return {
    holds: inside.every(y => y >= c.least && y <= c.most),
    found: `${short(Math.min(...inside))} to ${short(Math.max(...inside))}`,
  };
}

function rising(series: Series, slack: number): Judged {
  const fall = series.points.slice(1).find((p, i) => p.y < (series.points[i]?.y ?? 0) * (1 - slack));
  return {
    holds: fall === undefined,
    found:
      fall === undefined
        ? `${short(ys(series)[0] ?? 0)} to ${short(ys(series).at(-1) ?? 0)}`
        : `falls at ${fall.x}, to ${short(fall.y)}`,
  };
}

function share(plot: Plot, names: readonly string[], at: string, least: number): Judged {
  const of = (series: readonly Series[]): number =>
    series.reduce((sum, s) => sum + (s.points.find(p => p.x === at)?.y ?? 0), 0);
  const part = of(plot.series.filter(s => names.includes(s.name))),
    whole = of(plot.series);
  return { holds: whole > 0 && part / whole >= least, found: `${short((100 * part) / whole)} % of ${short(whole)}` };
}

function tail(series: Series, c: Extract<Claim, { kind: "tail" }>): Judged {
  const at = (q: number): number => Number(series.points.find(p => p.y >= q)?.x ?? Number.NaN),
    low = at(c.low),
    high = at(c.high);
  return {
    holds: high <= c.most * low,
    found: `${short(high)} at ${100 * c.high} %, ${short(low)} at ${100 * c.low} %: ${short(high / low)} times`,
  };
}

/**
 * Whether a claim holds of these plots, and what was found. @throws RangeError when it names a series that is not there
 */
export function judge(plots: readonly Plot[], c: Claim): Judged {
  switch (c.kind) {
    case "flat":
      return flat(named(plots, c.series), c.within);
    case "above":
      return above(named(plots, c.series).series, named(plots, c.base).series, c.least, c.most);
    case "within":
      return within(named(plots, c.series).series, c);
    case "rising":
      return rising(named(plots, c.series).series, c.slack);
    case "share":
      return share(named(plots, c.series[0] ?? "").plot, c.series, c.at, c.least);
    case "tail":
      return tail(named(plots, c.series).series, c);
  }
}

/** The figure with each claim judged anew by its own series. */
export function judged(figure: Figure): Figure {
  return { ...figure, verdicts: figure.verdicts.map(v => ({ ...v, ...judge(figure.plots, v.claim) })) };
}
