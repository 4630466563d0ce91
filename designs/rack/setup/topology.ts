/** Who reaches whom, and by which port: shortest ways over the links. */
import type { Plug } from "./rack.ts";

/** A place of the rack. `passes`: frames for others go through it. */
export interface Vertex {
  readonly name: string;
  readonly passes: boolean;
}
interface Step {
  /** Of the place where the step begins. */
  readonly port: number;
  readonly to: string;
  readonly link: number;
}

/**
 * The links as a graph. From every place a way leads over fewest links; of several, over the link that is named first.
 * Each step shortens what is left, so no frame for one station goes round.
 */
export class Topology {
  readonly #steps: ReadonlyMap<string, readonly Step[]>;
  readonly #passes: ReadonlyMap<string, boolean>;

  constructor(vertices: readonly Vertex[], links: readonly { readonly between: readonly [Plug, Plug] }[]) {
    this.#passes = new Map(vertices.map(v => [v.name, v.passes]));
    const steps = new Map<string, Step[]>(vertices.map(v => [v.name, []]));
    for (const [
      link,
      {
        between: [a, b],
      },
    ] of links.entries()) {
      steps.get(a.place)?.push({ port: a.port, to: b.place, link });
      steps.get(b.place)?.push({ port: b.port, to: a.place, link });
    }
    this.#steps = steps;
  }

  /** Links to the target from each place that reaches it, by way of places that pass frames on. */
  distances(target: string): ReadonlyMap<string, number> {
    const far = new Map([[target, 0]]),
      waiting = [target];
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      if (at !== target && this.#passes.get(at) !== true) continue;
      for (const { to } of this.#steps.get(at) ?? []) {
        if (far.has(to)) continue;
        far.set(to, (far.get(at) ?? 0) + 1);
        waiting.push(to);
      }
    }
    return far;
  }
  /** The port of a place that is the way to the target; undefined: there is none. */
  portTo(place: string, target: string): number | undefined {
    const far = this.distances(target),
      own = far.get(place);
    return own === undefined ? undefined : this.#steps.get(place)?.find(s => far.get(s.to) === own - 1)?.port;
  }
  /** Ports at both ends of the links that would close a ring, by place: the links that a spanning tree leaves out. */
  closing(): ReadonlyMap<string, ReadonlySet<number>> {
    const tree = this.#treeLinks(),
      blocked = new Map<string, Set<number>>();
    for (const [place, steps] of this.#steps)
      for (const { port, link } of steps)
        if (!tree.has(link)) blocked.set(place, (blocked.get(place) ?? new Set()).add(port));
    return blocked;
  }
  #treeLinks(): ReadonlySet<number> {
    const seen = new Set<string>(),
      tree = new Set<number>();
    for (const root of this.#steps.keys()) {
      if (seen.has(root)) continue;
      seen.add(root);
      const waiting = [root];
      for (let at = waiting.shift(); at !== undefined; at = waiting.shift())
        for (const { to, link } of this.#steps.get(at) ?? []) {
          if (seen.has(to)) continue;
          seen.add(to);
          tree.add(link);
          waiting.push(to);
        }
    }
    return tree;
  }
}
