/** A module of the text as a circuit of the language. */
import { ir } from "../../../hdl-dsl/index.ts";
import { Clocked } from "./clocked.ts";
import { type Clocks, eventsOf, type Head, headOf } from "./clocks.ts";
import { Expressions, resized } from "./expressions.ts";
import { Names } from "./names.ts";
import type { Always, Declaration, Expression, InstanceOf, Module, Statement } from "./syntax.ts";
import { assignBits, spread, targetsOf, widthOf } from "./targets.ts";
import { unreadable } from "./unreadable.ts";

const { constant, read } = ir.make;

/** What a clock port of a module hangs on. */
export interface ClockPort {
  readonly port: string;
  /** The input port that resets the domain, straight from the top; undefined: resets are values like others. */
  readonly reset: string | undefined;
  readonly low: boolean;
}
/** Reads a module below with its parameters and clocks; each sort once. */
export type ReadBelow = (
  module: string,
  parameters: ReadonlyMap<string, ir.Expr>,
  clocks: readonly ClockPort[],
) => ir.Circuit;

type Kind = ir.ClockDomain["kind"];

export class ModuleReader {
  readonly #m: Module;
  readonly #ports: readonly ClockPort[];
  readonly #clocks: Clocks;
  readonly #modules: ReadonlyMap<string, Module>;
  readonly #below: ReadBelow;
  readonly #names: Names;
  readonly #x: Expressions;
  readonly #signals: ir.Signal[] = [];
  readonly #memories: ir.Memory[] = [];
  readonly #instances: ir.Instance[] = [];
  readonly #body: ir.Stmt[] = [];
  readonly #domains = new Map<string, ir.ClockDomain>();
  readonly #aliases: ReadonlySet<string>;
  /** Blocks whose reset is the domain's: what is left of them. */
  readonly #resets = new Map<Always, Head>();
  /** Registers: their reset or initial value, and the domain. */
  readonly #registers = new Map<string, { domain: ir.ClockDomain; init: Expression | undefined }>();

  constructor(
    m: Module,
    parameters: ReadonlyMap<string, ir.Expr>,
    ports: readonly ClockPort[],
    clocks: Clocks,
    modules: ReadonlyMap<string, Module>,
    below: ReadBelow,
  ) {
    this.#m = m;
    this.#ports = ports;
    this.#clocks = clocks;
    this.#modules = modules;
    this.#below = below;
    this.#names = new Names(m.name);
    this.#x = new Expressions(this.#names);
    this.#aliases = this.#clockNets();
    for (const p of m.parameters) this.#parameter(p, parameters);
  }

  run(): ir.Circuit {
    const m = this.#m,
      domains = this.#ports.map(p => this.#domain(p.port, p.reset === undefined ? "none" : "sync"));
    for (const a of m.always) this.#findRegisters(a);
    const starts = this.#initialValues();
    for (const d of m.declarations) this.#declare(d, starts);
    for (const i of m.instances) this.#instance(i);
    for (const d of m.declarations) if (d.what === "wire" && d.value !== undefined) this.#wire(d, d.value);
    for (const a of m.assigns) if (!this.#isClock(a.target)) this.#assign(a.target, a.value);
    for (const a of m.always) this.#always(a);
    return {
      name: m.name,
      parameters: [],
      ports: {},
      domains,
      made: [],
      signals: this.#signals,
      memories: this.#memories,
      instances: this.#instances,
      streams: [],
      body: this.#body,
      position: undefined,
    };
  }

  #parameter(p: Module["parameters"][number], given: ReadonlyMap<string, ir.Expr>): void {
    const value = (p.local ? undefined : given.get(p.name)) ?? this.#x.value(p.value);
    if (value.kind !== "const") {
      if (p.value.kind === "string") return;
      throw unreadable(p.at, `the parameter ${p.name}, whose value is no constant`);
    }
    const sized = p.range === undefined ? value : resized(value, this.#x.range(p.range).width);
    this.#names.set(p.name, { kind: "constant", value: sized });
  }

  #domain(port: string, kind: Kind): ir.ClockDomain {
    const key = `${port} ${kind}`,
      p = this.#ports.find(x => x.port === port);
    let d = this.#domains.get(key);
    if (d === undefined) {
      const reset = kind === "none" ? undefined : p?.reset;
      d = { name: port, clock: port, reset, kind, ...(p?.low === true ? { low: true } : {}) };
      this.#domains.set(key, d);
    }
    return d;
  }

  /** The registers of a block, before any signal is made: what they reset to is part of them. */
  #findRegisters(a: Always): void {
    if (a.events.length === 0) throw unreadable(a.at, "a combinational always block");
    const { clock, reset: asynchronous } = eventsOf(a),
      port = this.#clocks.rootOf(this.#m, clock),
      head = headOf(a.body),
      mine = this.#ports.find(p => p.port === port);
    const driven = new Set<string>();
    collect(a.body, driven);
    const values = head === undefined ? undefined : resetValues(head.then, e => this.#isConstant(e));
    const whole = values !== undefined && [...driven].every(n => values.has(n));
    const own = head !== undefined && mine?.reset === head.name && mine.low === head.low && whole;
    if (asynchronous !== undefined && !own)
      throw unreadable(
        a.at,
        "a block with an asynchronous reset that is not its domain's, or that leaves registers out",
      );
    if (own) this.#resets.set(a, head);
    const domain = this.#domain(port, own ? (asynchronous === undefined ? "sync" : "async") : "none");
    for (const n of driven) this.#registers.set(n, { domain, init: own ? values.get(n) : undefined });
  }

  /** Values of `initial` blocks: of registers by name, of memories by name and address. */
  #initialValues(): Map<string, Map<number, ir.Expr>> {
    const found = new Map<string, Map<number, ir.Expr>>();
    const set = (name: string, at: number, value: ir.Expr): void => {
      let words = found.get(name);
      if (words === undefined) found.set(name, (words = new Map<number, ir.Expr>()));
      words.set(at, value);
    };
    const loops = new Clocked(this.#names, this.#x, { name: "", clock: "", reset: undefined, kind: "none" });
    const run = (s: Statement): void => {
      if (s.kind === "block") s.body.forEach(run);
      else if (s.kind === "for") for (const _ of loops.turns(s)) run(s.body);
      else if (s.kind === "assign" && s.target.kind === "name") set(s.target.name, 0, this.#x.value(s.value));
      else if (s.kind === "assign" && s.target.kind === "bit" && s.target.of.kind === "name")
        set(s.target.of.name, this.#x.number(s.target.index), this.#x.value(s.value));
      else throw unreadable(s.at, "an initial block that does more than set registers and memories");
    };
    this.#m.initials.forEach(run);
    for (const d of this.#m.declarations)
      if (d.what === "reg" && d.value !== undefined) set(d.name, 0, this.#x.value(d.value));
    return found;
  }

  #declare(d: Declaration, starts: ReadonlyMap<string, ReadonlyMap<number, ir.Expr>>): void {
    if (d.what === "integer") return;
    if (this.#ports.some(p => p.port === d.name) || (d.port === undefined && this.#aliases.has(d.name))) {
      this.#names.set(d.name, { kind: "clock", signal: this.#signal("wire", d, 1, {}), lsb: 0 });
      return;
    }
    const { width, lsb } = this.#x.range(d.range),
      start = starts.get(d.name);
    if (d.words !== undefined) {
      this.#memory(d, width, start);
      return;
    }
    const register = this.#registers.get(d.name),
      first = start?.get(0);
    // What nothing assigns holds what it starts with: a constant, or an open value. A module without a clock has no
    // domain to hold an open value in: there it is 0.
    const clocked = register !== undefined || (first === undefined && this.#ports.length > 0),
      held = d.what === "reg" && clocked;
    const inner = this.#signal(
      held ? "reg" : d.port === "input" ? "input" : d.port === "output" ? "output" : "wire",
      d,
      width,
      {
        domain: register?.domain ?? (held ? this.#domain(this.#ports[0]?.port ?? "", "none") : undefined),
        init: held ? this.#init(register?.init, first, width, d) : undefined,
      },
    );
    this.#names.set(d.name, { kind: "signal", signal: inner, lsb });
    // What nothing drives is 0, as in Verilator; what drives it comes later and wins.
    if (inner.kind === "wire" || inner.kind === "output")
      this.#body.push(...assignBits({ kind: "bits", signal: inner, lo: 0, width }, constant(0n, width)));
    if (!held && first !== undefined)
      this.#body.push(...assignBits({ kind: "bits", signal: inner, lo: 0, width }, resized(first, width)));
    if (!held || d.port !== "output") return;
    const port = this.#signal("output", d, width, {});
    this.#body.push(...assignBits({ kind: "bits", signal: port, lo: 0, width }, read(inner)));
  }
  /** What a register has under reset, or from the start where it is not reset. */
  #init(reset: Expression | undefined, start: ir.Expr | undefined, width: number, d: Declaration): bigint | undefined {
    const value =
      reset === undefined ? (start === undefined ? undefined : resized(start, width)) : this.#x.assigned(reset, width);
    if (value === undefined) return undefined;
    if (value.kind !== "const") throw unreadable(d.at, `the register ${d.name}, which starts from no constant`);
    return value.value;
  }
  #signal(
    kind: ir.Signal["kind"],
    d: { readonly name: string; readonly signed: boolean },
    width: number,
    more: Partial<ir.Signal>,
  ): ir.Signal {
    const s: ir.Signal = { kind, name: d.name, width, signed: d.signed, position: undefined, ...more };
    this.#signals.push(s);
    return s;
  }

  #memory(d: Declaration, width: number, start: ReadonlyMap<number, ir.Expr> | undefined): void {
    if (d.words === undefined) return;
    const a = this.#x.number(d.words.high),
      b = this.#x.number(d.words.low),
      first = Math.min(a, b),
      depth = Math.abs(a - b) + 1;
    const init = start === undefined ? undefined : Array.from({ length: depth }, () => 0n);
    for (const [at, e] of start ?? []) {
      const word = resized(e, width);
      if (word.kind === "const" && init !== undefined && at - first < depth) init[at - first] = word.value;
    }
    const memory: ir.Memory = {
      name: d.name,
      width,
      depth,
      collision: "old",
      style: "auto",
      init,
      position: undefined,
      writePorts: [],
      readPorts: [],
    };
    this.#memories.push(memory);
    this.#names.set(d.name, { kind: "memory", memory, first });
  }

  /** The nets that clock something, here or below: they only pass a clock on. */
  #clockNets(): Set<string> {
    const nets = this.#m.always.flatMap(a => (a.events.length === 0 ? [] : [eventsOf(a).clock]));
    for (const i of this.#m.instances)
      for (const [, e] of this.#clockPins(i)) if (e?.kind === "name") nets.push(e.name);
    return new Set(nets);
  }
  #clockPins(i: InstanceOf): readonly (readonly [string, Expression | undefined])[] {
    const below = this.#modules.get(i.module);
    if (below === undefined) return [];
    const ports = this.#clocks.portsOf(below);
    return i.pins.filter(([n]) => ports.has(n));
  }
  #isClock(e: Expression): boolean {
    return e.kind === "name" && this.#names.find(e.name)?.kind === "clock";
  }

  #wire(d: Declaration, value: Expression): void {
    if (this.#names.find(d.name)?.kind !== "clock") this.#assign({ kind: "name", name: d.name, at: d.at }, value);
  }
  #assign(target: Expression, from: Expression): void {
    const targets = targetsOf(target, this.#names, this.#x),
      value = this.#x.assigned(from, widthOf(targets));
    for (const [t, v] of spread(targets, value)) {
      if (t.kind !== "bits" || t.index !== undefined)
        throw unreadable(target.at, "a continuous assignment to a chosen bit");
      this.#body.push(...assignBits(t, v));
    }
  }

  #isConstant(e: Expression): boolean {
    switch (e.kind) {
      case "number":
        return true;
      case "name":
        return this.#names.find(e.name)?.kind === "constant";
      case "unary":
      case "repeat":
      case "sign":
        return this.#isConstant(e.a);
      case "concat":
        return e.parts.every(p => this.#isConstant(p));
      default:
        return false;
    }
  }

  #always(a: Always): void {
    const { clock } = eventsOf(a),
      port = this.#clocks.rootOf(this.#m, clock),
      head = this.#resets.get(a);
    const clocked = new Clocked(this.#names, this.#x, this.#domain(port, "none"));
    if (head === undefined) this.#body.push(...clocked.read(a.body));
    else if (head.otherwise !== undefined) this.#body.push(...clocked.read(head.otherwise));
  }

  #instance(i: InstanceOf): void {
    const below = this.#modules.get(i.module);
    if (below === undefined)
      throw unreadable(i.at, `the instance ${i.name} of ${i.module}, a module that is not there`);
    const clocks: ClockPort[] = [],
      domains = new Map<string, ir.ClockDomain>();
    for (const [pin, e] of this.#clockPins(i)) {
      const root = this.#clocks.rootOf(this.#m, e?.kind === "name" ? e.name : ""),
        mine = this.#ports.find(p => p.port === root);
      const reset =
        mine?.reset === undefined
          ? undefined
          : i.pins.find(([, v]) => v?.kind === "name" && v.name === mine.reset)?.[0];
      clocks.push({ port: pin, reset, low: reset !== undefined && mine?.low === true });
      domains.set(pin, this.#domain(root, reset === undefined ? "none" : "sync"));
    }
    const parameters = new Map(
      i.parameters.flatMap(([n, e]) => (e.kind === "string" ? [] : [[n, this.#x.value(e)] as const])),
    );
    const circuit = this.#below(i.module, parameters, clocks);
    const connections = new Map<string, ir.Signal>(),
      instance: ir.Instance = { name: i.name, circuit, connections, domains, position: undefined };
    this.#instances.push(instance);
    for (const [pin, e] of i.pins) if (e !== undefined) this.#pin(instance, below, pin, e);
  }
  #pin(instance: ir.Instance, below: Module, pin: string, e: Expression): void {
    const port = instance.circuit.signals.find(s => s.name === pin && (s.kind === "input" || s.kind === "output"));
    if (port === undefined) {
      if (!below.declarations.some(d => d.name === pin))
        throw unreadable(e.at, `a pin ${pin} that ${below.name} does not have`);
      return;
    }
    const kind = port.kind === "input" ? "instanceIn" : "instanceOut";
    // An output that only passes a clock on.
    if (kind === "instanceOut" && this.#isClock(e)) return;
    const s = this.#signal(kind, { name: `${instance.name}.${pin}`, signed: port.signed }, port.width, { instance });
    instance.connections.set(pin, s);
    if (kind === "instanceIn")
      this.#body.push(...assignBits({ kind: "bits", signal: s, lo: 0, width: s.width }, this.#x.assigned(e, s.width)));
    else {
      const targets = targetsOf(e, this.#names, this.#x),
        value = resized(read(s), widthOf(targets));
      for (const [t, v] of spread(targets, value)) if (t.kind === "bits") this.#body.push(...assignBits(t, v));
    }
  }
}

/** The names of the registers that statements drive. */
function collect(s: Statement, into: Set<string>): void {
  if (s.kind === "block") for (const x of s.body) collect(x, into);
  else if (s.kind === "if") {
    collect(s.then, into);
    if (s.otherwise !== undefined) collect(s.otherwise, into);
  } else if (s.kind === "case") {
    for (const i of s.items) collect(i.body, into);
    if (s.otherwise !== undefined) collect(s.otherwise, into);
  } else if (s.kind === "for") collect(s.body, into);
  else if (s.kind === "assign") names(s.target, into);
}
function names(e: Expression, into: Set<string>): void {
  if (e.kind === "name") into.add(e.name);
  else if (e.kind === "concat") for (const p of e.parts) names(p, into);
  else if (e.kind === "bit" || e.kind === "range" || e.kind === "part") names(e.of, into);
}

/** The constants that a branch gives whole registers; undefined when it does anything else. */
function resetValues(s: Statement, isConstant: (e: Expression) => boolean): Map<string, Expression> | undefined {
  const values = new Map<string, Expression>();
  for (const x of s.kind === "block" ? s.body : [s]) {
    if (x.kind !== "assign" || x.blocking || x.target.kind !== "name" || !isConstant(x.value)) return undefined;
    values.set(x.target.name, x.value);
  }
  return values;
}
