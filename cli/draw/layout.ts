import elk, { type ElkEdgeSection, type ElkNode, type ElkPort, type LayoutOptions } from "elkjs/lib/elk.bundled.js";
import type { Link, Part, Structure } from "../../hdl-dsl/index.ts";

/** Pixels throughout. */
export interface Box {
  readonly part: Part;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
export type Point = readonly [x: number, y: number];
export interface Wire {
  readonly link: Link;
  /** From its port on one box to its port on the other, with the bends between. */
  readonly points: readonly Point[];
}
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly wires: readonly Wire[];
  /** A line below the drawing. */
  readonly note?: string;
}

/** ELK's layered layout: signals go to the right, wires have right angles, and a seed leaves nothing to chance. */
const options: LayoutOptions = {
  "elk.algorithm": "layered",
  "elk.direction": "RIGHT",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.randomSeed": "1",
  "elk.padding": "[top=20,left=20,bottom=20,right=20]",
  "elk.spacing.nodeNode": "18",
  "elk.spacing.edgeNode": "12",
  "elk.spacing.edgeEdge": "6",
  "elk.spacing.componentComponent": "24",
  "elk.layered.spacing.nodeNodeBetweenLayers": "36",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "6",
  "elk.layered.nodePlacement.strategy": "NETWORK_SIMPLEX",
  "elk.layered.nodePlacement.favorStraightEdges": "true",
  "elk.layered.considerModelOrder.strategy": "PREFER_EDGES",
};

/** Widths of letters: about those of the fonts that browsers take for `sans-serif`, rather too wide than too narrow. */
const nameLetter = 8.2,
  smallLetter = 6.6,
  portLetter = 5.6;
/** Height of a port of a box, and of its name within the box. */
const portStep = 14;

export const isEdge = (p: Part): boolean => p.kind === "input" || p.kind === "output";
/** The port that a wire has at an end: `load`, or `load +2` where it stands for three. */
export function portLabel(ports: readonly string[]): string {
  const [first, ...rest] = ports;
  return first === undefined ? "" : rest.length === 0 ? first : `${first} +${rest.length}`;
}

/** The links on a side of a box, those of its ports that were declared first on top. */
function side(p: Part, links: readonly Link[], way: "from" | "to"): readonly Link[] {
  const order = (l: Link): number => {
    const known = (way === "from" ? l.outs : l.ports).map(n => p.ports?.indexOf(n) ?? -1).filter(i => i >= 0);
    return known.length === 0 ? Number.MAX_SAFE_INTEGER : Math.min(...known);
  };
  // Links of one port stay in the order in which they were found.
  return links
    .filter(l => l[way] === p)
    .map((link, i) => ({ link, i }))
    .sort((a, b) => order(a.link) - order(b.link) || a.i - b.i)
    .map(x => x.link);
}

function sizeOf(p: Part, west: readonly Link[], east: readonly Link[]): { width: number; height: number } {
  if (isEdge(p)) return { width: Math.round(p.name.length * smallLetter + 22), height: 22 };
  const words = Math.max(p.name.length * nameLetter, p.what.length * smallLetter);
  const widest = (labels: readonly string[]): number => Math.max(0, ...labels.map(l => l.length)) * portLetter;
  const sides = widest(west.map(l => portLabel(l.ports))) + widest(east.map(l => portLabel(l.outs)));
  // The names stand above the ports; a memory's lid is above its names.
  const rows = Math.max(west.length, east.length);
  return {
    width: Math.round(Math.max(90, words + 24, sides + 34)),
    height: headOf(p) + Math.max(1, rows) * portStep + 6,
  };
}
/** Room for the names on top of a box. */
export const headOf = (p: Part): number => (p.kind === "memory" ? 44 : 36);

const portsOf = (name: string, p: Part, links: readonly Link[], x: number, all: readonly Link[], west: boolean) =>
  links.map((l, i): ElkPort => {
    const y = isEdge(p) ? 11 : headOf(p) + i * portStep + portStep / 2;
    return {
      id: `${name}${all.indexOf(l)}`,
      x,
      y,
      width: 0,
      height: 0,
      layoutOptions: { "elk.port.side": west ? "WEST" : "EAST" },
    };
  });

const pointsOf = (s: ElkEdgeSection): Point[] =>
  [s.startPoint, ...(s.bendPoints ?? []), s.endPoint].map(p => [Math.round(p.x), Math.round(p.y)]);

/**
 * Boxes with their ports in a fixed order, and wires from port to port. The same structure always gives the same
 * layout.
 */
export async function layoutOf(s: Structure): Promise<Layout> {
  const children = s.parts.map((p, i): ElkNode => {
    const west = side(p, s.links, "to"),
      east = side(p, s.links, "from"),
      { width, height } = sizeOf(p, west, east);
    return {
      id: `part${i}`,
      width,
      height,
      ports: [...portsOf("in", p, west, 0, s.links, true), ...portsOf("out", p, east, width, s.links, false)],
      layoutOptions: {
        "elk.portConstraints": "FIXED_POS",
        // A port that is read back, or of both ways, may stand anywhere.
        ...(p.kind === "input" && west.length === 0 ? { "elk.layered.layering.layerConstraint": "FIRST" } : {}),
        ...(p.kind === "output" && east.length === 0 ? { "elk.layered.layering.layerConstraint": "LAST" } : {}),
      },
    };
  });
  const edges = s.links.map((l, i) => ({
    id: `link${i}`,
    sources: [`out${i}`],
    targets: [`in${i}`],
    // Streams are kept straight, and forwards, before other values.
    layoutOptions:
      l.kind === "stream" ? { "elk.layered.priority.direction": "10", "elk.layered.priority.straightness": "10" } : {},
  }));
  const graph: ElkNode = { id: "root", children, edges, layoutOptions: options },
    done: ElkNode = await new elk.default().layout(graph);
  const placed = new Map((done.children ?? []).map(c => [c.id, c])),
    routed = new Map((done.edges ?? []).map(e => [e.id, e]));
  const below = s.note === undefined ? 0 : 24,
    least = s.note === undefined ? 0 : Math.ceil(s.note.length * smallLetter) + 20;
  return {
    ...(s.note === undefined ? {} : { note: s.note }),
    width: Math.max(least, Math.ceil(done.width ?? 40)),
    height: Math.ceil(done.height ?? 40) + below,
    boxes: s.parts.map((part, i) => {
      const { x = 0, y = 0, width = 0, height = 0 } = placed.get(`part${i}`) ?? {};
      return { part, x: Math.round(x), y: Math.round(y), width, height };
    }),
    wires: s.links.map((link, i) => ({ link, points: (routed.get(`link${i}`)?.sections ?? []).flatMap(pointsOf) })),
  };
}
