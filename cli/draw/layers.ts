import type { Link, Part, Structure } from "../../hdl-dsl/index.ts";

/** Links whose streams close a circle: they are drawn from right to left. */
function closing(parts: readonly Part[], links: readonly Link[]): ReadonlySet<Link> {
  const back = new Set<Link>(),
    state = new Map<Part, "open" | "done">();
  const visit = (p: Part): void => {
    state.set(p, "open");
    for (const l of links) {
      if (l.from !== p) continue;
      if (state.get(l.to) === "open") back.add(l);
      else if (!state.has(l.to)) visit(l.to);
    }
    state.set(p, "done");
  };
  for (const p of parts) if (!state.has(p)) visit(p);
  return back;
}

const mean = (numbers: readonly number[]): number =>
  Math.round(numbers.reduce((a, b) => a + b, 0) / Math.max(1, numbers.length));

/**
 * The column of each part, from 0 on the left: streams go to the right wherever they can. A port stands beside what it
 * belongs to, and what no stream reaches in the middle of what it has to do with.
 */
export function layersOf(s: Structure): ReadonlyMap<Part, number> {
  const inner = s.parts.filter(p => p.kind === "instance" || p.kind === "memory");
  const streams = s.links.filter(l => l.kind === "stream"),
    back = closing(s.parts, streams);
  const forward = streams.filter(l => !back.has(l) && inner.includes(l.from) && inner.includes(l.to));
  const layers = new Map<Part, number>(),
    flowing = inner.filter(p => streams.some(l => l.from === p || l.to === p));
  for (const p of flowing) layers.set(p, 0);
  // At most as many rounds as parts: no circle is left.
  for (let round = 0; round < flowing.length; round++) {
    for (const l of forward) layers.set(l.to, Math.max(layers.get(l.to) ?? 0, (layers.get(l.from) ?? 0) + 1));
  }
  for (const p of inner) {
    if (layers.has(p)) continue;
    layers.set(
      p,
      mean(
        s.links
          .flatMap(l => (l.from === p ? [layers.get(l.to)] : l.to === p ? [layers.get(l.from)] : []))
          .filter(n => n !== undefined),
      ),
    );
  }
  for (const p of s.parts) {
    if (p.kind === "input")
      layers.set(
        p,
        Math.min(...s.links.filter(l => l.from === p).map(l => layers.get(l.to) ?? 0), Number.MAX_SAFE_INTEGER) - 1,
      );
    if (p.kind === "output")
      layers.set(p, Math.max(...s.links.filter(l => l.to === p).map(l => layers.get(l.from) ?? 0), -1) + 1);
  }
  // A port that nothing is linked to stands at its edge.
  const known = [...layers.values()].filter(n => n < Number.MAX_SAFE_INTEGER / 2),
    first = Math.min(0, ...known);
  return new Map([...layers].map(([p, n]) => [p, n > Number.MAX_SAFE_INTEGER / 2 ? 0 : n - first]));
}
