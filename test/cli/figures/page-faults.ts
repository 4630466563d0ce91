/** Faults of a page of figures, by its text alone: no browser is needed. */
import type { Figure, Plot, Report } from "../../../designs/shared/evaluation/index.ts";
import { escape } from "../../../cli/figures/report/format.ts";

/** Least contrast of text, and of lines and bars, to what they stand on: WCAG 2.1, 1.4.3 and 1.4.11. */
const textContrast = 4.5,
  lineContrast = 3;

/** Relative luminance of #rrggbb, 0 to 1, by WCAG 2.1. */
function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(i => Number.parseInt(colour.slice(i, i + 2), 16) / 255)
    .map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
/** Contrast of two colours, 1 to 21. */
export function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

type Colours = ReadonlyMap<string, string>;
/** The page's colours in light and in dark, as its style declares them. */
function appearances(html: string): Readonly<Record<"light" | "dark", Colours>> {
  const colours = (css: string | undefined): Colours =>
    new Map([...(css ?? "").matchAll(/--(\w+):(#[0-9a-f]{6})/g)].map(([, name = "", c = ""]) => [name, c]));
  return {
    light: colours(/<style>:root\{([^}]*)\}/.exec(html)?.[1]),
    dark: colours(/@media screen and \(prefers-color-scheme:dark\)\{:root\{([^}]*)\}/.exec(html)?.[1]),
  };
}

/** Each text colour on the page and on a box of it, each line's on the box. */
function faintIn(html: string): string[] {
  return Object.entries(appearances(html)).flatMap(([name, colours]) => {
    const on = (text: string, ground: string, least: number): string[] => {
      const a = colours.get(text),
        b = colours.get(ground),
        found = a === undefined || b === undefined ? 0 : contrast(a, b);
      return found >= least
        ? []
        : [`${name}: --${text} on --${ground} has a contrast of ${found.toFixed(2)}, less than ${least}`];
    };
    const lines = [...html.matchAll(/\.line\.(c\d)\{stroke:var\(--\1\)\}/g)].map(([, c = ""]) => c);
    return [
      ...(lines.length === 0 ? ["the style has no colour for any series"] : []),
      ...["text", "soft", "good", "bad", "amber", "link"].flatMap(t =>
        ["page", "box"].flatMap(g => on(t, g, textContrast)),
      ),
      ...lines.flatMap(l => on(l, "box", lineContrast)),
    ];
  });
}

interface Box {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
}
interface Font {
  readonly text: number;
  readonly value: number;
}

/** Sizes of the drawings' text, on a page and on a phone. */
function fontsIn(html: string): readonly Font[] {
  return [...html.matchAll(/svg text\{font-size:(\d+)px\}svg text\.value\{font-size:(\d+)px\}/g)].map(
    ([, text, value]) => ({ text: Number(text), value: Number(value) }),
  );
}

/**
 * Places of the texts of a drawing. A character is taken for 0.6 of its font wide, a line for 0.75 of it high above the
 * baseline and 0.2 below.
 */
function boxesOf(svg: string, fonts: Font): Box[] {
  return [...svg.matchAll(/<text([^>]*)>([^<]*)<\/text>/g)].map(([, attributes = "", text = ""]) => {
    const of = (name: string): string => new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? "",
      size = of("class") === "value" ? fonts.value : fonts.text;
    const wide = text.replace(/&\w+;/g, "&").length * 0.6 * size,
      turned = /translate\(([\d.]+) ([\d.]+)\) rotate\(-90\)/.exec(attributes);
    if (turned)
      return {
        text,
        x0: Number(turned[1]) - 0.75 * size,
        x1: Number(turned[1]) + 0.2 * size,
        y0: Number(turned[2]) - wide / 2,
        y1: Number(turned[2]) + wide / 2,
      };
    const x = Number(of("x")),
      y = Number(of("y")),
      x0 = { start: x, middle: x - wide / 2, end: x - wide }[of("text-anchor")] ?? Number.NaN;
    return { text, x0, x1: x0 + wide, y0: y - 0.75 * size, y1: y + 0.2 * size };
  });
}

/** Texts that are cut off, and pairs that run into each other. */
function crowdedIn(svg: string, fonts: Font): string[] {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? [],
    boxes = boxesOf(svg, fonts);
  return boxes.flatMap((a, i) => [
    ...(a.x0 >= 0 && a.y0 >= 0 && a.x1 <= Number(width) && a.y1 <= Number(height)
      ? []
      : [`"${a.text}" is cut off at ${fonts.text} px`]),
    ...boxes
      .slice(i + 1)
      .filter(b => a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1)
      .map(b => `"${a.text}" and "${b.text}" overlap at ${fonts.text} px`),
  ]);
}

/** An axis' text with its unit, as the drawing and the table are to have it. */
const said = ({ label, unit }: Plot["x"]): string => escape(unit === undefined ? label : `${label} (${unit})`);

function plotFaults(plot: Plot, drawn: string, fonts: readonly Font[]): string[] {
  const svg = /<div class="drawing">(<svg.*?<\/svg>)/s.exec(drawn)?.[1] ?? "",
    texts = [...svg.matchAll(/<text class="(\w*)"[^>]*>([^<]*)</g)],
    labels = texts.filter(([, c]) => c === "label").map(([, , t]) => t);
  const faults = [plot.x, plot.y].filter(a => !labels.includes(said(a))).map(a => `no axis says "${said(a)}"`);
  if (texts.filter(([, c]) => c === "y").length < 2) faults.push("the vertical axis has fewer than two numbers");
  if (plot.x.scale !== "category" && texts.filter(([, c]) => c === "x").length < 2)
    faults.push("the horizontal axis has fewer than two numbers");
  const points = plot.series.reduce((n, s) => n + s.points.length, 0);
  // Each point has a title for the pointer; a distribution is a line.
  if (plot.kind !== "steps" && svg.split("<title>").length - 1 !== points)
    faults.push(`${svg.split("<title>").length - 1} of ${points} points are drawn`);
  if (plot.kind === "steps" && svg.split('<path class="line').length - 1 !== plot.series.length)
    faults.push("not every curve is drawn");
  for (const r of plot.references ?? [])
    if (!texts.some(([, c, t]) => c === "says" && t === escape(r.says)))
      faults.push(`the line "${r.says}" has no words`);
  const key = /<ul class="key">(.*?)<\/ul>/s.exec(drawn)?.[1] ?? "";
  if (key.split("<li>").length - 1 !== plot.series.length)
    faults.push(`the key names ${key.split("<li>").length - 1} of ${plot.series.length} series`);
  const body = /<tbody>(.*?)<\/tbody>/s.exec(drawn)?.[1] ?? "",
    rows = body.split("<tr>").slice(1);
  if (rows.length === 0 || rows.some(r => r.split("<td>").length - 1 !== plot.series.length))
    faults.push("the table does not have every number");
  if (!drawn.includes(`>${said(plot.kind === "steps" ? plot.x : plot.y)}</th>`))
    faults.push("the table does not say what its numbers are");
  for (const [, x, y] of svg.matchAll(/<(?:circle|rect)[^>]*\bc?x="([-\d.]+)" c?y="([-\d.]+)"/g))
    if (!(Number(x) >= 0 && Number(x) <= 560 && Number(y) >= 0 && Number(y) <= 330))
      faults.push(`a mark lies at ${x}, ${y}`);
  return [...faults, ...fonts.flatMap(f => crowdedIn(svg, f))];
}

function figureFaults(f: Figure, html: string, fonts: readonly Font[]): string[] {
  const section = new RegExp(`<section id="f${f.number.replace(".", "\\.")}">.*?</section>`, "s").exec(html)?.[0];
  if (section === undefined) return ["it is not on the page"];
  const faults = [],
    drawn = section.split("<figure>").slice(1);
  if (!html.includes(`href="#f${f.number}"`)) faults.push("it is not among the contents");
  if (!section.includes(`<span class="badge ${f.standing.replace(" ", "-")}">${f.standing}</span>`))
    faults.push("it does not say how it came about");
  if (
    f.paper.length === 0 ||
    f.paper.some(p => !section.includes(`<blockquote>${escape(p.quote)} <cite>§${p.section}</cite>`))
  )
    faults.push("the paper's words are missing");
  if (f.plots.length === 0 && !f.notes.every(n => section.includes(escape(n))))
    faults.push("it does not say why it is not modelled");
  if (drawn.length !== f.plots.length) faults.push(`${drawn.length} of ${f.plots.length} plots are drawn`);
  return [...faults, ...f.plots.flatMap((p, i) => plotFaults(p, drawn[i] ?? "", fonts))];
}

/** All that is wrong with the page of a report; empty when it is whole. */
export function faultsOf(html: string, report: Report): string[] {
  const fonts = fontsIn(html);
  return [
    ...(fonts.length === 2 ? [] : ["the drawings' text does not have a size for a page and one for a phone"]),
    ...(html.includes("@media print") ? [] : ["there is no style for print"]),
    ...faintIn(html),
    ...report.figures.flatMap(f => figureFaults(f, html, fonts).map(fault => `figure ${f.number}: ${fault}`)),
  ];
}
