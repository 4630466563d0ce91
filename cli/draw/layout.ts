import type { Link, Part, Structure } from "../../hdl-dsl/index.ts";
import { layersOf } from "./layers.ts";

/** Pixels throughout. A place is a part, or a bend of a link where it passes a column. */
export interface Place {
  readonly part: Part | undefined;
  readonly layer: number;
  readonly width: number;
  readonly height: number;
  x: number;
  y: number;
}
export interface Route {
  readonly link: Link;
  readonly points: readonly (readonly [x: number, y: number])[];
}
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly places: readonly Place[];
  readonly routes: readonly Route[];
}

const columnGap = 70,
  rowGap = 16,
  margin = 20,
  perLink = 9;
const textWidth = (p: Part): number => 7.4 * Math.max(p.name.length, p.what.length);

/** A link from left to right through the columns; `reversed`: its arrow points to the left. */
interface Chain {
  readonly link: Link;
  readonly reversed: boolean;
  readonly places: readonly Place[];
}

function sizeOf(p: Part, links: readonly Link[]): { readonly width: number; readonly height: number } {
  const port = p.kind === "input" || p.kind === "output",
    touching = links.filter(l => l.from === p || l.to === p).length;
  return {
    width: Math.round(port ? textWidth(p) + 18 : Math.max(90, textWidth(p) + 24)),
    height: port ? 22 : Math.max(44, Math.ceil(touching / 2) * perLink + 16),
  };
}

/** Where each place's neighbours stand on average; where it stands itself when it has none. */
function wanted(place: Place, chains: readonly Chain[], side: "left" | "right" | "both"): number {
  const at: number[] = [];
  for (const c of chains) {
    const i = c.places.indexOf(place);
    if (i < 0) continue;
    const left = c.places[i - 1],
      right = c.places[i + 1];
    if (left !== undefined && side !== "right") at.push(left.y + left.height / 2);
    if (right !== undefined && side !== "left") at.push(right.y + right.height / 2);
  }
  return at.length === 0 ? place.y + place.height / 2 : at.reduce((a, b) => a + b, 0) / at.length;
}

/** Stacks a column in its order, each place as near as can be to its wanted centre. */
function settle(column: readonly Place[], centre: (p: Place) => number): void {
  let free = -Infinity;
  for (const p of column) {
    p.y = Math.max(free, centre(p) - p.height / 2);
    free = p.y + p.height + rowGap;
  }
  let room = Infinity;
  for (const p of [...column].reverse()) {
    // Those pushed down by others go back up halfway, so that a crowd stands around its middle.
    const pushed = p.y - (centre(p) - p.height / 2);
    p.y = Math.min(room - p.height, p.y - Math.max(0, pushed) / 2);
    room = p.y - rowGap;
  }
}

/**
 * Columns, order in them and heights: sweeps to and fro, a fixed number of them, so that the same module always gives
 * the same drawing.
 */
export function layoutOf(s: Structure): Layout {
  const layers = layersOf(s);
  const places = new Map(
    s.parts.map((p): [Part, Place] => [p, { part: p, layer: layers.get(p) ?? 0, ...sizeOf(p, s.links), x: 0, y: 0 }]),
  );
  const all: Place[] = [...places.values()];
  const chains = s.links.flatMap((link): Chain[] => {
    const from = places.get(link.from),
      to = places.get(link.to);
    if (from === undefined || to === undefined) return [];
    const reversed = to.layer < from.layer,
      [left, right] = reversed ? [to, from] : [from, to];
    const bends = Array.from({ length: Math.max(0, right.layer - left.layer - 1) }, (_, i): Place => ({
      part: undefined,
      layer: left.layer + 1 + i,
      width: 0,
      height: 2,
      x: 0,
      y: 0,
    }));
    all.push(...bends);
    return [{ link, reversed, places: [left, ...bends, right] }];
  });
  const columns = Array.from({ length: Math.max(0, ...all.map(p => p.layer)) + 1 }, (_, i) =>
    all.filter(p => p.layer === i),
  );
  for (const column of columns) {
    let y = 0;
    for (const p of column) {
      p.y = y;
      y += p.height + rowGap;
    }
  }
  for (let sweep = 0; sweep < 16; sweep++) {
    const side = sweep < 12 ? (sweep % 2 === 0 ? "left" : "right") : "both";
    for (const column of sweep % 2 === 0 ? columns : [...columns].reverse()) {
      const centres = new Map(column.map(p => [p, wanted(p, chains, side)]));
      // The order is left alone at the end, when places move for their neighbours' sake.
      if (sweep < 12) column.sort((a, b) => (centres.get(a) ?? 0) - (centres.get(b) ?? 0));
      settle(column, p => centres.get(p) ?? 0);
    }
  }
  const top = Math.min(0, ...all.map(p => p.y));
  let x = margin;
  for (const column of columns) {
    const width = Math.max(0, ...column.map(p => p.width));
    for (const p of column) {
      p.x = Math.round(x + (width - p.width) / 2);
      p.y = Math.round(p.y - top + margin);
    }
    x += width + columnGap;
  }
  return {
    width: Math.round(x - columnGap + margin),
    height: Math.max(0, ...all.map(p => p.y + p.height)) + margin,
    places: [...places.values()],
    routes: routes(chains),
  };
}

/** Where links touch a box: spread over its side in the order of what lies beyond. */
function routes(chains: readonly Chain[]): Route[] {
  const touch = (place: Place, side: "left" | "right", c: Chain): number => {
    const beyond = (o: Chain): number => {
      const n = o.places[o.places.indexOf(place) + (side === "right" ? 1 : -1)];
      return n === undefined ? 0 : n.y + n.height / 2;
    };
    const mine = chains
      .filter(o => (side === "right" ? o.places[0] : o.places.at(-1)) === place)
      .sort((a, b) => beyond(a) - beyond(b));
    return Math.round(place.y + (place.height * (mine.indexOf(c) + 1)) / (mine.length + 1));
  };
  return chains.map(c => {
    const [first, ...rest] = c.places,
      last = rest.pop();
    if (first === undefined || last === undefined) return { link: c.link, points: [] };
    const points: (readonly [number, number])[] = [
      [first.x + first.width, touch(first, "right", c)],
      ...rest.map(p => [p.x, p.y + 1] as const),
      // Two of one column are joined on their right.
      first.layer === last.layer ? [last.x + last.width, touch(last, "left", c)] : [last.x, touch(last, "left", c)],
    ];
    return { link: c.link, points: c.reversed ? points.reverse() : points };
  });
}
