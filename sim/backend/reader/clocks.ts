/** Which ports of a module are clocks, and what a net that is used as a clock comes from. */
import type { Always, Expression, Module, Statement } from "./syntax.ts";
import { unreadable } from "./unreadable.ts";

/** `if (rst)`, `if (!rst)`, `if (~rst)` at the head of a block: the reset's name. */
export interface Head {
  readonly name: string;
  /** 0 resets. */
  readonly low: boolean;
  readonly then: Statement;
  readonly otherwise: Statement | undefined;
}
export function headOf(body: Statement): Head | undefined {
  const s = body.kind === "block" && body.body.length === 1 ? (body.body[0] as Statement) : body;
  if (s.kind !== "if") return undefined;
  const { cond } = s,
    low = cond.kind === "unary" && (cond.op === "!" || cond.op === "~"),
    of = low ? cond.a : cond;
  return of.kind === "name" ? { name: of.name, low, then: s.then, otherwise: s.otherwise } : undefined;
}

/** The clock of a block, and its asynchronous reset. */
export function eventsOf(a: Always): { readonly clock: string; readonly reset: Head | undefined } {
  const head = headOf(a.body),
    [first, second] = a.events;
  if (first === undefined || a.events.length > 2) throw unreadable(a.at, "a block that is not of one clock");
  const reset = second === undefined ? undefined : a.events.find(e => e.name === head?.name),
    clock = reset === undefined ? first : a.events.find(e => e !== reset);
  if (clock?.edge !== "posedge") throw unreadable(a.at, "a block at a falling edge");
  if (second === undefined) return { clock: clock.name, reset: undefined };
  if (reset === undefined || (reset.edge === "negedge") !== head?.low)
    throw unreadable(a.at, "a block of two edges that does not begin with its reset");
  return { clock: clock.name, reset: head };
}

export class Clocks {
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #ports = new Map<Module, ReadonlySet<string>>();
  readonly #sources = new Map<Module, ReadonlyMap<string, Expression | "input">>();
  constructor(modules: ReadonlyMap<string, Module>) {
    this.#modules = modules;
  }

  /** The input ports that are clocks of registers in the module or below. */
  portsOf(m: Module): ReadonlySet<string> {
    let found = this.#ports.get(m);
    if (found !== undefined) return found;
    const nets = m.always.filter(a => a.events.length > 0).map(a => eventsOf(a).clock);
    for (const i of m.instances) {
      const below = this.#modules.get(i.module);
      if (below === undefined) continue;
      for (const p of this.portsOf(below)) {
        const e = i.pins.find(([n]) => n === p)?.[1];
        if (e?.kind !== "name") throw unreadable(i.at, `an instance ${i.name} whose clock ${p} is no name`);
        nets.push(e.name);
      }
    }
    this.#ports.set(m, (found = new Set(nets.map(n => this.rootOf(m, n)))));
    return found;
  }

  /** The input port that a net of the module is, through assignments and instances that only pass it on. */
  rootOf(m: Module, net: string): string {
    const root = this.#follow(m, net, new Set());
    if (root === undefined) throw unreadable(m.at, `a module ${m.name} whose clock ${net} is made inside`);
    return root;
  }
  #follow(m: Module, net: string, seen: Set<string>): string | undefined {
    if (seen.has(net)) return undefined;
    seen.add(net);
    const from = this.#sourcesOf(m).get(net) ?? this.#source(m, net);
    if (from === "input") return net;
    return from?.kind === "name" ? this.#follow(m, from.name, seen) : undefined;
  }
  /** What each whole net of a module is: an input port, or the value that is assigned to it. */
  #sourcesOf(m: Module): ReadonlyMap<string, Expression | "input"> {
    const known = this.#sources.get(m);
    if (known !== undefined) return known;
    const all = new Map<string, Expression | "input">();
    for (const a of m.assigns) if (a.target.kind === "name") all.set(a.target.name, a.value);
    for (const d of m.declarations)
      if (d.port === "input") all.set(d.name, "input");
      else if (d.value !== undefined) all.set(d.name, d.value);
    this.#sources.set(m, all);
    return all;
  }
  /** What an instance that drives a net passes on to it. */
  #source(m: Module, net: string): Expression | undefined {
    for (const i of m.instances)
      for (const [pin, e] of i.pins) {
        const below = this.#modules.get(i.module);
        if (e?.kind !== "name" || e.name !== net || below === undefined) continue;
        if (below.declarations.find(d => d.name === pin)?.port !== "output") continue;
        const inside = this.#follow(below, pin, new Set()),
          outside = i.pins.find(([n]) => n === inside)?.[1];
        if (outside?.kind === "name") return outside;
      }
    return undefined;
  }
}
