/** State of lowering for the module at hand: names, resolved values, and the text so far. */
import type { Circuit, ClockDomain, Memory, Signal } from "../ir/circuit.ts";
import type { Const } from "../ir/expr.ts";
import { snakeCase } from "../ir/snake-case.ts";
import { type Resolution, resolve } from "../ir/resolve.ts";
import { stateOfCode } from "../ir/states.ts";
import { nameOfCode } from "../types/enumeration.ts";
import type { Enumeration } from "../types/shape.ts";
import type { VDeclare, VExpr, VItem, VLocalparam, VName } from "./ast.ts";
import { Expressions } from "./expressions.ts";
import { type Merged, mergedWires } from "./merge.ts";
import { NameTable } from "./names.ts";
import { name, number, unary } from "./nodes.ts";
import { type Piece, selfDependent } from "./split.ts";

/** The Verilog names of a circuit: its own, since those of a keyword or a clash change. */
export interface ModuleNames {
  readonly table: NameTable;
  readonly signals: ReadonlyMap<Signal, string>;
  readonly memories: ReadonlyMap<Memory, string>;
  /** Wires that go by the name of another signal. */
  readonly merged: Merged;
  /** Domain name -> names of its clock and reset ports. */
  readonly domains: ReadonlyMap<string, { readonly clock: string; readonly reset: string | undefined }>;
}

/** Ports get their names first, so that a module's interface does not depend on what is inside. */
export function namesOf(circuit: Circuit): ModuleNames {
  const table = new NameTable();
  const domains = new Map<string, { clock: string; reset: string | undefined }>();
  for (const d of circuit.domains)
    domains.set(d.name, {
      clock: table.claim(d.clock),
      reset: d.reset === undefined ? undefined : table.claim(d.reset),
    });
  const signals = new Map<Signal, string>();
  const isPort = (s: Signal): boolean => s.kind === "input" || s.kind === "output";
  for (const s of circuit.signals) if (isPort(s)) signals.set(s, table.claim(s.name));
  const merged = mergedWires(circuit);
  for (const s of circuit.signals)
    if (!isPort(s) && !merged.names.has(s) && !merged.constants.has(s)) signals.set(s, table.claim(s.name));
  for (const [s, by] of merged.names) signals.set(s, signals.get(by) as string);
  const memories = new Map(circuit.memories.map(m => [m, table.claim(m.name)]));
  return { table, signals, memories, domains, merged };
}

/** Everything that lowering a part of one module needs. */
export class ModuleContext {
  readonly circuit: Circuit;
  readonly names: ModuleNames;
  readonly resolution: Resolution;
  readonly expressions: Expressions;
  /** Declarations at the top of the module. */
  readonly top: VItem[] = [];
  /** Items in order; helper wires are put here just before their consumer. */
  readonly items: VItem[] = [];
  readonly localparams = new Map<string, VLocalparam>();
  /** Vectors that are driven bit run by bit run, each run with a wire of its own. */
  readonly pieces = new Map<string, readonly Piece[]>();
  readonly split: ReadonlySet<Signal>;
  /** Values that stand at an instance's pins as they are. */
  readonly pins = new Map<Signal, VExpr>();
  readonly #declared = new Set<Signal>();
  #loopVariable: string | undefined;
  readonly #labels = new Map<string, Signal[]>();
  readonly #enumNames = new Map<string, string>();
  readonly #labelNames = new Map<Signal, Map<string, string>>();

  constructor(circuit: Circuit, names: ModuleNames) {
    this.circuit = circuit;
    this.names = names;
    this.resolution = resolve(circuit);
    this.split = selfDependent(circuit, this.resolution);
    this.expressions = new Expressions({
      names: names.table,
      signal: s => this.operand(s),
      memory: m => names.memories.get(m) as string,
      label: (c, near) => this.#label(c, near),
      declare: d => this.items.push(d),
    });
    for (const s of circuit.signals) {
      for (const label of s.states ?? []) {
        const list = this.#labels.get(label);
        if (list === undefined) this.#labels.set(label, [s]);
        else list.push(s);
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
    const by = this.names.merged.names.get(s) ?? s;
    if (by.kind === "wire" || by.kind === "instanceIn") this.declareEarly(by);
    return this.nameOf(s);
  }

  /** What stands for the signal in the text: its name, or a number where it never changes. */
  operand(s: Signal): VExpr {
    const c = this.names.merged.constants.get(s);
    return c === undefined ? this.read(s) : number(c.value, s.width, s.signed);
  }

  declareEarly(s: Signal): void {
    if (this.claimDeclaration(s)) this.top.push(this.declaration(s, "wire"));
  }

  /** The variable of the module's loops, declared when the first one is written. */
  loopVariable(): string {
    if (this.#loopVariable === undefined) {
      this.#loopVariable = this.names.table.helper(["i", "loop"]);
      this.top.push({ kind: "integer", name: this.#loopVariable });
    }
    return this.#loopVariable;
  }

  /** Whether the wire may still be declared together with its value; from now on it is declared. */
  claimDeclaration(s: Signal): boolean {
    if (this.#declared.has(s)) return false;
    this.#declared.add(s);
    return true;
  }

  declaration(s: Signal, what: "wire" | "reg", value?: VExpr): VDeclare {
    return {
      kind: "declare",
      what,
      name: this.nameOf(s).name,
      width: s.width,
      signed: s.signed,
      depth: undefined,
      value,
      attributes: Object.entries(s.attributes ?? {}),
      position: s.position,
    };
  }

  /** The expression itself when it is a vector that can be sliced, else a new wire that carries it. */
  named(e: VExpr, consumer: string, hint: string): VExpr {
    if (e.kind === "number" || (e.kind === "name" && !e.parameter)) return e;
    const text = this.names.table.helper([`${consumer}_${hint}`]);
    this.items.push({
      kind: "declare",
      what: "wire",
      name: text,
      width: e.width,
      signed: false,
      depth: undefined,
      value: e,
      attributes: [],
      position: undefined,
    });
    return name(text, e.width);
  }

  clockOf(d: ClockDomain): { readonly clock: string; readonly reset: string | undefined; readonly low: boolean } {
    if (d.made !== undefined) {
      const { clock, reset } = d.made;
      return {
        clock: this.read(clock).name,
        reset: reset === undefined ? undefined : this.read(reset).name,
        low: false,
      };
    }
    const found = this.names.domains.get(d.name);
    if (found === undefined)
      throw new Error(`module "${this.circuit.name}" uses clock domain "${d.name}" but does not list it`);
    return { ...found, low: d.low === true };
  }

  /** A constant as a value of `s`: by the name of the state when it is one. */
  constantFor(s: Signal, value: bigint): VExpr {
    if (s.enumeration !== undefined) {
      const named = nameOfCode(s.enumeration, value);
      return named === undefined ? number(value, s.width) : this.#enumName(s.enumeration, named, value, s.width);
    }
    const state = stateOfCode(s, value);
    return state === undefined ? number(value, s.width, s.signed) : this.#stateName(s, state, value);
  }

  #label(c: Const, near: Signal | undefined): VName | undefined {
    if (c.enumeration !== undefined && c.label !== undefined)
      return this.#enumName(c.enumeration, c.label, c.value, c.width);
    const fits = (s: Signal): boolean =>
      s.width === c.width && c.label !== undefined && stateOfCode(s, c.value) === c.label;
    const owner = near !== undefined && fits(near) ? near : this.#labels.get(c.label ?? "")?.find(fits);
    return owner === undefined ? undefined : this.#stateName(owner, c.label as string, c.value);
  }

  /** Those of one enumeration together, by their codes, where the first of them is used. */
  sortedLocalparams(): readonly VLocalparam[] {
    const all = [...this.localparams.values()],
      first = new Map<string, number>();
    const groupOf = (p: VLocalparam): string => p.group ?? p.name;
    all.forEach((p, i) => first.set(groupOf(p), first.get(groupOf(p)) ?? i));
    const place = (p: VLocalparam): number => first.get(groupOf(p)) ?? 0;
    return all.sort((a, b) => place(a) - place(b) || Number(a.value - b.value));
  }

  /** The localparam of an enumeration's value: one in the module, whatever has that value. */
  #enumName(e: Enumeration, label: string, value: bigint, width: number): VName {
    const wanted = `${snakeCase(e.name)}_${snakeCase(label)}`,
      key = `${wanted} ${width} ${value}`;
    let text = this.#enumNames.get(key);
    if (text === undefined) {
      this.#enumNames.set(key, (text = this.names.table.helper([wanted])));
      this.localparams.set(text, {
        kind: "localparam",
        name: text,
        width,
        value,
        base: e.base,
        group: `${e.name} ${width}`,
      });
    }
    return name(text, width, false, true);
  }

  #stateName(s: Signal, state: string, value: bigint): VName {
    let own = this.#labelNames.get(s);
    if (own === undefined) this.#labelNames.set(s, (own = new Map<string, string>()));
    let text = own.get(state);
    if (text === undefined) {
      text = this.names.table.helper([`${this.nameOf(s).name}_${snakeCase(state)}`]);
      own.set(state, text);
      this.localparams.set(text, {
        kind: "localparam",
        name: text,
        width: s.width,
        value,
        base: s.codes === undefined ? undefined : "binary",
      });
    }
    return name(text, s.width, false, true);
  }
}

/** 1 where a reset of the given level is on. */
export const underReset = (reset: string, low: boolean): VExpr => (low ? unary("~", name(reset, 1)) : name(reset, 1));
