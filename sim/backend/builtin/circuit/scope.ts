/** An instance while the hierarchy is made flat. */
import { type Circuit, type ClockDomain, type Expr, followed, type Instance, type Memory, type Signal } from "./ir.ts";
import { Unsupported } from "../../unsupported.ts";
import type { Clock } from "./netlist.ts";
import type { Node, Store } from "./node.ts";

/** A value that is asked for: bits `lo` up of an expression in a scope. Computed when all it needs is there. */
export class Demand {
  node: Node | undefined;
  busy = false;
  readonly scope: Scope;
  readonly expr: Expr;
  readonly lo: number;
  readonly width: number;
  constructor(scope: Scope, expr: Expr, lo: number, width: number) {
    this.scope = scope;
    this.expr = expr;
    this.lo = lo;
    this.width = width;
  }
}

/** No part of an expression is as wide: a place and a width are one number. */
const WIDEST = 2 ** 26;

/** What drives a domain of an instance. */
export interface Driven {
  readonly clock: Clock;
  /** Resets that instances on the way down have beside the top module's: where the signal is. */
  readonly local: readonly { readonly scope: Scope; readonly signal: Signal }[];
  /** The reset port is tied to 0. */
  readonly tied: boolean;
}

export class Scope {
  readonly id: number;
  /** Dotted path of the instance, with a dot at its end; empty at the top. */
  readonly path: string;
  readonly circuit: Circuit;
  readonly parent: Scope | undefined;
  readonly instance: Instance | undefined;
  readonly sources = new Map<Signal, readonly Node[]>();
  readonly stores = new Map<Memory, Store>();
  readonly children = new Map<Instance, Scope>();
  readonly #domains: ReadonlyMap<string, Driven>;
  readonly #whole = new Map<Expr, Demand>();
  readonly #parts = new Map<Expr, Map<number, Demand>>();
  #outputs: Map<Signal, Signal> | undefined;

  constructor(
    id: number,
    path: string,
    circuit: Circuit,
    parent: Scope | undefined,
    instance: Instance | undefined,
    domains: ReadonlyMap<string, Driven>,
  ) {
    this.id = id;
    this.path = path;
    this.circuit = circuit;
    this.parent = parent;
    this.instance = instance;
    this.#domains = domains;
  }

  /** What bits of an expression are asked for: one object for all who ask. */
  demand(e: Expr, lo: number, width: number): Demand {
    if (lo === 0 && width === e.width) {
      let d = this.#whole.get(e);
      if (d === undefined) this.#whole.set(e, (d = new Demand(this, e, lo, width)));
      return d;
    }
    let parts = this.#parts.get(e);
    if (parts === undefined) this.#parts.set(e, (parts = new Map<number, Demand>()));
    if (width >= WIDEST) throw new Unsupported(`${this.circuit.name} takes ${width} bits of a value, 2^26 or more`);
    const key = lo * WIDEST + width;
    let d = parts.get(key);
    if (d === undefined) parts.set(key, (d = new Demand(this, e, lo, width)));
    return d;
  }

  store(m: Memory): Store {
    const s = this.stores.get(m);
    if (s === undefined) throw new Unsupported(`memory ${m.name} is not one of ${this.circuit.name}`);
    return s;
  }

  domain(d: ClockDomain): Driven {
    if (d.made !== undefined) {
      const from = followed(this.circuit, d);
      if (from === undefined)
        throw new Unsupported(`the clock of domain ${d.name} in ${this.circuit.name} is one that a black box makes`);
      const { reset } = d.made;
      return {
        clock: { ...this.domain(from).clock, reset: undefined },
        local: reset === undefined ? [] : [{ scope: this, signal: reset }],
        tied: reset === undefined,
      };
    }
    const found = this.#domains.get(d.name);
    if (found === undefined) throw new Unsupported(`${this.circuit.name} does not list its clock domain ${d.name}`);
    return found;
  }

  /** What drives domain `d` of the instance `i` in here. */
  domainFor(i: Instance, d: ClockDomain): Driven {
    const outer = i.domains.get(d.name);
    if (outer === undefined)
      throw new Unsupported(`instance ${this.path}${i.name} leaves clock domain ${d.name} unconnected`);
    const from = this.domain(outer);
    const own = i.reset !== undefined && d.name === "default" ? [{ scope: this, signal: i.reset }] : [];
    return { clock: from.clock, local: [...from.local, ...own], tied: from.tied || outer.reset === undefined };
  }

  /** The port inside that a signal out here reads. */
  outputOf(outside: Signal): Signal | undefined {
    const i = outside.instance;
    if (this.#outputs === undefined) {
      this.#outputs = new Map();
      for (const p of this.circuit.signals) {
        const s = p.kind === "output" ? this.instance?.connections.get(p.name) : undefined;
        if (s !== undefined) this.#outputs.set(s, p);
      }
    }
    return i === this.instance ? this.#outputs.get(outside) : undefined;
  }
}
