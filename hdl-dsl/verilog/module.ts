/** One circuit to one Verilog module. */
import type { Circuit, ClockDomain, Memory, Signal } from "../ir/circuit.ts";
import type { Const, Expr } from "../ir/expr.ts";
import { resolve, type Resolution, type Segment } from "../ir/resolve.ts";
import { allStatements, expressionsOf } from "../ir/walk.ts";
import { propertyGroups, registerGroups, type PropertyGroup, type RegisterGroup } from "./always.ts";
import type { VDeclare, VExpr, VInstance, VItem, VLocalparam, VModule, VName, VPort } from "./ast.ts";
import { Expressions } from "./expressions.ts";
import { memoryItems } from "./memory.ts";
import { NameTable } from "./names.ts";
import { concat, name, number, range, unary } from "./nodes.ts";
import { selfDependent, throughPieces, type Piece } from "./split.ts";
import { propertyItems, registerItems } from "./statements.ts";
import { unusedBits } from "./unused.ts";
import { GENERATOR } from "./version.ts";

/** The Verilog names of a circuit: its own, since those of a keyword or a clash change. */
export interface ModuleNames {
  readonly table: NameTable;
  readonly signals: ReadonlyMap<Signal, string>;
  readonly memories: ReadonlyMap<Memory, string>;
  /** Domain name -> names of its clock and reset ports. */
  readonly domains: ReadonlyMap<string, { readonly clock: string; readonly reset: string | undefined }>;
}

/** Ports get their names first, so that a module's interface does not depend on what is inside. */
export function namesOf(circuit: Circuit): ModuleNames {
  const table = new NameTable();
  const domains = new Map<string, { clock: string; reset: string | undefined }>();
  for (const d of circuit.domains) domains.set(d.name, { clock: table.claim(d.clock), reset: d.reset === undefined ? undefined : table.claim(d.reset) });
  const signals = new Map<Signal, string>();
  const isPort = (s: Signal): boolean => s.kind === "input" || s.kind === "output";
  for (const s of circuit.signals) if (isPort(s)) signals.set(s, table.claim(s.name));
  for (const s of circuit.signals) if (!isPort(s)) signals.set(s, table.claim(s.name));
  const memories = new Map(circuit.memories.map((m) => [m, table.claim(m.name)]));
  return { table, signals, memories, domains };
}

/** Everything that lowering a part of one module needs. */
export class ModuleContext {
  readonly circuit: Circuit;
  readonly names: ModuleNames;
  readonly resolution: Resolution;
  readonly expressions: Expressions;
  /** Declarations at the top of the module. */
  readonly top: VItem[] = [];
  /** What follows, in order; helper wires are put here just before their consumer. */
  readonly items: VItem[] = [];
  readonly localparams = new Map<string, VLocalparam>();
  /** Vectors that are driven bit run by bit run, each run with a wire of its own. */
  readonly pieces = new Map<string, readonly Piece[]>();
  readonly split: ReadonlySet<Signal>;
  readonly #declared = new Set<Signal>();
  readonly #labels = new Map<string, Signal[]>();
  readonly #labelNames = new Map<Signal, Map<string, string>>();

  constructor(circuit: Circuit, names: ModuleNames) {
    this.circuit = circuit;
    this.names = names;
    this.resolution = resolve(circuit);
    this.split = selfDependent(circuit, this.resolution);
    this.expressions = new Expressions({
      names: names.table,
      signal: (s) => this.read(s),
      memory: (m) => names.memories.get(m) as string,
      label: (c, near) => this.#label(c, near),
      declare: (d) => this.items.push(d),
    });
    for (const s of circuit.signals) {
      for (const label of s.states ?? []) {
        const list = this.#labels.get(label);
        if (list === undefined) this.#labels.set(label, [s]); else list.push(s);
      }
    }
  }

  /** The signal as an expression, without a claim that it is declared already. */
  nameOf(s: Signal): VName {
    const text = this.names.signals.get(s);
    if (text === undefined) throw new Error(`signal "${s.name}" is not one of module "${this.circuit.name}"`);
    return name(text, s.width, s.signed);
  }

  /** The signal as an operand; a wire whose definition comes later in the text is declared at the top. */
  read(s: Signal): VName {
    if (s.kind === "wire" || s.kind === "instanceIn") this.declareEarly(s);
    return this.nameOf(s);
  }

  declareEarly(s: Signal): void {
    if (this.#declared.has(s)) return;
    this.#declared.add(s);
    this.top.push(this.declaration(s, "wire"));
  }

  /** Whether the wire may still be declared together with its value; from now on it is declared. */
  claimDeclaration(s: Signal): boolean {
    if (this.#declared.has(s)) return false;
    this.#declared.add(s);
    return true;
  }

  declaration(s: Signal, what: "wire" | "reg", value?: VExpr): VDeclare {
    return { kind: "declare", what, name: this.nameOf(s).name, width: s.width, signed: s.signed, depth: undefined, value, attributes: Object.entries(s.attributes ?? {}), position: s.position };
  }

  /** The expression itself when it is a vector that can be sliced, else a new wire that carries it. */
  named(e: VExpr, consumer: string, hint: string): VExpr {
    if (e.kind === "number" || (e.kind === "name" && !e.parameter)) return e;
    const text = this.names.table.helper([`${consumer}_${hint}`]);
    this.items.push({ kind: "declare", what: "wire", name: text, width: e.width, signed: false, depth: undefined, value: e, attributes: [], position: undefined });
    return name(text, e.width);
  }

  clockOf(d: ClockDomain): { readonly clock: string; readonly reset: string | undefined } {
    const found = this.names.domains.get(d.name);
    if (found === undefined) throw new Error(`module "${this.circuit.name}" uses clock domain "${d.name}" but does not list it`);
    return found;
  }

  /** A constant as a value of `s`: by the name of the state when it is one. */
  constantFor(s: Signal, value: bigint): VExpr {
    const state = s.states?.[Number(value)];
    return state === undefined ? number(value, s.width, s.signed) : this.#stateName(s, state, value);
  }

  #label(c: Const, near: Signal | undefined): VName | undefined {
    const fits = (s: Signal): boolean => s.width === c.width && s.states?.[Number(c.value)] === c.label;
    const owner = near !== undefined && fits(near) ? near : this.#labels.get(c.label ?? "")?.find(fits);
    return owner === undefined ? undefined : this.#stateName(owner, c.label as string, c.value);
  }

  #stateName(s: Signal, state: string, value: bigint): VName {
    let own = this.#labelNames.get(s);
    if (own === undefined) this.#labelNames.set(s, own = new Map<string, string>());
    let text = own.get(state);
    if (text === undefined) {
      text = this.names.table.helper([`${this.nameOf(s).name}_${state}`]);
      own.set(state, text);
      this.localparams.set(text, { kind: "localparam", name: text, width: s.width, value });
    }
    return name(text, s.width, false, true);
  }
}

/** Verilog of a circuit that passed the checks. `namesOfChild`: the names that a sub-module was given. */
export function lowerModule(circuit: Circuit, names: ModuleNames, namesOfChild: (c: Circuit) => ModuleNames): VModule {
  const context = new ModuleContext(circuit, names);
  const registers = registerGroups(circuit), properties = propertyGroups(circuit);
  countUses(context, registers, properties);

  for (const s of circuit.signals) {
    if (s.kind === "reg") context.top.push(context.declaration(s, "reg"));
    else if (s.kind === "instanceOut") context.top.push(context.declaration(s, "wire"));
  }
  for (const m of circuit.memories) memoryItems(context, m, "declare");
  for (const s of circuit.signals) if (s.kind === "wire") drive(context, s);
  for (const i of circuit.instances) {
    context.items.push({ kind: "blank" });
    for (const s of i.connections.values()) if (s.kind === "instanceIn") drive(context, s);
    context.items.push(lowerInstance(context, i, namesOfChild(i.circuit)));
  }
  for (const g of registers) registerItems(context, g);
  for (const m of circuit.memories) memoryItems(context, m, "clocked");
  context.items.push({ kind: "blank" });
  for (const s of circuit.signals) if (s.kind === "output") drive(context, s);
  propertyItems(context, properties);

  const lowered = [...context.localparams.values(), ...context.top, ...context.items];
  const items: VItem[] = context.pieces.size === 0 ? lowered : throughPieces(lowered, context.pieces);
  const module: VModule = { header: headerOf(circuit), name: circuit.name, parameters: [], ports: portsOf(circuit, names), items };
  const unread = unusedBits(module);
  if (unread !== undefined) {
    items.push({ kind: "blank" }, { kind: "declare", what: "wire", name: names.table.helper(["_unused_ok"]), width: 1, signed: false, depth: undefined, value: unread, attributes: [], position: undefined });
  }
  return module;
}

export function headerOf(circuit: Circuit): string[] {
  const parameters = circuit.parameters.map(([k, v]) => `${k} = ${v}`).join(", ");
  return [parameters === "" ? circuit.name : `${circuit.name}: ${parameters}`, `Generated by ${GENERATOR}. Do not edit.`];
}

/** Per domain its clock, then its reset; then the ports as declared. */
export function portsOf(circuit: Circuit, names: ModuleNames): VPort[] {
  const ports: VPort[] = [];
  const bit = (text: string): VPort => ({ dir: "input", name: text, width: 1, signed: false, position: undefined });
  for (const d of circuit.domains) {
    const n = names.domains.get(d.name);
    if (n === undefined) continue;
    ports.push(bit(n.clock));
    if (n.reset !== undefined) ports.push(bit(n.reset));
  }
  for (const s of circuit.signals) {
    if (s.kind === "input" || s.kind === "output") ports.push({ dir: s.kind, name: names.signals.get(s) as string, width: s.width, signed: s.signed, position: s.position });
  }
  return ports;
}

function countUses(c: ModuleContext, registers: readonly RegisterGroup[], properties: readonly PropertyGroup[]): void {
  const e = c.expressions;
  for (const s of c.circuit.signals) {
    if (s.kind === "wire" || s.kind === "output" || s.kind === "instanceIn") {
      for (const run of runsOf(c.resolution.segments.get(s) ?? [])) e.count(run.value);
    }
  }
  for (const g of [...registers, ...properties]) for (const s of allStatements(g.body)) for (const x of expressionsOf(s)) e.count(x);
  for (const m of c.circuit.memories) for (const r of m.readPorts) { e.count(r.address); if (r.enable !== undefined) e.count(r.enable); }
  for (const w of c.resolution.writes) for (const x of [w.enable, w.address, w.data, ...(w.mask === undefined ? [] : [w.mask])]) e.count(x);
}

/** Neighbouring segments that take neighbouring slices of one value are one assignment. */
function runsOf(segments: readonly Segment[]): { lo: number; width: number; value: Expr }[] {
  const runs: { lo: number; width: number; value: Expr }[] = [];
  for (const s of segments) {
    if (s.value === undefined) throw new Error(`"${s.signal.name}" has bits that nothing drives; run the checks before emission`);
    const last = runs.at(-1);
    const a = last?.value, b = s.value;
    if (last !== undefined && a?.kind === "slice" && b.kind === "slice" && a.a === b.a && b.lo === a.lo + a.width) {
      const width = a.width + b.width;
      last.value = a.lo === 0 && width === a.a.width ? a.a : { ...a, width };
      last.width += s.width;
    } else runs.push({ lo: s.lo, width: s.width, value: b });
  }
  return runs;
}

/** Drives a wire, an output or the input of an instance. */
function drive(c: ModuleContext, s: Signal): void {
  const runs = runsOf(c.resolution.segments.get(s) ?? []);
  const target = c.nameOf(s), only = runs[0];
  if (runs.length === 1 && only !== undefined) {
    const value = c.expressions.lower(only.value, target.name, s);
    if (s.kind !== "output" && c.claimDeclaration(s)) c.items.push(c.declaration(s, "wire", value));
    else c.items.push({ kind: "assign", target, value, position: s.position });
    c.expressions.alias(only.value, target);
    return;
  }
  if (s.kind !== "output") c.declareEarly(s);
  if (c.split.has(s)) {
    const pieces = runs.map((r): Piece => {
      const text = c.names.table.helper([r.width === 1 ? `${target.name}_${r.lo}` : `${target.name}_${r.lo + r.width - 1}_${r.lo}`]);
      c.top.push({ kind: "declare", what: "wire", name: text, width: r.width, signed: false, depth: undefined, value: undefined, attributes: [], position: s.position });
      return { lo: r.lo, name: name(text, r.width) };
    });
    c.pieces.set(target.name, pieces);
    runs.forEach((r, n) => { c.items.push({ kind: "assign", target: pieces[n]?.name as VName, value: c.expressions.lower(r.value, target.name), position: s.position }); });
    c.items.push({ kind: "assign", target, value: concat(pieces.map((p) => p.name).reverse()), position: s.position });
    return;
  }
  for (const r of runs) c.items.push({ kind: "assign", target: range(target, r.lo, r.width), value: c.expressions.lower(r.value, target.name), position: s.position });
}

function lowerInstance(c: ModuleContext, i: Circuit["instances"][number], child: ModuleNames): VInstance {
  const connections: VInstance["connections"][number][] = [];
  for (const d of i.circuit.domains) {
    const pins = child.domains.get(d.name), outer = i.domains.get(d.name);
    if (pins === undefined) continue;
    if (outer === undefined) throw new Error(`instance "${i.name}" in module "${c.circuit.name}" leaves clock domain "${d.name}" unconnected`);
    const from = c.clockOf(outer);
    connections.push({ port: pins.clock, dir: "input", value: name(from.clock, 1) });
    if (pins.reset !== undefined) connections.push({ port: pins.reset, dir: "input", value: from.reset === undefined ? number(0n, 1) : name(from.reset, 1) });
  }
  for (const p of i.circuit.signals) {
    const outside = i.connections.get(p.name);
    if (outside === undefined) continue;
    connections.push({ port: child.signals.get(p) as string, dir: p.kind === "input" ? "input" : "output", value: c.nameOf(outside) });
  }
  return { kind: "instance", module: i.circuit.name, name: c.names.table.claim(i.name), parameters: i.circuit.blackBox?.parameters ?? [], connections, position: i.position };
}

/** `~reset`, for what must not run under reset. */
export const outsideReset = (reset: string): VExpr => unary("~", name(reset, 1));
