/** Registers that remember what a bench reached: bits that stay 1, and counts of cover points. */
import { plainName, type Point } from "../../coverage/point.ts";
import { constantBits } from "./constant-bits.ts";
import type { Expr, Position, Signal, Stmt } from "./ir.ts";
import type { Graph } from "./graph.ts";
import type { Clock, Register } from "./netlist.ts";
import { maskOf, type Node, type Source } from "./node.ts";
import type { Scope } from "./scope.ts";

/** Where the bits of a point lie: `width` bits from bit `lo` of a register. */
export interface Remembered {
  readonly point: Point;
  readonly source: Source;
  readonly lo: number;
}
export interface Covered {
  readonly registers: readonly Register[];
  readonly points: readonly Remembered[];
}

/** What is asked of the circuit: values of expressions and signals in their instance; undefined where there is none. */
export interface Values {
  readonly expression: (s: Scope, e: Expr) => Node | undefined;
  readonly signal: (s: Scope, signal: Signal) => Node | undefined;
  /** The node of a new register. */
  readonly register: (name: string, width: number) => Node;
}

/** Bits that one register holds. */
const WORD = 32;

export class Coverage {
  readonly #g: Graph;
  readonly #values: Values;
  readonly #registers: Register[] = [];
  readonly #points: Remembered[] = [];
  /** Registers whose bits are watched, by what remembers it. */
  readonly #watched = new Map<Source, Register>();
  /** Single bits that wait for a register, by the number of their clock. */
  readonly #waiting = new Map<Clock, { readonly point: Point; readonly node: Node }[]>();

  constructor(g: Graph, values: Values) {
    this.#g = g;
    this.#values = values;
  }

  /** An instance with what its registers take at an edge. */
  add(s: Scope, registers: readonly { readonly signal: Signal; readonly register: Register }[]): void {
    const clock = this.#clockOf(s);
    if (clock === undefined) return;
    this.#statements(s, clock);
    for (const r of registers) this.#toggles(s, r.signal, r.register);
    for (const signal of s.circuit.signals) {
      if (signal.kind === "reg") this.#states(s, signal);
      if ((signal.kind === "input" || signal.kind === "output") && signal.width === 1) this.#levels(s, signal, clock);
    }
  }

  /** Everything that was added, in registers. @param all registers of the circuit, for bits that never change */
  finish(all: readonly Register[]): Covered {
    for (const [clock, bits] of this.#waiting)
      for (let at = 0; at < bits.length; at += WORD) this.#word(clock, bits.slice(at, at + WORD));
    return { registers: this.#registers, points: this.#withoutConstants(all) };
  }
  /** What of a register cannot change with these parameters is no place of this circuit. */
  #withoutConstants(all: readonly Register[]): readonly Remembered[] {
    if (this.#watched.size === 0) return this.#points;
    const constant = constantBits(this.#g.nodes, all);
    return this.#points.flatMap(r => {
      const watched = this.#watched.get(r.source),
        never = (watched && constant.get(watched.source)) ?? 0n;
      if (never === 0n) return [r];
      return never === maskOf(r.point.width) ? [] : [{ ...r, point: { ...r.point, never } }];
    });
  }

  /** The clock of combinational statements: the instance's own, or that of the nearest one around it. */
  #clockOf(s: Scope): Clock | undefined {
    for (let at: Scope | undefined = s; at !== undefined; at = at.parent) {
      const d = at.circuit.domains[0];
      if (d !== undefined) return at.domain(d).clock;
    }
    return undefined;
  }

  #statements(s: Scope, clock: Clock): void {
    const g = this.#g;
    const body = (all: readonly Stmt[], when: Node, around: Position | undefined): void => {
      const own = all.flatMap(x => (x.kind === "if" || x.kind === "switch" ? [] : (x.position ?? [])));
      const first = own[0];
      if (first !== undefined && around !== undefined) {
        const lines = [...new Set(own.filter(p => p.file === first.file).map(p => p.line))];
        this.#bit(clock, this.#point(s, "line", "", first, lines), when);
      }
      walk(all, when);
    };
    const walk = (all: readonly Stmt[], when: Node): void => {
      for (const x of all) {
        if (x.kind === "property" && x.what === "cover") this.#cover(s, x, when);
        else if (x.kind === "if") {
          const cond = this.#values.expression(s, x.cond);
          if (cond === undefined) continue;
          body(x.then, g.and(when, cond), x.position);
          body(x.otherwise, g.and(when, g.not(cond)), x.position);
        } else if (x.kind === "switch") {
          const on = this.#values.expression(s, x.on);
          if (on === undefined) continue;
          let none = when;
          for (const c of x.cases) {
            const labels = c.labels.flatMap(l => this.#values.expression(s, l) ?? []);
            const hit = labels.map(l => g.eq(on, l)).reduce((a, b) => g.or(a, b), g.constant(0n, 1));
            body(c.body, g.and(when, hit), x.position);
            none = g.and(none, g.not(hit));
          }
          body(x.otherwise ?? [], none, x.position);
        }
      }
    };
    walk(s.circuit.body, g.constant(1n, 1));
  }

  #cover(s: Scope, p: Extract<Stmt, { kind: "property" }>, when: Node): void {
    const cond = this.#values.expression(s, p.cond);
    if (cond === undefined) return;
    const g = this.#g,
      { clock } = s.domain(p.domain),
      count = this.#values.register(`coverage ${this.#registers.length}`, WORD),
      one = g.zext(g.and(g.and(when, cond), this.#running(clock)), WORD),
      full = g.eq(count, g.constant(2n ** BigInt(WORD) - 1n, WORD));
    const next = g.mux(full, count, g.add(count, one));
    this.#remember({ ...this.#point(s, "cover", p.message, p.position, []), width: WORD }, clock, count, next);
  }

  #states(s: Scope, signal: Signal): void {
    const value = this.#values.signal(s, signal),
      { domain } = signal;
    if (value === undefined || domain === undefined) return;
    for (const [name, code] of statesOf(signal)) {
      const is = this.#g.eq(value, this.#g.constant(code, signal.width));
      this.#bit(s.domain(domain).clock, this.#point(s, "state", `${signal.name} ${name}`, signal.position, []), is);
    }
  }

  #toggles(s: Scope, signal: Signal, r: Register): void {
    if (signal.position === undefined || r.next.op === "const") return;
    const g = this.#g,
      q = g.source(r.source),
      width = r.source.width,
      running = g.sext(this.#running(r.clock), width);
    const edge = (kind: "rise" | "fall", before: Node, after: Node): void => {
      const seen = this.#values.register(`coverage ${this.#registers.length}`, width);
      const next = g.or(seen, g.and(running, g.and(before, after)));
      this.#watched.set(seen.source as Source, r);
      this.#remember({ ...this.#point(s, kind, signal.name, signal.position, []), width }, r.clock, seen, next);
    };
    edge("rise", g.not(q), r.next);
    edge("fall", q, g.not(r.next));
  }

  #levels(s: Scope, signal: Signal, clock: Clock): void {
    const value = this.#values.signal(s, signal);
    if (value === undefined || value.op === "const") return;
    this.#bit(clock, this.#point(s, "high", signal.name, signal.position, []), value);
    this.#bit(clock, this.#point(s, "low", signal.name, signal.position, []), this.#g.not(value));
  }

  #point(s: Scope, kind: Point["kind"], what: string, at: Position | undefined, lines: readonly number[]): Point {
    return { kind, module: plainName(s.circuit.name), what, at, lines, width: 1 };
  }

  /** What can never be 1 with these parameters is no point of this circuit. */
  #bit(clock: Clock, point: Point, node: Node): void {
    if (node.op === "const" && node.value === 0n) return;
    const list = this.#waiting.get(clock);
    if (list === undefined) this.#waiting.set(clock, [{ point, node }]);
    else list.push({ point, node });
  }

  #word(clock: Clock, bits: readonly { readonly point: Point; readonly node: Node }[]): void {
    const g = this.#g,
      seen = this.#values.register(`coverage ${this.#registers.length}`, bits.length),
      now = g.and(g.sext(this.#running(clock), bits.length), g.concat(bits.map(b => b.node)));
    this.#register(clock, seen, g.or(seen, now));
    bits.forEach(({ point }, lo) => this.#points.push({ point, source: seen.source as Source, lo }));
  }

  /** 1 outside of the top module's reset: what a reset forces counts for nothing. */
  #running(clock: Clock): Node {
    if (clock.reset === undefined) return this.#g.constant(1n, 1);
    const reset = this.#g.source(clock.reset);
    return clock.low ? reset : this.#g.not(reset);
  }

  #remember(point: Point, clock: Clock, seen: Node, next: Node): void {
    this.#register(clock, seen, next);
    this.#points.push({ point, source: seen.source as Source, lo: 0 });
  }
  #register(clock: Clock, seen: Node, next: Node): void {
    this.#registers.push({ source: seen.source as Source, clock, next, init: 0n, style: "none", scope: 0 });
  }
}

/** The named values of a register with their codes. */
function statesOf(s: Signal): readonly (readonly [string, bigint])[] {
  if (s.states !== undefined) return s.states.map((name, n) => [name, s.codes?.[n] ?? BigInt(n)]);
  return Object.entries(s.enumeration?.codes ?? {}).map(([name, code]) => [name, BigInt(code)]);
}
