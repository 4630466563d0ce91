import type { Plot, Series } from "../form/schema.ts";
import { escape, readable } from "./format.ts";
import { shortNames } from "./names.ts";
import { linear, log2, type Scale } from "./scale.ts";

const width = 640, height = 300, left = 66, right = 14, top = 12, bottom = 46;
const area = { x0: left, x1: width - right, y0: height - bottom, y1: top };
const shapes = ["circle", "square", "triangle", "diamond", "cross"] as const;

const n = (v: number): string => String(Number(v.toFixed(1)));

/** A mark at a place: colours alone do not tell series apart. */
function mark(i: number, x: number, y: number, title: string): string {
  const r = 3.6, t = `<title>${escape(title)}</title>`, c = `class="mark c${i % 8}"`;
  switch (shapes[i % shapes.length]) {
    case "square": return `<rect ${c} x="${n(x - r)}" y="${n(y - r)}" width="${2 * r}" height="${2 * r}">${t}</rect>`;
    case "triangle": return `<path ${c} d="M${n(x)} ${n(y - r - 1)}l${r + 1} ${2 * r}h${-2 * (r + 1)}z">${t}</path>`;
    case "diamond": return `<path ${c} d="M${n(x)} ${n(y - r - 1)}l${r + 1} ${r + 1}l${-r - 1} ${r + 1}l${-r - 1} ${-r - 1}z">${t}</path>`;
    case "cross": return `<path class="line c${i % 8}" d="M${n(x - r)} ${n(y - r)}l${2 * r} ${2 * r}m${-2 * r} 0l${2 * r} ${-2 * r}">${t}</path>`;
    default: return `<circle ${c} cx="${n(x)}" cy="${n(y)}" r="${r}">${t}</circle>`;
  }
}
const says = (s: Series, x: number | string, y: number): string => `${s.name}: ${typeof x === "number" ? readable(x) : x}, ${readable(y)}`;

/** Every second curve is dashed: one that lies under it shows through. */
const dash = (i: number): string => (i % 2 === 1 ? ` stroke-dasharray="9 6"` : "");

function curve(s: Series, i: number, x: Scale, y: Scale, steps: boolean): string {
  const at = s.points.map((p) => ({ ...p, px: x.place(Number(p.x)), py: y.place(p.y) }));
  const path = at.map(({ px, py }, k) => (k === 0 ? `M${n(px)} ${n(steps ? area.y0 : py)}${steps ? `V${n(py)}` : ""}` : steps ? `H${n(px)}V${n(py)}` : `L${n(px)} ${n(py)}`)).join("");
  return `<path class="line c${i % 8}"${dash(i)} d="${path}"/>${steps ? "" : at.map((p) => mark(i, p.px, p.py, says(s, p.x, p.y))).join("")}`;
}

function bars({ series, kind }: Plot, names: readonly string[], y: Scale): string {
  const slot = (area.x1 - area.x0) / names.length, stacked = kind === "stacked", wide = slot * 0.76 / (stacked ? 1 : series.length), each = Math.min(wide, 64);
  return names.map((name, k) => {
    const middle = area.x0 + (k + 0.5) * slot, start = middle - each * (stacked ? 1 : series.length) / 2;
    let below = 0;
    return series.map((s, i) => {
      const v = s.points.find((p) => p.x === name)?.y;
      if (v === undefined) return "";
      const from = stacked ? below : 0, y0 = y.place(from), y1 = y.place(from + v), x = start + (stacked ? 0 : i * each);
      below += v;
      const value = !stacked && each > 30 ? `<text class="value" x="${n(x + each / 2)}" y="${n(y1 - 4)}" text-anchor="middle">${readable(Math.round(v * 10) / 10)}</text>` : "";
      return `<rect class="bar c${i % 8}" x="${n(x + 0.5)}" y="${n(y1)}" width="${n(each - 1)}" height="${n(y0 - y1)}"><title>${escape(says(s, name, v))}</title></rect>${value}`;
    }).join("");
  }).join("");
}

/** The name under a group of bars, in one line or two. */
function category(name: string, x: number, broken: boolean): string {
  const [first = "", ...rest] = name.split(" "), lines = broken && rest.length > 0 ? [first, rest.join(" ")] : [name];
  return lines.map((line, i) => `<text x="${n(x)}" y="${area.y0 + 15 + 12 * i}" text-anchor="middle">${escape(line)}</text>`).join("");
}

/** A plot as inline SVG: colours by class, so that the page's style decides them, light or dark. Series are told apart by marks and order, too. */
export function svgOf(plot: Plot): string {
  const { x, y, series, kind } = plot, all = series.flatMap((s) => s.points), names = [...new Set(all.map((p) => String(p.x)))];
  const sums = names.map((name) => all.filter((p) => String(p.x) === name).reduce((sum, p) => sum + p.y, 0));
  const highest = kind === "stacked" ? Math.max(...sums) : Math.max(...all.map((p) => p.y)), lowest = Math.min(0, ...all.map((p) => p.y));
  const vertical = linear(lowest, kind === "bars" ? highest * 1.06 : highest, area.y0, area.y1), numbers = all.map((p) => Number(p.x));
  // Between whole numbers there is nothing to mark.
  const span = Math.max(...numbers) - Math.min(...numbers), ticks = numbers.every(Number.isInteger) ? Math.max(1, Math.min(8, span)) : 8;
  const horizontal = x.scale === "category" ? undefined
    : (x.scale === "log2" ? log2 : linear)(Math.min(...numbers), Math.max(...numbers), area.x0, area.x1, ticks);
  // Where one name would run into the next, all are broken.
  const slot = (area.x1 - area.x0) / names.length, broken = names.some((name) => name.length * 7 > slot);
  const grid = vertical.ticks.map(({ at, label }) => `<path class="grid" d="M${area.x0} ${n(at)}H${area.x1}"/><text x="${area.x0 - 7}" y="${n(at + 4)}" text-anchor="end">${label}</text>`).join("");
  const under = horizontal?.ticks.map(({ at, label }) => `<path class="tick" d="M${n(at)} ${area.y0}v5"/><text x="${n(at)}" y="${area.y0 + 18}" text-anchor="middle">${label}</text>`).join("")
    ?? names.map((name, k) => category(name, area.x0 + (k + 0.5) * slot, broken)).join("");
  const body = horizontal === undefined ? bars(plot, names, vertical) : series.map((s, i) => curve(s, i, horizontal, vertical, kind === "steps")).join("");
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(`${plot.title}: ${y.label} by ${x.label}`)}">${grid}
<path class="axis" d="M${area.x0} ${area.y1}V${area.y0}H${area.x1}"/>${under}
<text class="label" x="${(area.x0 + area.x1) / 2}" y="${height - 4}" text-anchor="middle">${escape(x.label)}</text>
<text class="label" transform="translate(14 ${(area.y0 + area.y1) / 2}) rotate(-90)" text-anchor="middle">${escape(y.label)}</text>
${body}</svg>`;
}

/** The key of a plot: as HTML, so that it wraps. `mixed`: the figure's series came about in different ways, and each says how. */
export function keyOf(plot: Plot, mixed: boolean): string {
  const { series, kind } = plot, names = shortNames(plot);
  const sign = (i: number): string => (kind === "lines" ? `<path class="line c${i % 8}"${dash(i)} d="M0 8H26"/>${mark(i, 13, 8, "")}`
    : kind === "steps" ? `<path class="line c${i % 8}"${dash(i)} d="M0 8H26"/>` : `<rect class="bar c${i % 8}" x="6" y="2" width="12" height="12"/>`).replace("<title></title>", "");
  return `<ul class="key">${series.map((s, i) => `<li><svg viewBox="0 0 26 16" width="26" height="16" aria-hidden="true">${sign(i)}</svg>${escape(names[i] ?? "")}${mixed ? ` <span class="found">${s.standing}</span>` : ""}</li>`).join("")}</ul>`;
}
