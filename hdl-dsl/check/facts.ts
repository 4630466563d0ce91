/**
 * Dependences within a cycle: a graph over runs of bits, through wires, instances and asynchronous reads. One walk
 * gives the combinational loops and, per value, the inputs and the clock domains that it is computed from.
 */
import type { Circuit, ClockDomain, Signal } from "../ir/circuit.ts";
import type { Expr } from "../ir/expr.ts";
import { type Resolution, type Segment, segmentsIn } from "../ir/resolve.ts";

/** Facts about the inside of a circuit for its outside. Leaves by their flattened port name. */
export interface Summary {
  /** Output leaf -> input leaves that it depends on within the same cycle. */
  readonly through: ReadonlyMap<string, ReadonlySet<string>>;
  /** Output leaf -> names of the clock domains whose registers it comes from. */
  readonly launched: ReadonlyMap<string, ReadonlySet<string>>;
  /** Input leaf -> names of the clock domains whose registers take it, synchronisers left out. */
  readonly captured: ReadonlyMap<string, ReadonlySet<string>>;
  /** Input leaf -> the synchroniser that it leads straight to. */
  readonly synchronised: ReadonlyMap<string, Entry>;
}

/** A value that the first register of a synchroniser takes. */
export interface Entry {
  /** Name of the synchroniser's clock domain. */
  readonly domain: string;
  /** Bits. */
  readonly width: number;
  /** The user says that one bit changes at a time. */
  readonly oneBitAtATime: boolean;
}

/** One vertex: bits lo .. lo+width-1 of an expression or of a driven signal, or a whole output of an instance. */
interface Vertex {
  readonly expr: Expr | undefined;
  readonly segment: Segment | undefined;
  readonly output: Signal | undefined;
  readonly lo: number;
  readonly width: number;
  state: "new" | "open" | "done";
  /** Bit sets over the circuit's inputs and domains. */
  inputs: bigint;
  domains: bigint;
}

/** A vertex on the walk's stack, and the next of its successors to look at. */
interface Frame {
  readonly v: Vertex;
  readonly next: readonly Vertex[];
  at: number;
}

/** A combinational loop as the driven signals on it, in the order in which each is computed from the next one. */
export interface Loop {
  readonly signals: readonly {
    readonly signal: Signal;
    readonly lo: number;
    readonly width: number;
    readonly whole: boolean;
  }[];
}

/** Number of ranges of one expression that are distinguished; beyond, the expression counts as a whole. */
const RANGES = 64;

export class Facts {
  readonly loops: Loop[] = [];
  readonly #circuit: Circuit;
  readonly #resolution: Resolution;
  readonly #summaryOf: (c: Circuit) => Summary;
  readonly #expressions = new Map<Expr, Vertex | Map<number, Vertex>>();
  readonly #segments = new Map<Segment, Vertex>();
  readonly #outputs = new Map<Signal, Vertex>();
  readonly #inputBits = new Map<Signal, bigint>();
  readonly #inputs: Signal[] = [];
  readonly #domainBits = new Map<string, bigint>();
  readonly #domains: string[] = [];
  readonly #onLoop = new Set<Signal>();
  readonly #boundary = new Map<Signal, { readonly through: readonly Signal[]; readonly domains: bigint }>();

  constructor(circuit: Circuit, resolution: Resolution, summaryOf: (c: Circuit) => Summary) {
    this.#circuit = circuit;
    this.#resolution = resolution;
    this.#summaryOf = summaryOf;
    for (const s of circuit.signals)
      if (s.kind === "input") {
        this.#inputBits.set(s, 1n << BigInt(this.#inputs.length));
        this.#inputs.push(s);
      }
    this.#crossInstances();
    for (const segments of resolution.segments.values())
      for (const s of segments) if (s.signal.kind !== "reg") this.#visit(this.#segment(s));
  }

  /** Inputs that an expression depends on within the cycle. */
  inputsOf(e: Expr): ReadonlySet<Signal> {
    return this.#inputSet(this.#visited(e).inputs);
  }
  /** Inputs that a driven signal depends on within the cycle. */
  inputsOfSignal(s: Signal): ReadonlySet<Signal> {
    return this.#inputSet(this.#drivers(s).reduce((all, v) => all | v.inputs, 0n));
  }
  /** Names of the clock domains of the registers and ports that an expression is computed from. */
  domainsOf(e: Expr): ReadonlySet<string> {
    const v = this.#visited(e);
    return this.#withInputs(v.domains, v.inputs);
  }
  /** As `domainsOf`, for what drives a signal. */
  domainsOfSignal(s: Signal): ReadonlySet<string> {
    let domains = 0n,
      inputs = 0n;
    for (const v of this.#drivers(s)) {
      domains |= v.domains;
      inputs |= v.inputs;
    }
    return this.#withInputs(domains, inputs);
  }
  /** As `domainsOfSignal` without what comes in by ports: the circuit's surroundings know better. */
  launchedInto(s: Signal): ReadonlySet<string> {
    return this.#domainSet(this.#drivers(s).reduce((all, v) => all | v.domains, 0n));
  }

  #drivers(s: Signal): Vertex[] {
    return (this.#resolution.segments.get(s) ?? []).map(g => this.#visit(this.#segment(g)));
  }
  #withInputs(domains: bigint, inputs: bigint): Set<string> {
    const names = this.#domainSet(domains);
    for (const i of this.#inputSet(inputs)) if (i.domain !== undefined) names.add(i.domain.name);
    return names;
  }

  /** Some register, port or instance output of another domain than `own` that an expression depends on. */
  foreignSource(e: Expr, own: string): Signal | undefined {
    const seen = new Set<Vertex>();
    const stack = [this.#visited(e)];
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      if (seen.has(v)) continue;
      seen.add(v);
      const direct = v.expr?.kind === "read" ? v.expr.signal : v.output;
      if (direct !== undefined && [...this.#domainSet(this.#launch(direct))].some(d => d !== own)) return direct;
      if (direct?.kind === "input" && direct.domain !== undefined && direct.domain.name !== own) return direct;
      stack.push(...this.#successors(v));
    }
    return undefined;
  }

  #inputSet(bits: bigint): Set<Signal> {
    return new Set(numbersIn(bits).map(n => this.#inputs[n] as Signal));
  }
  #domainSet(bits: bigint): Set<string> {
    return new Set(numbersIn(bits).map(n => this.#domains[n] as string));
  }

  #domainBit(name: string): bigint {
    let bit = this.#domainBits.get(name);
    if (bit === undefined) {
      this.#domainBits.set(name, (bit = 1n << BigInt(this.#domains.length)));
      this.#domains.push(name);
    }
    return bit;
  }

  /** Dependences of instance outputs, in terms of this circuit. */
  #crossInstances(): void {
    for (const i of this.#circuit.instances) {
      const inside = this.#summaryOf(i.circuit);
      for (const [leaf, signal] of i.connections) {
        if (signal.kind !== "instanceOut") continue;
        const through: Signal[] = [];
        for (const n of inside.through.get(leaf) ?? []) {
          const from = i.connections.get(n);
          if (from !== undefined) through.push(from);
        }
        let domains = 0n;
        for (const d of inside.launched.get(leaf) ?? []) domains |= this.#domainBit(i.domains.get(d)?.name ?? d);
        this.#boundary.set(signal, { through, domains });
      }
    }
  }

  /** The domains that a signal itself brings in. */
  #launch(s: Signal): bigint {
    switch (s.kind) {
      case "reg":
      case "memData":
        return s.domain === undefined ? 0n : this.#domainBit(s.domain.name);
      case "instanceOut":
        return this.#boundary.get(s)?.domains ?? 0n;
      case "input":
      case "wire":
      case "output":
      case "instanceIn":
        return 0n;
    }
  }

  #segment(s: Segment): Vertex {
    let v = this.#segments.get(s);
    if (v === undefined) this.#segments.set(s, (v = vertex(s.lo, s.width, undefined, s)));
    return v;
  }

  #part(expr: Expr, lo: number, width: number): Vertex {
    const known = this.#expressions.get(expr);
    // Nearly all expressions are looked at in one range only.
    if (known === undefined) return this.#first(expr, lo, width);
    if (!(known instanceof Map)) {
      if (known.lo === lo && known.width === width) return known;
      this.#expressions.set(expr, new Map([[keyOf(known.lo, known.width), known]]));
      return this.#part(expr, lo, width);
    }
    const whole = known.size >= RANGES && expr.kind !== "read" && expr.kind !== "slice";
    const from = whole ? 0 : lo,
      bits = whole ? expr.width : width;
    const key = keyOf(from, bits);
    let v = known.get(key);
    if (v === undefined) known.set(key, (v = vertex(from, bits, expr)));
    return v;
  }

  #first(expr: Expr, lo: number, width: number): Vertex {
    const v = vertex(lo, width, expr);
    this.#expressions.set(expr, v);
    return v;
  }

  #whole(e: Expr): Vertex {
    return this.#part(e, 0, e.width);
  }
  #visited(e: Expr): Vertex {
    return this.#visit(this.#whole(e));
  }

  #ofSignal(s: Signal, lo: number, width: number): Vertex[] {
    switch (s.kind) {
      case "wire":
      case "output":
      case "instanceIn": {
        const all = this.#resolution.segments.get(s) ?? [],
          only = all[0];
        // Nearly all signals are driven whole.
        if (all.length === 1 && only !== undefined) return [this.#segment(only)];
        return segmentsIn(all, lo, width).map(g => this.#segment(g));
      }
      case "instanceOut": {
        let v = this.#outputs.get(s);
        if (v === undefined) this.#outputs.set(s, (v = vertex(0, s.width, undefined, undefined, s)));
        return [v];
      }
      case "input":
      case "reg":
      case "memData":
        return [];
    }
  }

  #successors(v: Vertex): Vertex[] {
    if (v.segment !== undefined) return v.segment.value === undefined ? [] : [this.#whole(v.segment.value)];
    if (v.output !== undefined)
      return (this.#boundary.get(v.output)?.through ?? []).flatMap(s => this.#ofSignal(s, 0, s.width));
    const e = v.expr;
    if (e === undefined) return [];
    const { lo, width } = v,
      hi = lo + width;
    switch (e.kind) {
      case "const":
        return [];
      case "read":
        return this.#ofSignal(e.signal, lo, width);
      case "memRead":
        return [this.#whole(e.address)];
      case "unary":
        return [
          e.op === "not" ? this.#part(e.a, lo, width) : e.op === "neg" ? this.#part(e.a, 0, hi) : this.#whole(e.a),
        ];
      case "binary":
        switch (e.op) {
          case "and":
          case "or":
          case "xor":
            return [this.#part(e.a, lo, width), this.#part(e.b, lo, width)];
          // Carries go upwards only.
          case "add":
          case "sub":
            return [this.#part(e.a, 0, hi), this.#part(e.b, 0, hi)];
          case "mul":
            return [this.#part(e.a, 0, Math.min(hi, e.a.width)), this.#part(e.b, 0, Math.min(hi, e.b.width))];
          default:
            return [this.#whole(e.a), this.#whole(e.b)];
        }
      case "shift":
        return [e.op === "left" ? this.#part(e.a, 0, hi) : this.#part(e.a, lo, e.width - lo), this.#whole(e.by)];
      case "mux":
        return [this.#whole(e.cond), this.#part(e.a, lo, width), this.#part(e.b, lo, width)];
      case "concat": {
        const out: Vertex[] = [];
        let top = e.width;
        for (const p of e.parts) {
          const from = Math.max(lo, top - p.width),
            to = Math.min(hi, top);
          top -= p.width;
          if (from < to) out.push(this.#part(p, from - top, to - from));
        }
        return out;
      }
      case "slice":
        return [this.#part(e.a, e.lo + lo, width)];
      case "pick":
        return [this.#whole(e.a), this.#whole(e.index)];
      case "extend": {
        const from = Math.min(lo, e.a.width),
          to = Math.min(hi, e.a.width);
        if (from < to) return [this.#part(e.a, from, to - from)];
        return e.a.signed ? [this.#part(e.a, e.a.width - 1, 1)] : [];
      }
      case "cast":
        return [this.#part(e.a, lo, width)];
    }
  }

  /** Depth first without recursion; a vertex met while open closes a loop. */
  #visit(root: Vertex): Vertex {
    if (root.state === "done") return root;
    const stack: Frame[] = [this.#open(root)];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const n = top.next[top.at];
      if (n === undefined) {
        top.v.state = "done";
        stack.pop();
        continue;
      }
      if (n.state === "new") {
        stack.push(this.#open(n));
        continue;
      }
      if (n.state === "open") this.#loop(stack.slice(stack.findIndex(f => f.v === n)).map(f => f.v));
      else {
        top.v.inputs = union(top.v.inputs, n.inputs);
        top.v.domains = union(top.v.domains, n.domains);
      }
      top.at++;
    }
    return root;
  }

  #open(v: Vertex): Frame {
    v.state = "open";
    if (v.expr?.kind === "read") {
      v.inputs = this.#inputBits.get(v.expr.signal) ?? 0n;
      v.domains = this.#launch(v.expr.signal);
    } else if (v.output !== undefined) v.domains = this.#launch(v.output);
    return { v, next: this.#successors(v), at: 0 };
  }

  #loop(path: readonly Vertex[]): void {
    const signals = path.flatMap(v => {
      const signal = v.segment?.signal ?? v.output;
      return signal === undefined ? [] : [{ signal, lo: v.lo, width: v.width, whole: v.width === signal.width }];
    });
    if (signals.some(s => this.#onLoop.has(s.signal))) return;
    for (const s of signals) this.#onLoop.add(s.signal);
    // The loop starts with the signal declared first, wherever the walk came in.
    const rank = (n: number): number =>
      this.#circuit.signals.indexOf(signals[n]?.signal as Signal) * 0x100000 + (signals[n]?.lo ?? 0);
    const ranks = signals.map((_, n) => rank(n));
    const first = ranks.indexOf(Math.min(...ranks));
    this.loops.push({ signals: [...signals.slice(first), ...signals.slice(0, first)] });
  }
}

/** The union of two bit sets. Nearly always one is empty or both are the same: no new number then. */
const union = (a: bigint, b: bigint): bigint => (b === 0n || a === b ? a : a === 0n ? b : a | b);

const keyOf = (lo: number, width: number): number => lo * 0x100000 + width;

function vertex(lo: number, width: number, expr?: Expr, segment?: Segment, output?: Signal): Vertex {
  return { expr, segment, output, lo, width, state: "new", inputs: 0n, domains: 0n };
}

function numbersIn(bits: bigint): number[] {
  const out: number[] = [];
  for (let n = 0, rest = bits; rest !== 0n; n++, rest >>= 1n) if ((rest & 1n) === 1n) out.push(n);
  return out;
}

/**
 * Where a value is stored at a clock edge: the register or memory, its domain, and the expressions that decide
 * what it stores.
 */
export interface Capture {
  readonly what: "register" | "memory";
  readonly name: string;
  readonly signal: Signal | undefined;
  readonly domain: ClockDomain;
  readonly expr: Expr;
  readonly position: Circuit["position"];
}

/**
 * Every register and memory port of the circuit with what it takes; registers marked `async_reg` are synchronisers and
 * are left out.
 */
export function captures(circuit: Circuit, resolution: Resolution): Capture[] {
  const out: Capture[] = [];
  for (const [signal, segments] of resolution.segments) {
    if (signal.kind !== "reg" || signal.domain === undefined || signal.attributes?.["async_reg"] !== undefined)
      continue;
    for (const s of segments) {
      if (s.value !== undefined)
        out.push({
          what: "register",
          name: signal.name,
          signal,
          domain: signal.domain,
          expr: s.value,
          position: signal.position,
        });
    }
  }
  for (const w of resolution.writes) {
    const m = w.port.memory;
    for (const expr of [w.enable, w.address, w.data, ...(w.mask === undefined ? [] : [w.mask])]) {
      out.push({ what: "memory", name: m.name, signal: undefined, domain: w.port.domain, expr, position: m.position });
    }
  }
  for (const m of circuit.memories)
    for (const r of m.readPorts) {
      for (const expr of r.enable === undefined ? [r.address] : [r.address, r.enable])
        out.push({ what: "memory", name: m.name, signal: undefined, domain: r.domain, expr, position: r.position });
    }
  return out;
}
