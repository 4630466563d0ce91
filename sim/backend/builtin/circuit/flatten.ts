/** From the hierarchy to one graph: wires vanish, each reader gets the value of the bits that it reads. */
import {
  allStatements,
  type Circuit,
  type ClockDomain,
  type Expr,
  type Memory,
  type MemRead,
  type ReadPort,
  resolve,
  type ResolvedWrite,
  type Segment,
  segmentsIn,
  type Signal,
} from "./ir.ts";
import { Graph } from "./graph.ts";
import type { Check, Clock, Netlist, Register, Write } from "./netlist.ts";
import { Unsupported } from "../../unsupported.ts";
import type { Node, Source, Store } from "./node.ts";
import { Coverage } from "./covered.ts";
import { checksOf } from "./properties.ts";
import type { Demand } from "./scope.ts";
import { Scope } from "./scope.ts";
import { tracedScope, type TraceNames } from "./traced.ts";

/** A value meets itself on its way. */
class Loop extends Error {}

export interface FlattenOptions {
  /** All signals get their values, for a wave, under these names. */
  readonly trace?: TraceNames | undefined;
  /** Registers remember what is reached. */
  readonly coverage?: boolean | undefined;
}

/** The flat circuit of `top`. @throws Unsupported when it cannot be simulated here. */
export function flatten(top: Circuit, o: FlattenOptions = {}): Netlist {
  try {
    return new Flattener(top, false).run(o);
  } catch (e) {
    if (!(e instanceof Loop)) throw e;
  }
  try {
    return new Flattener(top, true).run(o);
  } catch (e) {
    if (!(e instanceof Loop)) throw e;
    throw new Unsupported(`a value of ${top.name} depends on itself without a register: ${e.message}`);
  }
}

class Flattener {
  readonly #g = new Graph();
  readonly #scopes: Scope[] = [];
  readonly #sources: Source[] = [];
  readonly #stores: Store[] = [];
  readonly #clocks: Clock[];
  readonly #inputs: { source: Source; port: string }[] = [];
  readonly #top: Scope;
  /** Slices go through bitwise operators: slower, but no loop is seen where there is none. */
  readonly #precise: boolean;
  #missing: Demand[] = [];

  constructor(top: Circuit, precise: boolean) {
    this.#precise = precise;
    this.#clocks = top.domains.map((d, index) => ({
      index,
      reset: d.reset === undefined ? undefined : this.#input(d.reset, 1),
      low: d.low === true,
    }));
    this.#top = this.#enter(
      new Scope(
        0,
        "",
        top,
        undefined,
        undefined,
        new Map(top.domains.map((d, i) => [d.name, { clock: this.#clocks[i] as Clock, local: [], tied: false }])),
      ),
    );
    for (const s of top.signals)
      if (s.kind === "input") this.#top.sources.set(s, [this.#g.source(this.#input(s.name, s.width))]);
  }

  /** One source for a port, whoever reads it: a reset may be a value too. */
  #input(port: string, width: number): Source {
    const known = this.#inputs.find(i => i.port === port);
    if (known !== undefined) return known.source;
    const source: Source = { kind: "input", name: port, width, id: this.#sources.length };
    this.#sources.push(source);
    this.#inputs.push({ source, port });
    return source;
  }

  #enter(scope: Scope): Scope {
    this.#scopes.push(scope);
    for (const s of scope.circuit.signals) {
      if (s.kind === "reg") {
        const segments = resolve(scope.circuit).segments.get(s) ?? [];
        scope.sources.set(
          s,
          segments.map(g => this.#register(scope, g.width === s.width ? s.name : `${s.name}[${g.lo}]`, g.width)),
        );
      } else if (s.kind === "memData") scope.sources.set(s, [this.#register(scope, s.name, s.width)]);
    }
    for (const m of scope.circuit.memories) {
      const store: Store = {
        name: scope.path + m.name,
        width: m.width,
        depth: m.depth,
        init: m.init === undefined ? undefined : Array.from({ length: m.depth }, (_, i) => m.init?.[i] ?? 0n),
        id: this.#stores.length,
      };
      this.#stores.push(store);
      scope.stores.set(m, store);
    }
    for (const i of scope.circuit.instances) {
      if (i.circuit.blackBox?.simulation !== undefined)
        throw new Unsupported(
          `black box ${i.circuit.name} (instance ${scope.path}${i.name}) has its stand-in in Verilog text`,
        );
      const below = new Scope(
        this.#scopes.length,
        `${scope.path}${i.name}.`,
        i.circuit,
        scope,
        i,
        new Map(i.circuit.domains.map(d => [d.name, scope.domainFor(i, d)])),
      );
      scope.children.set(i, below);
      this.#enter(below);
    }
    return scope;
  }
  #register(scope: Scope, name: string, width: number): Node {
    const source: Source = { kind: "register", name: scope.path + name, width, id: this.#sources.length };
    this.#sources.push(source);
    return this.#g.source(source);
  }

  run(o: FlattenOptions): Netlist {
    const registers: Register[] = [],
      writes: Write[] = [],
      checks: Check[] = [],
      coverage = o.coverage === true ? this.#coverage() : undefined;
    for (const s of this.#scopes) {
      if (s.circuit.blackBox !== undefined) continue;
      const resolution = resolve(s.circuit);
      const own = s.circuit.signals.flatMap(signal =>
        signal.kind !== "reg"
          ? []
          : this.#registersOf(s, signal, resolution.segments.get(signal) ?? []).map(register => ({ signal, register })),
      );
      for (const r of own) registers.push(r.register);
      coverage?.add(s, own);
      for (const m of s.circuit.memories)
        for (const r of m.readPorts)
          registers.push(
            this.#readPort(
              s,
              m,
              r,
              resolution.writes.find(w =>
                r.own === undefined
                  ? w.port.memory === m && w.port.domain.name === r.domain.name
                  : w.port === r.own.write,
              ),
            ),
          );
      for (const w of resolution.writes) writes.push(this.#write(s, w));
      if (hasProperties(s.circuit))
        checks.push(
          ...checksOf(
            s,
            this.#g,
            (e: Expr) => this.value(s, e),
            d => this.#local(s, d),
          ),
        );
    }
    const outputs = this.#top.circuit.signals
      .filter(s => s.kind === "output")
      .map(s => ({ port: s.name, node: this.#signal(this.#top, s) }));
    const covered = coverage?.finish(registers);
    if (covered !== undefined) registers.push(...covered.registers);
    // After all else: the numbers of nodes and sources are those of a circuit without a wave.
    const traced =
      o.trace === undefined
        ? undefined
        : tracedScope(this.#top, this.#g, o.trace, (s, signal) => this.#valueIfAny(s, signal));
    return {
      nodes: this.#g.nodes,
      inputs: this.#inputs,
      outputs,
      clocks: this.#clocks,
      registers,
      stores: this.#stores,
      writes,
      checks,
      scopes: this.#scopes.map(s => s.path.slice(0, -1)),
      modules: this.#scopes.map(s => s.circuit.name),
      ...(traced === undefined ? {} : { traced }),
      ...(covered === undefined ? {} : { covered }),
    };
  }

  #coverage(): Coverage {
    return new Coverage(this.#g, {
      expression: (s, e) => this.#orNothing(() => this.value(s, e)),
      signal: (s, signal) => this.#valueIfAny(s, signal),
      register: (name, width) => this.#register(this.#top, name, width),
    });
  }

  /** Nothing where the design does not use the signal and it is not driven, or a loop in single bits. */
  #valueIfAny(s: Scope, signal: Signal): Node | undefined {
    return this.#orNothing(() => this.#signal(s, signal));
  }
  #orNothing(value: () => Node): Node | undefined {
    try {
      return value();
    } catch (e) {
      if (e instanceof Loop || e instanceof Unsupported) return undefined;
      throw e;
    }
  }

  /** The resets that instances have of their own on the way down to this domain; undefined when there is none. */
  #local(s: Scope, d: ClockDomain): Node | undefined {
    const list = s.domain(d).local.map(l => this.#signal(l.scope, l.signal));
    return list.length === 0 ? undefined : list.reduce((a, b) => this.#g.or(a, b));
  }

  #registersOf(s: Scope, signal: Signal, segments: readonly Segment[]): Register[] {
    const domain = signal.domain;
    if (domain === undefined) throw new Unsupported(`register ${s.path}${signal.name} has no clock domain`);
    const { clock, tied } = s.domain(domain);
    const resettable = domain.kind !== "none" && domain.reset !== undefined && signal.init !== undefined;
    const local = resettable ? this.#local(s, domain) : undefined;
    if (local !== undefined && domain.kind === "async")
      throw new Unsupported(`register ${s.path}${signal.name} has an asynchronous reset that the design makes itself`);
    return segments.map((g, n) => {
      const q = s.sources.get(signal)?.[n] as Node;
      const whole = signal.init ?? signal.start,
        init = whole === undefined ? undefined : (whole >> BigInt(g.lo)) & ((1n << BigInt(g.width)) - 1n);
      const value = g.value === undefined ? q : this.value(s, g.value);
      return {
        source: q.source as Source,
        clock: tied ? { ...clock, reset: undefined } : clock,
        next:
          local === undefined || init === undefined
            ? value
            : this.#g.mux(local, this.#g.constant(init, g.width), value),
        init,
        style: resettable ? (domain.kind === "async" ? "async" : "sync") : "none",
        scope: s.id,
      };
    });
  }

  /** A clocked read, with the bypass that `new` needs. A collision declared `undefined` reads the old word. */
  #readPort(s: Scope, m: Memory, r: ReadPort, w: ResolvedWrite | undefined): Register {
    const g = this.#g,
      q = s.sources.get(r.data)?.[0] as Node,
      address = this.value(s, r.address);
    let word = g.memRead(s.store(m), address);
    if ((m.collision === "new" || r.own?.reads === "new") && w !== undefined) {
      const at = this.value(s, w.address),
        data = this.value(s, w.data),
        wide = Math.max(at.width, address.width);
      const hit = g.and(this.value(s, w.enable), g.eq(g.zext(at, wide), g.zext(address, wide)));
      const mask = w.mask === undefined ? hit : this.value(s, w.mask);
      const lane = m.width / mask.width;
      word = g.concat(
        Array.from({ length: mask.width }, (_, i) =>
          g.mux(
            w.mask === undefined ? hit : g.and(hit, g.slice(mask, i, 1)),
            g.slice(data, i * lane, lane),
            g.slice(word, i * lane, lane),
          ),
        ),
      );
    }
    // The output of a port stays where it writes.
    if (r.own?.reads === "unchanged" && w !== undefined) word = g.mux(this.value(s, w.enable), q, word);
    return {
      source: q.source as Source,
      clock: s.domain(r.domain).clock,
      next: r.enable === undefined ? word : g.mux(this.value(s, r.enable), word, q),
      init: undefined,
      style: "none",
      scope: s.id,
    };
  }

  #write(s: Scope, w: ResolvedWrite): Write {
    return {
      store: s.store(w.port.memory),
      clock: s.domain(w.port.domain).clock,
      enable: this.value(s, w.enable),
      address: this.value(s, w.address),
      data: this.value(s, w.data),
      mask: w.mask === undefined ? undefined : this.value(s, w.mask),
      scope: s.id,
    };
  }

  #signal(s: Scope, signal: Signal): Node {
    const e: Expr = { kind: "read", signal, width: signal.width, signed: signal.signed };
    return this.value(s, e);
  }

  /** The node of an expression. Depth is bounded by memory, not by the call stack. */
  value(scope: Scope, expr: Expr): Node {
    const root = scope.demand(expr, 0, expr.width);
    const stack: Demand[] = root.node === undefined ? [root] : [];
    for (let d = stack.at(-1); d !== undefined; d = stack.at(-1)) {
      if (d.node !== undefined) {
        stack.pop();
        continue;
      }
      d.busy = true;
      this.#missing = [];
      this.#g.scope = d.scope.id;
      const n = this.#attemptOf(d, stack);
      if (n !== undefined && this.#missing.length === 0) {
        d.node = n;
        d.busy = false;
        stack.pop();
        continue;
      }
      for (const m of this.#missing) {
        if (m.busy) {
          for (const x of stack) x.busy = false;
          throw new Loop(nameOf(stack, m));
        }
        stack.push(m);
      }
    }
    return root.node as Node;
  }

  /** Whoever catches a failure may ask for other values: no demand stays busy. */
  #attemptOf(d: Demand, stack: readonly Demand[]): Node | undefined {
    try {
      return this.#attempt(d);
    } catch (e) {
      for (const x of stack) x.busy = false;
      throw e;
    }
  }

  /** A value that is there, or a note that it is needed first. */
  #get(scope: Scope, e: Expr, lo: number, width: number): Node | undefined {
    const d = scope.demand(e, lo, width);
    if (d.node === undefined) this.#missing.push(d);
    return d.node;
  }

  #attempt(d: Demand): Node | undefined {
    const { scope: s, expr: e, lo, width } = d,
      g = this.#g;
    const whole = lo === 0 && width === e.width;
    switch (e.kind) {
      case "const":
        return g.constant(e.value >> BigInt(lo), width);
      case "read":
        return this.#bits(s, e.signal, lo, width);
      case "slice":
        return this.#get(s, e.a, e.lo + lo, width);
      case "cast":
        return this.#get(s, e.a, lo, width);
      case "concat": {
        const parts: (Node | undefined)[] = [];
        let at = e.width;
        for (const p of e.parts) {
          at -= p.width;
          const from = Math.max(lo, at),
            to = Math.min(lo + width, at + p.width);
          if (from < to) parts.push(this.#get(s, p, from - at, to - from));
        }
        return parts.includes(undefined) ? undefined : g.concat((parts as Node[]).reverse());
      }
      case "extend":
        if (lo + width <= e.a.width) return this.#get(s, e.a, lo, width);
        if (!e.a.signed && lo >= e.a.width) return g.constant(0n, width);
        return this.#extend(s, e, lo, width);
      default:
        if (!whole && this.#precise) return this.#part(d);
        if (whole) return this.#operator(s, e);
        return this.#sliced(this.#whole(s, e), lo, width);
    }
  }

  /** Bits of a bitwise operator are that operator on bits; of a sum they need no higher ones. */
  #part(d: Demand): Node | undefined {
    const { scope: s, expr: e, lo, width } = d,
      g = this.#g;
    const two = (a: Expr, b: Expr, f: (x: Node, y: Node) => Node): Node | undefined =>
      this.#all([this.#get(s, a, lo, width), this.#get(s, b, lo, width)], ([x, y]) => f(x as Node, y as Node));
    if (e.kind === "mux") {
      const c = this.#get(s, e.cond, 0, 1),
        a = this.#get(s, e.a, lo, width),
        b = this.#get(s, e.b, lo, width);
      return this.#all([c, a, b], ([x, y, z]) => g.mux(x as Node, y as Node, z as Node));
    }
    if (e.kind === "unary" && e.op === "not")
      return this.#all([this.#get(s, e.a, lo, width)], ([a]) => g.not(a as Node));
    if (e.kind === "binary") {
      if (e.op === "and") return two(e.a, e.b, (x, y) => g.and(x, y));
      if (e.op === "or") return two(e.a, e.b, (x, y) => g.or(x, y));
      if (e.op === "xor") return two(e.a, e.b, (x, y) => g.xor(x, y));
      if (e.op === "add" || e.op === "sub") {
        const op = e.op,
          most = lo + width;
        return this.#all([this.#get(s, e.a, 0, most), this.#get(s, e.b, 0, most)], ([x, y]) =>
          g.slice(op === "add" ? g.add(x as Node, y as Node) : g.sub(x as Node, y as Node), lo, width),
        );
      }
    }
    return this.#sliced(this.#whole(s, e), lo, width);
  }
  #sliced(of: Node | undefined, lo: number, width: number): Node | undefined {
    return of === undefined ? undefined : this.#g.slice(of, lo, width);
  }
  #extend(s: Scope, e: Extract<Expr, { kind: "extend" }>, lo: number, width: number): Node | undefined {
    const a = this.#whole(s, e.a);
    return a === undefined ? undefined : this.#g.slice(extended(this.#g, a, e.a, e.width), lo, width);
  }

  #all(list: readonly (Node | undefined)[], then: (nodes: readonly Node[]) => Node): Node | undefined {
    const there = list.filter(n => n !== undefined);
    return there.length === list.length ? then(there) : undefined;
  }

  /** Bits of a signal: those segments that have some of them. */
  #bits(s: Scope, signal: Signal, lo: number, width: number): Node | undefined {
    const g = this.#g;
    if (signal.kind === "reg" || signal.kind === "memData" || (signal.kind === "input" && s.parent === undefined)) {
      const all = g.concat(s.sources.get(signal) ?? []);
      return g.slice(all, lo, width);
    }
    if (signal.kind === "input") {
      const outside = s.instance?.connections.get(signal.name);
      if (outside === undefined || s.parent === undefined)
        throw new Unsupported(`input ${s.path}${signal.name} is not connected`);
      return this.#bits(s.parent, outside, lo, width);
    }
    if (signal.kind === "instanceOut") {
      const below = signal.instance === undefined ? undefined : s.children.get(signal.instance);
      const inside = below?.outputOf(signal);
      if (below === undefined || inside === undefined) throw new Unsupported(`${s.path}${signal.name} has no instance`);
      if (below.circuit.blackBox !== undefined) return g.constant(0n, width);
      return this.#bits(below, inside, lo, width);
    }
    const segments = segmentsIn(resolve(s.circuit).segments.get(signal) ?? [], lo, width);
    return this.#all(
      segments.map(x => {
        if (x.value === undefined) throw new Unsupported(`${s.path}${signal.name} has bits that nothing drives`);
        const from = Math.max(lo, x.lo),
          to = Math.min(lo + width, x.lo + x.width);
        return this.#get(s, x.value, from - x.lo, to - from);
      }),
      list => g.concat(list),
    );
  }

  #operator(
    s: Scope,
    e: Exclude<Expr, { kind: "const" | "read" | "slice" | "cast" | "concat" | "extend" }>,
  ): Node | undefined {
    const g = this.#g;
    switch (e.kind) {
      case "memRead":
        return this.#memRead(s, e);
      case "unary": {
        const a = this.#whole(s, e.a);
        return a === undefined ? undefined : unary(g, e.op, a);
      }
      case "binary": {
        const a = this.#whole(s, e.a),
          b = this.#whole(s, e.b);
        return a === undefined || b === undefined ? undefined : binary(g, e, a, b);
      }
      case "shift": {
        const a = this.#whole(s, e.a),
          by = this.#whole(s, e.by);
        if (a === undefined || by === undefined) return undefined;
        return e.op === "left" ? g.shl(a, by) : e.a.signed ? g.sar(a, by) : g.shr(a, by);
      }
      case "mux": {
        const c = this.#whole(s, e.cond),
          a = this.#whole(s, e.a),
          b = this.#whole(s, e.b);
        return c === undefined || a === undefined || b === undefined ? undefined : g.mux(c, a, b);
      }
      case "pick": {
        const a = this.#whole(s, e.a),
          index = this.#whole(s, e.index);
        return a === undefined || index === undefined ? undefined : g.pick(a, index, e.width);
      }
    }
  }
  #whole(s: Scope, e: Expr): Node | undefined {
    return this.#get(s, e, 0, e.width);
  }

  #memRead(s: Scope, e: MemRead): Node | undefined {
    const address = this.#whole(s, e.address);
    return address === undefined ? undefined : this.#g.memRead(s.store(e.memory), address);
  }
}

function unary(g: Graph, op: Extract<Expr, { kind: "unary" }>["op"], a: Node): Node {
  switch (op) {
    case "not":
      return g.not(a);
    case "neg":
      return g.neg(a);
    case "reduceAnd":
      return g.redAnd(a);
    case "reduceOr":
      return g.redOr(a);
    case "reduceXor":
      return g.redXor(a);
  }
}

function binary(g: Graph, e: Extract<Expr, { kind: "binary" }>, a: Node, b: Node): Node {
  switch (e.op) {
    case "add":
      return g.add(a, b);
    case "sub":
      return g.sub(a, b);
    case "mul":
      return g.mul(extended(g, a, e.a, e.width), extended(g, b, e.b, e.width));
    case "and":
      return g.and(a, b);
    case "or":
      return g.or(a, b);
    case "xor":
      return g.xor(a, b);
    case "eq":
      return g.eq(a, b);
    case "ne":
      return g.not(g.eq(a, b));
    case "lt":
      return less(g, e.a, a, b);
    case "le":
      return g.not(less(g, e.a, b, a));
    case "gt":
      return less(g, e.a, b, a);
    case "ge":
      return g.not(less(g, e.a, a, b));
  }
}

const extended = (g: Graph, n: Node, of: Expr, width: number): Node =>
  of.signed ? g.sext(n, width) : g.zext(n, width);
const less = (g: Graph, of: Expr, x: Node, y: Node): Node => (of.signed ? g.slt(x, y) : g.ult(x, y));

const hasProperties = (c: Circuit): boolean => {
  for (const s of allStatements(c.body)) if (s.kind === "property") return true;
  return false;
};

/** The signal that the loop goes through, for the sentence. */
function nameOf(stack: readonly Demand[], at: Demand): string {
  for (const d of [at, ...[...stack].reverse()])
    if (d.expr.kind === "read") return `${d.scope.path}${d.expr.signal.name}`;
  return "an expression";
}
