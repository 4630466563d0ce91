import type { Structure } from "../../hdl-dsl/index.ts";
import { layoutOf, type Place, type Route } from "./layout.ts";

const escaped = (text: string): string => text.replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const label = (x: number, y: number, text: string, style: string): string =>
  `<text x="${x}" y="${y}" class="${style}">${escaped(text)}</text>`;

function drawn(p: Place): string[] {
  const { part, x, y, width: w, height: h } = p;
  if (part === undefined) return [];
  const cx = Math.round(x + w / 2),
    cy = Math.round(y + h / 2);
  switch (part.kind) {
    case "input":
    case "output":
      return [
        `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="11" class="port"/>`,
        label(cx, cy + 4, part.name, "small"),
      ];
    case "instance":
      return [
        `<rect x="${x}" y="${y}" width="${w}" height="${h}" class="instance"/>`,
        label(cx, cy - 2, part.name, "name"),
        label(cx, cy + 13, part.what, "small"),
      ];
    case "memory":
      return [
        `<path d="M${x} ${y + 6} v${h - 12} a${w / 2} 6 0 0 0 ${w} 0 v${12 - h} a${w / 2} 6 0 0 0 ${-w} 0 a${w / 2} 6 0 0 0 ${w} 0" class="memory"/>`,
        label(cx, cy + 3, part.name, "name"),
        label(cx, cy + 17, part.what, "small"),
      ];
  }
}

/** A smooth line through the points; level where it leaves and arrives. */
function line(r: Route): string {
  const [first, ...rest] = r.points;
  if (first === undefined) return "";
  let [x, y] = first,
    d = `M${x} ${y}`;
  for (const [nx, ny] of rest) {
    // Within a column the line goes out and comes back on the same side.
    const reach = Math.abs(nx - x) < 60 ? 40 : (nx - x) / 2,
      back = Math.abs(nx - x) < 60 ? 40 : -reach;
    d += ` C${Math.round(x + reach)} ${y} ${Math.round(nx + back)} ${ny} ${nx} ${ny}`;
    [x, y] = [nx, ny];
  }
  const ports = r.link.ports.length > 0 ? `: ${r.link.ports.join(", ")}` : "";
  return `<path d="${d}" class="${r.link.kind}" marker-end="url(#${r.link.kind}-end)"><title>${escaped(`${r.link.from.name} to ${r.link.to.name}${ports}`)}</title></path>`;
}

/**
 * A module's structure as SVG: instances as boxes, memories as cylinders, ports as pills; streams as thick
 * arrows, other values as thin ones. A pointer over an arrow shows its description. The same module always gives
 * the same bytes.
 */
export function svgOf(s: Structure): string {
  const l = layoutOf(s),
    kinds = ["value", "stream"] as const;
  const arrow = (id: string, size: number, colour: string): string =>
    `<marker id="${id}-end" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="${size}" markerHeight="${size}" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="${colour}"/></marker>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${l.width}" height="${l.height}" viewBox="0 0 ${l.width} ${l.height}">`,
    `<title>${escaped(s.name)}</title>`,
    "<style>text{font-family:sans-serif;text-anchor:middle;fill:#111}.name{font-size:13px;font-weight:bold}.small{font-size:11px}",
    ".instance{fill:#eef3fa;stroke:#34547a}.memory{fill:#f6efdd;stroke:#8a6d1f}.port{fill:#fff;stroke:#777}",
    ".stream{fill:none;stroke:#2b6cb0;stroke-width:3}.value{fill:none;stroke:#a0a0a0;stroke-width:1}</style>",
    `<defs>${arrow("stream", 11, "#2b6cb0")}${arrow("value", 7, "#a0a0a0")}</defs>`,
    `<rect width="${l.width}" height="${l.height}" fill="#fff"/>`,
    ...kinds.flatMap(kind => l.routes.filter(r => r.link.kind === kind).map(line)),
    ...l.places.flatMap(drawn),
    "</svg>",
    "",
  ].join("\n");
}
