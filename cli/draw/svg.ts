import type { Part, Structure } from "../../hdl-dsl/index.ts";
import { type Box, headOf, isEdge, type Layout, layoutOf, portLabel, type Wire } from "./layout.ts";

export const escaped = (text: string): string => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const label = (x: number, y: number, text: string, style: string): string =>
  text === "" ? "" : `<text x="${x}" y="${y}" class="${style}">${escaped(text)}</text>`;

/** The shape of a box. */
function shape({ part, x, y, width: w, height: h }: Box): string {
  switch (part.kind) {
    case "input":
    case "output":
      return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="11" class="port"/>`;
    case "instance":
      return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="2" class="instance"/>`;
    case "register":
      return [
        `<rect x="${x}" y="${y}" width="${w}" height="${h}" class="register"/>`,
        `<path d="M${x + w / 2 - 6} ${y + h} l6 -6 l6 6" class="register"/>`,
      ].join("\n");
    case "memory":
      return `<path d="M${x} ${y + 6} v${h - 12} a${w / 2} 6 0 0 0 ${w} 0 v${12 - h} a${w / 2} 6 0 0 0 ${-w} 0 a${w / 2} 6 0 0 0 ${w} 0" class="memory"/>`;
  }
}

function drawn(b: Box, address: string | undefined): string {
  const { part, x, y, width } = b,
    middle = Math.round(x + width / 2);
  const names = isEdge(part)
    ? [label(middle, y + 15, part.name, "small")]
    : [
        label(middle, y + headOf(part) - 20, part.name, "name"),
        label(middle, y + headOf(part) - 6, part.what, "small"),
      ];
  const all = [shape(b), ...names].join("\n");
  return address === undefined
    ? all
    : `<a href="${escaped(address)}" class="open"><title>${escaped(`open ${part.what}`)}</title>\n${all}\n</a>`;
}

/** The names of the ports that a wire leaves and arrives at, inside their boxes. */
function ends({ link, points }: Wire): string[] {
  const first = points[0],
    last = points.at(-1);
  return first === undefined || last === undefined
    ? []
    : [
        label(first[0] - 4, first[1] + 3, portLabel(link.outs), "out"),
        label(last[0] + 9, last[1] + 3, portLabel(link.ports), "in"),
      ].filter(t => t !== "");
}

function line({ link, points }: Wire, number: number | undefined): string {
  if (points.length === 0) return "";
  const path = points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x} ${y}`).join(" ");
  const from = [link.from.name, ...link.outs].join(" "),
    to = [link.to.name, ...link.ports].join(" ");
  return `<path d="${path}"${number === undefined ? "" : ` data-wire="${number}"`} class="${link.kind}" marker-end="url(#${link.kind}-end)"><title>${escaped(`${from} to ${to}`)}</title></path>`;
}

const arrow = (kind: "value" | "stream", size: number): string =>
  `<marker id="${kind}-end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="${size}" markerHeight="${size}" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L10 5 L0 10 z" class="${kind}-end"/></marker>`;

/** Colours by class: a dark ground where the viewer asks for it. */
export const drawingStyle = [
  "text{font-family:sans-serif;text-anchor:middle;fill:#111}.name{font-size:13px;font-weight:bold}.small{font-size:11px}",
  ".in,.out{font-size:9.5px;fill:#445}.in{text-anchor:start}.out{text-anchor:end}.ground{fill:#fff}",
  ".instance{fill:#eef3fa;stroke:#34547a}.memory{fill:#f6efdd;stroke:#8a6d1f}.port{fill:#fff;stroke:#777}",
  ".register{fill:#eef6ec;stroke:#3f7a3a}",
  ".stream{fill:none;stroke:#2b6cb0;stroke-width:2.5}.value{fill:none;stroke:#a0a0a0;stroke-width:1}",
  ".stream-end{fill:#2b6cb0}.value-end{fill:#a0a0a0}.open{cursor:pointer}.open:hover .instance{stroke-width:2.5}",
  "@media (prefers-color-scheme:dark){text{fill:#e6e6e6}.in,.out{fill:#aab4c0}.ground{fill:#14171b}",
  ".instance{fill:#1f2c3d;stroke:#7ea6d8}.memory{fill:#332b14;stroke:#cda63e}.port{fill:#1b1f24;stroke:#8a929b}",
  ".register{fill:#1d2b1b;stroke:#7dbb76}",
  ".stream{stroke:#63a4e8}.value{stroke:#6b737c}.stream-end{fill:#63a4e8}.value-end{fill:#6b737c}}",
].join("\n");

export interface SvgOptions {
  /** Where a click on an instance leads; undefined: nowhere. */
  readonly address?: (p: Part) => string | undefined;
  /** Whether its style comes with it; a page has it once for all. */
  readonly style?: boolean;
  /** Whether each wire has its number, as `data-wire`: programs of a page find it by that. */
  readonly numbers?: boolean;
}

/** A layout as SVG. */
export function svgOfLayout(
  name: string,
  l: Layout,
  { address, style = true, numbers = false }: SvgOptions = {},
): string {
  const kinds = ["value", "stream"] as const;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${l.width}" height="${l.height}" viewBox="0 0 ${l.width} ${l.height}">`,
    `<title>${escaped(name)}</title>`,
    ...(style ? [`<style>${drawingStyle}</style>`] : []),
    `<defs>${arrow("stream", 10)}${arrow("value", 7)}</defs>`,
    `<rect width="${l.width}" height="${l.height}" class="ground"/>`,
    ...kinds.flatMap(kind =>
      l.wires.flatMap((w, i) => (w.link.kind === kind ? [line(w, numbers ? i : undefined)] : [])),
    ),
    ...l.boxes.map(b => drawn(b, address?.(b.part))),
    ...l.wires.flatMap(ends),
    ...(l.note === undefined ? [] : [label(Math.round(l.width / 2), l.height - 8, l.note, "small")]),
    "</svg>",
    "",
  ].join("\n");
}

/**
 * A module's structure as SVG: instances as boxes with their ports in the order of declaration, memories as cylinders,
 * registers of a module without instances as boxes with a clock's mark, ports as pills; streams as thick arrows, other
 * values as thin ones. A pointer over an arrow shows its description. The same module always gives the same bytes.
 */
export const svgOf = async (s: Structure): Promise<string> => svgOfLayout(s.name, await layoutOf(s));
