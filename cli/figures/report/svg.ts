import type { Plot, Series } from "../../../designs/shared/evaluation/index.ts";
import { axisText } from "./axis-text.ts";
import { escape, readable } from "./format.ts";
import { type Area, areaFor, fonts, height, textWidth, underAxis, width } from "./layout.ts";
import { colour, dash, mark, n } from "./marks.ts";
import { sameAs, shortNames } from "./names.ts";
import { between, linear, log2, type Scale } from "./scale.ts";

const says = (s: Series, x: number | string, y: number): string =>
  `${s.name}: ${typeof x === "number" ? readable(x) : x}, ${readable(y)}`;

interface Spot {
  readonly x: number;
  readonly y: number;
}

function curve(s: Series, i: number, at: readonly Spot[], bottom: number | undefined): string {
  const path = at
    .map(({ x, y }, k) =>
      bottom === undefined
        ? `${k === 0 ? "M" : "L"}${n(x)} ${n(y)}`
        : k === 0
          ? `M${n(x)} ${n(bottom)}V${n(y)}`
          : `H${n(x)}V${n(y)}`,
    )
    .join("");
  const marks =
    bottom === undefined
      ? at
          .map(({ x, y }, k) => {
            const p = s.points[k];
            return p === undefined ? "" : mark(i, x, y, says(s, p.x, p.y));
          })
          .join("")
      : "";
  return `<path class="line ${colour(i)}"${dash(i)} d="${path}"/>${marks}`;
}

function bars({ series, kind }: Plot, names: readonly string[], { x0, x1 }: Area, y: Scale): string {
  const slot = (x1 - x0) / names.length,
    stacked = kind === "stacked",
    side = stacked ? 1 : series.length,
    each = Math.min((slot * 0.8) / side, 64);
  return names
    .map((name, k) => {
      const start = x0 + (k + 0.5) * slot - (each * side) / 2;
      let below = 0;
      return series
        .map((s, i) => {
          const v = s.points.find(p => p.x === name)?.y;
          if (v === undefined) return "";
          const from = stacked ? below : 0,
            bottom = y.place(from),
            top = y.place(from + v),
            x = start + (stacked ? 0 : i * each),
            number = readable(Math.round(v * 10) / 10);
          below += v;
          const value =
            !stacked && textWidth(number, "value") <= each
              ? `<text class="value" x="${n(x + each / 2)}" y="${n(top - 4)}" text-anchor="middle">${number}</text>`
              : "";
          return `<rect class="bar ${colour(i)}" x="${n(x + 0.5)}" y="${n(top)}" width="${n(each - 1)}" height="${n(bottom - top)}"><title>${escape(says(s, name, v))}</title></rect>${value}`;
        })
        .join("");
    })
    .join("");
}

/**
 * A line at a number that the paper gives, with its words where the fewest points are: at either end, above or below.
 */
function reference(text: string, y: number, { x0, x1, y1 }: Area, spots: readonly Spot[]): string {
  const room = textWidth(text),
    tall = fonts.phone.text,
    places = [false, true].flatMap(right => [false, true].map(under => ({ right, under })));
  const hits = ({ right, under }: (typeof places)[number]): number =>
    (!under && y - tall - 4 < y1 - 14 ? 1000 : 0) +
    spots.filter(
      p =>
        (right ? p.x > x1 - room - 12 : p.x < x0 + room + 12) &&
        (under ? p.y > y - 4 && p.y < y + tall + 10 : p.y < y + 4 && p.y > y - tall - 10),
    ).length;
  const best = places.reduce((a, b) => (hits(b) < hits(a) ? b : a));
  return `<path class="reference" stroke-dasharray="1 3" d="M${n(x0)} ${n(y)}H${n(x1)}"/><text class="says" x="${n(best.right ? x1 - 4 : x0 + 6)}" y="${n(best.under ? y + tall : y - 5)}" text-anchor="${best.right ? "end" : "start"}">${escape(text)}</text>`;
}

/** The name under a group of bars, in one line or two. */
function category(name: string, x: number, y0: number, lines: number): string {
  const [first = "", ...rest] = name.split(" "),
    parts = lines > 1 && rest.length > 0 ? [first, rest.join(" ")] : [name];
  return parts
    .map(
      (line, i) =>
        `<text x="${n(x)}" y="${n(y0 + underAxis.first + underAxis.next * i)}" text-anchor="middle">${escape(line)}</text>`,
    )
    .join("");
}

function horizontalOf({ x, series }: Plot, { x0, x1 }: Area): Scale | undefined {
  if (x.scale === "category") return undefined;
  if (x.ticks !== undefined) return between(x.ticks, x.scale === "log2", x0, x1);
  const numbers = series.flatMap(s => s.points.map(p => Number(p.x))),
    low = Math.min(...numbers),
    high = Math.max(...numbers);
  if (x.scale === "log2") {
    const widest = Math.max(...log2(low, high, 0, 1, Infinity).ticks.map(t => textWidth(t.label)));
    return log2(low, high, x0, x1, Math.floor((x1 - x0) / (widest + 8)));
  }
  const fit = Math.floor((x1 - x0) / (textWidth("0000") + 8));
  // Between whole numbers there is nothing to mark.
  const wanted = numbers.every(Number.isInteger) ? Math.max(1, Math.min(fit, high - low)) : fit;
  return linear(low, high, x0, x1, wanted);
}

/**
 * A plot as inline SVG: colours by class, so that the page's style decides them, light or dark. Series differ by marks
 * and order, too.
 */
export function svgOf(plot: Plot): string {
  const { x, y, series, kind, references = [] } = plot,
    all = series.flatMap(s => s.points),
    names = [...new Set(all.map(p => String(p.x)))];
  const sums = names.map(name => all.filter(p => String(p.x) === name).reduce((sum, p) => sum + p.y, 0)),
    marked = references.map(r => r.at);
  const highest = Math.max(...marked, ...(kind === "stacked" ? sums : all.map(p => p.y))),
    lowest = Math.min(0, ...all.map(p => p.y));
  const verticalIn = (from: number, to: number): Scale =>
    linear(lowest, kind === "bars" ? highest * 1.1 : highest, from, to);
  // Where one name would run into the next, all are broken.
  const left = areaFor(
      verticalIn(0, 1).ticks.map(t => t.label),
      1,
    ),
    slot = (left.x1 - left.x0) / names.length;
  const lines = x.scale === "category" && names.some(name => textWidth(name) + 6 > slot) ? 2 : 1,
    area = areaFor(
      verticalIn(0, 1).ticks.map(t => t.label),
      lines,
    ),
    { x0, x1, y0, y1 } = area;
  const vertical = verticalIn(y0, y1),
    horizontal = horizontalOf(plot, area);
  const grid = vertical.ticks
    .map(
      ({ at, label }) =>
        `<path class="grid" d="M${n(x0)} ${n(at)}H${n(x1)}"/><text class="y" x="${n(x0 - 8)}" y="${n(at + 5)}" text-anchor="end">${label}</text>`,
    )
    .join("");
  const under =
    horizontal?.ticks
      .map(
        ({ at, label }) =>
          `<path class="tick" d="M${n(at)} ${n(y0)}v${label === "" ? 3 : 6}"/>${
            label === ""
              ? ""
              : `<text class="x" x="${n(at)}" y="${n(y0 + underAxis.first)}" text-anchor="middle">${label}</text>`
          }`,
      )
      .join("") ?? names.map((name, k) => category(name, x0 + (k + 0.5) * slot, y0, lines)).join("");
  const spots =
    horizontal === undefined
      ? []
      : series.map(s => s.points.map(p => ({ x: horizontal.place(Number(p.x)), y: vertical.place(p.y) })));
  const body =
    horizontal === undefined
      ? bars(plot, names, area, vertical)
      : series.map((s, i) => curve(s, i, spots[i] ?? [], kind === "steps" ? y0 : undefined)).join("");
  const said = references.map(r => reference(r.says, vertical.place(r.at), area, spots.flat())).join("");
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(`${plot.title}: ${axisText(y)} by ${axisText(x)}`)}">${grid}
<path class="axis" d="M${n(x0)} ${n(y1)}V${n(y0)}H${n(x1)}"/>${under}
<text class="label" x="${n((x0 + x1) / 2)}" y="${height - 8}" text-anchor="middle">${escape(axisText(x))}</text>
<text class="label" transform="translate(20 ${n((y0 + y1) / 2)}) rotate(-90)" text-anchor="middle">${escape(axisText(y))}</text>
${body}${said}</svg>`;
}

/**
 * The key of a plot: as HTML, so that it wraps. `mixed`: the figure's series came about in different ways, and each
 * says how. A series that lies on another one says so.
 */
export function keyOf(plot: Plot, mixed: boolean): string {
  const { series, kind } = plot,
    names = shortNames(plot),
    same = sameAs(plot);
  const line = (i: number): string => `<path class="line ${colour(i)}"${dash(i)} d="M0 9H34"/>`;
  const sign = (i: number): string =>
      kind === "lines"
        ? `${line(i)}${mark(i, 17, 9)}`
        : kind === "steps"
          ? line(i)
          : `<rect class="bar ${colour(i)}" x="1" y="3" width="13" height="13"/>`,
    wide = kind === "lines" || kind === "steps" ? 34 : 15;
  const found = (text: string): string => ` <span class="found">${escape(text)}</span>`;
  return `<ul class="key">${series
    .map(
      (s, i) =>
        `<li><svg viewBox="0 0 ${wide} 18" width="${wide}" height="18" aria-hidden="true">${sign(i)}</svg><span>${escape(names[i] ?? "")}${mixed ? found(s.standing) : ""}${
          same[i] === undefined ? "" : found(`same as ${names[same[i]] ?? ""}`)
        }</span></li>`,
    )
    .join("")}</ul>`;
}
