/**
 * Hierarchical names: `Top.signal` from anywhere below, `instance.signal` from above. Ports carry them from module to
 * module, so that each module reads names of its own alone.
 */
import type { Declaration, Expression, Module } from "./syntax.ts";
import type { Place } from "./unreadable.ts";

/** A module while ports are added to it. */
interface Open {
  readonly module: Module;
  readonly declarations: Declaration[];
  readonly assigns: { target: Expression; value: Expression; at: Place }[];
  readonly pins: Map<string, (readonly [string, Expression])[]>;
}

/** The modules with a port for every hierarchical name on its way. */
export function withPorts(modules: ReadonlyMap<string, Module>, top: string): ReadonlyMap<string, Module> {
  if ([...modules.values()].every(m => m.dotted.length === 0)) return modules;
  return new Carrier(modules, top).run();
}

class Carrier {
  readonly #open: Map<string, Open>;
  readonly #top: string;
  constructor(modules: ReadonlyMap<string, Module>, top: string) {
    this.#top = top;
    this.#open = new Map(
      [...modules].map(([name, module]) => [
        name,
        { module, declarations: [...module.declarations], assigns: [...module.assigns], pins: new Map() },
      ]),
    );
  }

  run(): ReadonlyMap<string, Module> {
    for (const o of this.#open.values()) for (const name of o.module.dotted) this.#carry(o, name);
    return new Map(
      [...this.#open].map(([name, { module, declarations, assigns, pins }]) => [
        name,
        {
          ...module,
          declarations,
          assigns,
          instances: module.instances.map(i => ({ ...i, pins: [...i.pins, ...(pins.get(i.name) ?? [])] })),
        },
      ]),
    );
  }

  #carry(o: Open, name: string): void {
    const [first = "", ...rest] = name.split(".");
    if (first === this.#top) this.#down(o, name, rest.join("."));
    else this.#up(o, first, rest.join("."));
  }

  /** `name`, which is `signal` of the top, as an input of this module and of those around it. */
  #down(o: Open, name: string, signal: string): void {
    const top = this.#open.get(this.#top),
      source = top?.module.declarations.find(d => d.name === signal);
    if (source === undefined || o.declarations.some(d => d.name === name)) return;
    const { at } = source;
    if (o === top) {
      o.declarations.push({ ...source, name, what: "wire", port: undefined, value: undefined });
      o.assigns.push({ target: { kind: "name", name, at }, value: { kind: "name", name: signal, at }, at });
      return;
    }
    o.declarations.push({ ...source, name, what: "wire", port: "input", value: undefined });
    for (const outer of this.#open.values())
      for (const i of outer.module.instances) {
        if (i.module !== o.module.name) continue;
        this.#down(outer, name, signal);
        addPin(outer, i.name, name, { kind: "name", name, at });
      }
  }

  /** `instance.path` as a wire of this module, from an output of the instance. @returns the signal's declaration. */
  #up(o: Open, instance: string, path: string): Declaration | undefined {
    const name = `${instance}.${path}`,
      known = o.declarations.find(d => d.name === name);
    if (known !== undefined) return known;
    const of = o.module.instances.find(i => i.name === instance),
      below = of === undefined ? undefined : this.#open.get(of.module);
    if (below === undefined) return undefined;
    const [first = "", ...rest] = path.split("."),
      source =
        rest.length === 0 ? below.declarations.find(d => d.name === path) : this.#up(below, first, rest.join("."));
    if (source === undefined) return undefined;
    const { at } = source,
      port = `out ${path}`;
    if (!below.declarations.some(d => d.name === port)) {
      below.declarations.push({ ...source, name: port, what: "wire", port: "output", value: undefined });
      below.assigns.push({ target: { kind: "name", name: port, at }, value: { kind: "name", name: path, at }, at });
    }
    addPin(o, instance, port, { kind: "name", name, at });
    const made: Declaration = { ...source, name, what: "wire", port: undefined, value: undefined };
    o.declarations.push(made);
    return made;
  }
}

function addPin(o: Open, instance: string, port: string, value: Expression): void {
  const pins = o.pins.get(instance) ?? [];
  if (!pins.some(([n]) => n === port)) pins.push([port, value]);
  o.pins.set(instance, pins);
}
