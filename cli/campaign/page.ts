/** A campaign as one HTML page that needs nothing else: style and drawings are inside. */
import type { Plot, Series } from "../../designs/shared/evaluation/index.ts";
import { escape, readable } from "../figures/report/format.ts";
import { style } from "../figures/report/style.ts";
import { svgOf } from "../figures/report/svg.ts";
import { shortState } from "./identity.ts";
import type { Finding, Report } from "./merge.ts";
import { duration } from "./progress.ts";
import { verdictLine, workHeads, workRow } from "./report.ts";
import { type Result, verdicts } from "./result.ts";

/** A curve of more points shows no more. */
const mostPoints = 200;
const sampled = <T>(all: readonly T[]): readonly T[] =>
  all.length <= mostPoints
    ? all
    : Array.from({ length: mostPoints }, (_, i) => all[Math.round((i * (all.length - 1)) / (mostPoints - 1))] as T);
const series = (name: string, points: Series["points"]): Series => ({ name, standing: "predicted", points });

/** The share of pieces that took no longer than x. */
function times(results: readonly Result[]): Plot {
  const sorted = results.map(r => r.seconds).sort((a, b) => a - b),
    points = sorted.map((x, i) => ({ x, y: (i + 1) / sorted.length }));
  return {
    title: "Seconds of a piece",
    kind: "steps",
    x: { label: "time of a piece", unit: "s", scale: "linear" },
    y: { label: "share of pieces up to this time", scale: "linear" },
    series: [series("pieces", [...sampled(points)])],
  };
}
function outcomes(r: Report): Plot {
  return {
    title: "What became of the pieces",
    kind: "bars",
    x: { label: "verdict", scale: "category" },
    y: { label: "number of pieces", scale: "linear" },
    series: [
      series(
        "pieces",
        verdicts.map(v => ({ x: v, y: r.verdicts[v] })),
      ),
    ],
  };
}
/** Figures that are drawn: the page is no table of numbers. */
const mostPlots = 6;
/** Each figure that differs among the pieces of a work, in their order. */
function figures({ works }: Report, results: readonly Result[]): readonly Plot[] {
  const plots = works.flatMap((w, n) => {
    const first = works.slice(0, n).reduce((sum, before) => sum + before.pieces, 0),
      own = results.filter(r => r.index >= first && r.index < first + w.pieces);
    return Object.entries(w.figures)
      .filter(([, s]) => s.pieces > 1 && s.least !== s.most)
      .map(([name]) => figure(`${w.kind}: ${name}, by piece`, name, own));
  });
  return plots.slice(0, mostPlots);
}
function figure(title: string, name: string, results: readonly Result[]): Plot {
  const points = results.flatMap(r => (r.figures[name] === undefined ? [] : [{ x: r.index, y: r.figures[name] }]));
  return {
    title,
    kind: "lines",
    x: { label: "number of the piece", scale: "linear" },
    y: { label: name, scale: "linear" },
    series: [series(name, [...sampled(points)])],
  };
}

const drawn = (p: Plot): string =>
  `<figure><figcaption>${escape(p.title)}</figcaption><div class="drawing">${svgOf(p)}</div></figure>`;
const cells = (row: readonly string[], tag: "th" | "td"): string =>
  `<tr>${row.map((c, i) => (tag === "td" && i === 0 ? `<th scope="row">${escape(c)}</th>` : `<${tag}>${escape(c)}</${tag}>`)).join("")}</tr>`;
export const htmlTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  `<div class="wide"><table><thead>${cells(head, "th")}</thead><tbody>${rows.map(r => cells(r, "td")).join("")}</tbody></table></div>`;

const finding = (f: Finding): string =>
  `<li><b>piece ${f.index}</b> ${escape(f.title)}: ${escape(f.verdict)}<ul>${f.problems.map(p => `<li>${escape(p)}</li>`).join("")}</ul><pre>${escape(f.repeat)}</pre>${f.printed === "" ? "" : `<details><summary>what it printed last</summary><pre>${escape(f.printed)}</pre></details>`}</li>`;

/** Around any page of campaigns. */
export const pageOf = (title: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escape(title)}</title><style>${style}
td,th{white-space:nowrap}pre{overflow-x:auto;background:var(--box);padding:.5rem;border-radius:6px;font-size:.85rem}</style></head><body><main>
<h1>${escape(title)}</h1>
${body}
</main></body></html>
`;

/** @param results of the report, in any order */
export function campaignPage(report: Report, results: readonly Result[]): string {
  const sorted = results.toSorted((a, b) => a.index - b.index),
    plots = sorted.length === 0 ? [] : [outcomes(report), times(sorted), ...figures(report, sorted)];
  const works = htmlTable(
    workHeads,
    report.works.map(w => workRow(w, readable)),
  );
  const figureTables = report.works.flatMap(w => {
    const rows = Object.entries(w.figures);
    return rows.length === 0
      ? []
      : [
          `<h3>Figures of ${escape(w.kind)}</h3>`,
          htmlTable(
            ["figure", "pieces", "sum", "least", "most"],
            rows.map(([name, s]) => [name, ...[s.pieces, s.sum, s.least, s.most].map(readable)]),
          ),
        ];
  });
  return pageOf(
    `Campaign ${report.name}`,
    `<p>${escape(report.about)}</p>
<p>Campaign ${report.id}, commit ${escape(shortState(report.state))}: ${report.done} of ${report.pieces} pieces, ${verdictLine(report.verdicts)}, ${duration(report.seconds)} of work.</p>
${works}
<div class="plots">${plots.map(drawn).join("")}</div>
${figureTables.join("\n")}
<section><h2>Findings</h2>${report.findings.length === 0 ? "<p>None.</p>" : `<ul>${report.findings.map(finding).join("")}</ul>`}</section>`,
  );
}
