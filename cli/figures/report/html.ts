import type { FigureHook } from "../../../designs/shared/command-line/index.ts";
import type { Figure, Plot, Report } from "../../../designs/shared/evaluation/index.ts";
import { axisText } from "./axis-text.ts";
import { escape, readable } from "./format.ts";
import { shortNames } from "./names.ts";
import { style } from "./style.ts";
import { keyOf, svgOf } from "./svg.ts";

const list = (items: readonly string[], kind = ""): string =>
  items.length === 0 ? "" : `<ul${kind}>${items.map(i => `<li>${i}</li>`).join("")}</ul>`;

/**
 * A table that scrolls where it is too wide. The first cell of a row is its name; `text`: the columns whose
 * cells are words.
 */
function textTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  text: readonly number[] = [],
): string {
  const left = (i: number): string => (text.includes(i) ? ` class="text"` : "");
  return `<div class="wide"><table><thead><tr>${columns.map((c, i) => `<th scope="col"${left(i)}>${escape(c)}</th>`).join("")}</tr></thead><tbody>${rows
    .map(
      r =>
        `<tr>${r.map((c, i) => (i === 0 ? `<th scope="row">${escape(c)}</th>` : `<td${left(i)}>${escape(c)}</td>`)).join("")}</tr>`,
    )
    .join("")}</tbody></table></div>`;
}

/**
 * The numbers of a plot: a row for each x, a column for each series. A distribution is shown by a few
 * of its percentiles.
 */
function tableOf(plot: Plot): string {
  const { x, y, series, kind } = plot,
    distribution = kind === "steps";
  const row = (name: string, cells: readonly (number | undefined)[]): string =>
    `<tr><th scope="row">${escape(name)}</th>${cells.map(c => `<td>${c === undefined ? "" : readable(Math.round(c * 100) / 100)}</td>`).join("")}</tr>`;
  const rows = distribution
    ? [0.01, 0.5, 0.9, 0.99, 0.999, 1].map(q =>
        row(
          `${readable(q * 100)} %`,
          series.map(s => Number(s.points.find(p => p.y >= q - 1e-9)?.x)),
        ),
      )
    : [...new Set(series.flatMap(s => s.points.map(p => p.x)))].map(v =>
        row(
          typeof v === "number" ? readable(v) : v,
          series.map(s => s.points.find(p => p.x === v)?.y),
        ),
      );
  const [rowsAre, cellsAre] = distribution ? ["share", axisText(x)] : [axisText(x), axisText(y)],
    names = shortNames(plot);
  return `<div class="wide"><table><thead><tr><th scope="col" rowspan="2">${escape(rowsAre)}</th><th class="of" scope="colgroup" colspan="${names.length}">${escape(cellsAre)}</th></tr><tr>${names
    .map(c => `<th scope="col">${escape(c)}</th>`)
    .join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
}

function plotOf(plot: Plot, mixed: boolean): string {
  return `<figure><figcaption>${escape(plot.title)}</figcaption><div class="drawing">${svgOf(plot)}${keyOf(plot, mixed)}</div><details open><summary>Numbers</summary>${tableOf(plot)}</details></figure>`;
}

const badge = (f: Pick<Figure, "standing">): string =>
  `<span class="badge ${f.standing.replace(" ", "-")}">${f.standing}</span>`;

function section(f: Figure): string {
  const quotes = f.paper
    .map(p => `<blockquote>${escape(p.quote)} <cite>§${escape(p.section)}</cite></blockquote>`)
    .join("");
  const verdicts = f.verdicts
    .map(
      v =>
        `<li class="${v.holds ? "holds" : "fails"}"><b>${v.holds ? "holds" : "does not hold"}</b> ${escape(v.says)} <span class="found">${escape(v.found)}</span></li>`,
    )
    .join("");
  const given = f.given.map(
    g => `<b>${escape(g.what)}</b>: ${escape(g.value)} <span class="found">${escape(g.source)}</span>`,
  );
  const mixed = new Set(f.plots.flatMap(p => p.series.map(s => s.standing))).size > 1;
  const own = f.table && textTable(f.table.columns, f.table.rows);
  return `<section id="f${f.number}"><h2>${f.number} ${escape(f.title)} ${badge(f)} <a class="up" href="#contents">contents</a></h2>
<div class="said"><h3>The paper</h3>${quotes}</div>
${f.plots.length === 0 ? "" : `<div class="plots">${f.plots.map(p => plotOf(p, mixed)).join("")}</div>`}${own ?? ""}
${verdicts === "" ? "" : `<h3>What it shows</h3><ul class="verdicts">${verdicts}</ul>`}
${
  f.sizes.length === 0
    ? ""
    : `<h3>Sizes</h3>${textTable(
        ["", "the paper", "here"],
        f.sizes.map(s => [s.what, s.paper, s.here]),
        [1, 2],
      )}`
}
${given.length === 0 ? "" : `<h3>Put into the models</h3>${list(given)}`}
${f.notes.length === 0 ? "" : `<h3>${f.plots.length === 0 ? "Why not" : "Notes"}</h3>${list(f.notes.map(escape))}`}</section>`;
}

/** Contents of the chapter outside of the figures. */
function besidesOf(besides: Report["besides"]): string {
  if (besides.length === 0) return "";
  const items = besides.map(
    b =>
      `<h3>${escape(b.what)}${b.standing === undefined ? "" : ` ${badge({ standing: b.standing })}`}</h3><blockquote>${escape(b.quote)} <cite>§${escape(b.section)}</cite></blockquote><p>${escape(b.here)}</p>`,
  );
  return `<section id="besides"><h2>What else the chapter has <a class="up" href="#contents">contents</a></h2>${items.join("\n")}</section>`;
}

const extents: Readonly<Record<Report["extent"], string>> = {
  quick: "; quick: few points and samples",
  usual: "",
  full: "; full: entries and operations as many as the paper's, where a figure says so",
};

/** The page's title and introduction, when no design has them. */
const nameless: About = { title: "Figures of the paper", introduction: "" };
type About = Pick<FigureHook, "title" | "introduction">;

/** The report as one page that needs nothing else: style and drawings are inside. */
export function htmlOf(
  { figures, besides, seed, extent }: Report,
  { title: name, introduction }: About = nameless,
): string {
  const count = (standing: Figure["standing"]): number => figures.filter(f => f.standing === standing).length,
    verdicts = figures.flatMap(f => f.verdicts);
  const line = (id: string, name: string, title: string, mark: string, holds: string): string =>
    `<tr><th scope="row"><a href="#${id}">${name}</a></th><td class="text"><a href="#${id}">${escape(title)}</a></td><td class="text">${mark}</td><td>${holds}</td></tr>`;
  const contents = figures
    .map(f =>
      line(
        `f${f.number}`,
        f.number,
        f.title,
        badge(f),
        f.verdicts.length === 0 ? "" : `${f.verdicts.filter(v => v.holds).length} of ${f.verdicts.length}`,
      ),
    )
    .join("");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${name}, in simulation</title><style>${style}</style></head><body><main>
<h1>${name}, in cycle-accurate simulation</h1>
<p>${introduction}</p>
<ul><li>${badge({ standing: "predicted" })} cycles of this hardware</li><li>${badge({ standing: "calibrated" })} with latencies that were put into a model, named under each figure</li>
<li>${badge({ standing: "not modelled" })} neither, with the reason</li></ul>
<p>${count("predicted")} predicted, ${count("calibrated")} calibrated, ${count("not modelled")} not modelled; ${verdicts.filter(v => v.holds).length} of ${verdicts.length} claims hold. Seed ${seed}${extents[extent]}.</p>
<nav class="wide" id="contents" aria-label="Contents"><table class="contents"><thead><tr><th scope="col">figure</th><th scope="col" class="text">title</th><th scope="col" class="text">standing</th><th scope="col">claims that hold</th></tr></thead><tbody>${
    contents
  }${besides.length === 0 ? "" : line("besides", "others", "What else the chapter has", "", "")}</tbody></table></nav>
${figures.map(section).join("\n")}
${besidesOf(besides)}
</main></body></html>
`;
}
