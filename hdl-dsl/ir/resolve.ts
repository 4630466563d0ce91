/**
 * Statements to values. Every assigned signal has, per run of bits always assigned together, the one expression that
 * holds after "the last assignment in program order wins". Linear: a branch merges only what it assigns, and shared
 * values stay shared nodes.
 */
import type { Assign, Circuit, If, MemWrite, Position, Signal, Stmt, Switch, WritePort } from "./circuit.ts";
import type { Expr } from "./expr.ts";
import { binary, constant, mux, read, slice } from "./fold.ts";
import { allStatements } from "./walk.ts";
import { codesOfStates } from "./states.ts";

/** A path through the statements on which nothing is assigned. */
export interface Hole {
  readonly statement: If | Switch;
  readonly path: "then" | "else" | "default" | "case";
}

/** Bits lo .. lo+width-1 of a signal. */
export interface Segment {
  readonly signal: Signal;
  readonly lo: number;
  readonly width: number;
  /** Value of the bits (for a register: after the clock edge); undefined = never assigned. */
  value: Expr | undefined;
  /** Set when some path assigns nothing (never for a register: it keeps its value). */
  hole: Hole | undefined;
  /** The assignment met last. */
  at: Position | undefined;
}

/** Action of one write port in a cycle: a word is written when `enable` is 1. */
export interface ResolvedWrite {
  readonly port: WritePort;
  readonly statements: readonly MemWrite[];
  readonly enable: Expr;
  readonly address: Expr;
  readonly data: Expr;
  /** Undefined when no statement has a mask. */
  readonly mask: Expr | undefined;
}

/** An assignment that can have no effect: `by`, later and at the same or an enclosing level, drives all of its bits. */
export interface Overwritten {
  readonly first: Assign;
  readonly by: Assign;
}

export interface Resolution {
  /**
   * Every wire, output, reg and instanceIn of the circuit, bit 0 first; together the segments cover the whole signal.
   */
  readonly segments: ReadonlyMap<Signal, readonly Segment[]>;
  /** The segments that some statement assigns. */
  readonly assigned: ReadonlySet<Segment>;
  readonly writes: readonly ResolvedWrite[];
  readonly overwritten: readonly Overwritten[];
}

const isDriven = (s: Signal): boolean =>
  s.kind === "wire" || s.kind === "output" || s.kind === "reg" || s.kind === "instanceIn";

/** Whether some case of the switch is always taken: all values listed, or all states of an FSM register. */
export function coversAll(s: Switch): boolean {
  if (s.complete === true) return true;
  const values = new Set<bigint>();
  for (const c of s.cases) for (const l of c.labels) if (l.kind === "const") values.add(l.value);
  // Labels beyond the states count for nothing: only a missing state matters.
  if (s.on.kind === "read" && s.on.signal.states !== undefined && codesOfStates(s.on.signal).every(c => values.has(c)))
    return true;
  return s.on.width < 24 && values.size === 1 << s.on.width;
}

const resolved = new WeakMap<Circuit, Resolution>();

/** Resolved once per circuit: a finished circuit does not change. */
export function resolve(circuit: Circuit): Resolution {
  let r = resolved.get(circuit);
  if (r === undefined) resolved.set(circuit, (r = new Resolver(circuit).run()));
  return r;
}

/** A circuit that was changed after all (a planted fault) is resolved anew. */
export const forgetResolution = (circuit: Circuit): void => void resolved.delete(circuit);

/** A slice, or the value itself (signedness kept) when it is taken whole. */
const part = (e: Expr, lo: number, width: number): Expr => (width === e.width ? e : slice(e, lo, width));

/** A value that statements set: a segment of a signal, or one aspect of a memory's write port. */
interface Slot {
  value: Expr | undefined;
  hole: Hole | undefined;
  at: Position | undefined;
}
interface Writer {
  readonly assign: Assign;
  alive: number;
}
/** Effect of a list of statements on a slot. */
interface Change {
  before: Slot;
  after: Slot;
  writers: Writer[];
}
type Delta = Map<Slot, Change>;

const snapshot = (s: Slot): Slot => ({ value: s.value, hole: s.hole, at: s.at });
function restore(s: Slot, from: Slot): void {
  s.value = from.value;
  s.hole = from.hole;
  s.at = from.at;
}

class Resolver {
  readonly #circuit: Circuit;
  readonly #segments = new Map<Signal, Segment[]>();
  readonly #ports = new Map<
    WritePort,
    {
      readonly enable: Slot;
      readonly address: Slot;
      readonly data: Slot;
      readonly mask: Slot;
      maskWidth: number;
      readonly statements: MemWrite[];
    }
  >();
  readonly #assigned = new Set<Segment>();
  readonly #overwritten: Overwritten[] = [];

  constructor(circuit: Circuit) {
    this.#circuit = circuit;
  }

  run(): Resolution {
    this.#prepare();
    for (const [slot, change] of this.#block(this.#circuit.body)) restore(slot, change.after);
    const writes: ResolvedWrite[] = [];
    for (const [port, p] of this.#ports) {
      if (p.enable.value === undefined || p.address.value === undefined || p.data.value === undefined) continue;
      writes.push({
        port,
        statements: p.statements,
        enable: p.enable.value,
        address: p.address.value,
        data: p.data.value,
        mask: p.mask.value,
      });
    }
    return { segments: this.#segments, assigned: this.#assigned, writes, overwritten: this.#overwritten };
  }

  /** Cuts every signal where some assignment starts or ends. */
  #prepare(): void {
    const cuts = new Map<Signal, Set<number>>();
    const cutsOf = (s: Signal): Set<number> => {
      let c = cuts.get(s);
      if (c === undefined) cuts.set(s, (c = new Set([0, s.width])));
      return c;
    };
    for (const s of this.#circuit.signals) if (isDriven(s)) cutsOf(s);
    for (const s of allStatements(this.#circuit.body)) {
      if (s.kind === "assign")
        cutsOf(s.target)
          .add(s.lo)
          .add(s.lo + s.width);
      else if (s.kind === "memWrite") {
        const p = this.#ports.get(s.port);
        if (p === undefined)
          this.#ports.set(s.port, {
            enable: empty(constant(0n, 1)),
            address: empty(),
            data: empty(),
            mask: empty(),
            maskWidth: s.mask?.width ?? 0,
            statements: [s],
          });
        else {
          p.statements.push(s);
          p.maskWidth = Math.max(p.maskWidth, s.mask?.width ?? 0);
        }
      }
    }
    for (const [signal, set] of cuts) {
      const at = [...set].sort((a, b) => a - b);
      const whole = read(signal);
      this.#segments.set(
        signal,
        at.slice(0, -1).map((lo, i) => {
          const width = (at[i + 1] as number) - lo;
          return {
            signal,
            lo,
            width,
            value: signal.kind === "reg" ? part(whole, lo, width) : undefined,
            hole: undefined,
            at: undefined,
          };
        }),
      );
    }
  }

  /** Runs the statements, takes their effect back, and returns it. */
  #block(body: readonly Stmt[]): Delta {
    const delta: Delta = new Map();
    const change = (slot: Slot): Change => {
      let c = delta.get(slot);
      if (c === undefined) delta.set(slot, (c = { before: snapshot(slot), after: slot, writers: [] }));
      return c;
    };
    for (const s of body) {
      switch (s.kind) {
        case "assign":
          this.#assign(s, change);
          break;
        case "memWrite":
          this.#write(s, change);
          break;
        case "property":
          break;
        case "if":
          this.#merge([{ cond: s.cond, delta: this.#block(s.then) }], this.#block(s.otherwise), s, false, change);
          break;
        case "switch": {
          const arms = s.cases.map(c => ({
            cond: c.labels.map(l => binary("eq", s.on, l)).reduce((a, b) => binary("or", a, b)),
            delta: this.#block(c.body),
          }));
          this.#merge(
            arms,
            s.otherwise === undefined ? new Map<Slot, Change>() : this.#block(s.otherwise),
            s,
            s.otherwise === undefined && coversAll(s),
            change,
          );
        }
      }
    }
    for (const [slot, c] of delta) {
      c.after = snapshot(slot);
      restore(slot, c.before);
    }
    return delta;
  }

  #assign(s: Assign, change: (slot: Slot) => Change): void {
    const covered = segmentsIn(this.#segments.get(s.target) ?? [], s.lo, s.width);
    const writer: Writer = { assign: s, alive: covered.length };
    for (const segment of covered) {
      const c = change(segment);
      for (const w of c.writers) if (--w.alive === 0) this.#overwritten.push({ first: w.assign, by: s });
      c.writers = [writer];
      this.#assigned.add(segment);
      segment.value = part(s.value, segment.lo - s.lo, segment.width);
      segment.hole = undefined;
      segment.at = s.position;
    }
  }

  #write(s: MemWrite, change: (slot: Slot) => Change): void {
    const p = this.#ports.get(s.port);
    if (p === undefined) return;
    const set = (slot: Slot, value: Expr): void => {
      change(slot);
      slot.value = value;
      slot.at = s.position;
    };
    set(p.enable, constant(1n, 1));
    set(p.address, s.address);
    set(p.data, s.data);
    if (p.maskWidth > 0) set(p.mask, s.mask ?? constant(-1n, p.maskWidth));
  }

  /**
   * Gives every slot that some arm assigns the value of the arm that is taken. The conditions exclude one another.
   * `complete`: one of the arms is always taken.
   */
  #merge(
    arms: readonly { readonly cond: Expr; readonly delta: Delta }[],
    otherwise: Delta,
    statement: If | Switch,
    complete: boolean,
    change: (slot: Slot) => Change,
  ): void {
    const touched = new Map<Slot, number[]>();
    arms.forEach((arm, i) => {
      for (const slot of arm.delta.keys()) {
        const list = touched.get(slot);
        if (list === undefined) touched.set(slot, [i]);
        else list.push(i);
      }
    });
    for (const slot of otherwise.keys()) if (!touched.has(slot)) touched.set(slot, []);
    for (const [slot, list] of touched) {
      const c = change(slot);
      const last = otherwise.get(slot);
      const base = snapshot(slot);
      // An arm that assigns nothing leaves the base: it needs an arm of its own only when the default does assign.
      const indices = last === undefined ? [...list] : [...arms.keys()];
      let value = (last?.after ?? base).value;
      let hole = (last?.after ?? base).hole;
      let at = last?.after.at ?? base.at;
      if (last === undefined && complete && list.length === arms.length) {
        const final = arms[indices.pop() as number]?.delta.get(slot) as Change;
        value = final.after.value;
        hole = final.after.hole;
      } else if (value === undefined)
        hole = { statement, path: statement.kind === "if" ? "else" : complete ? "case" : "default" };
      for (const i of indices.reverse()) {
        const arm = arms[i] as { readonly cond: Expr; readonly delta: Delta };
        const taken = arm.delta.get(slot)?.after ?? base;
        if (taken.value === undefined) hole ??= { statement, path: statement.kind === "if" ? "then" : "case" };
        else {
          hole = taken.hole ?? hole;
          value = value === undefined ? taken.value : mux(arm.cond, taken.value, value);
        }
        at = taken.at ?? at;
      }
      slot.value = value;
      slot.hole = hole;
      slot.at = at;
      c.writers.push(...list.flatMap(i => arms[i]?.delta.get(slot)?.writers ?? []), ...(last?.writers ?? []));
    }
  }
}

function empty(value?: Expr): Slot {
  return { value, hole: undefined, at: undefined };
}

/** The segments (sorted) that share bits with lo .. lo+width-1. */
export function segmentsIn(all: readonly Segment[], lo: number, width: number): Segment[] {
  let low = 0,
    high = all.length;
  while (low < high) {
    const mid = (low + high) >> 1,
      s = all[mid] as Segment;
    if (s.lo + s.width <= lo) low = mid + 1;
    else high = mid;
  }
  const out: Segment[] = [];
  for (let i = low; i < all.length; i++) {
    const s = all[i] as Segment;
    if (s.lo >= lo + width) break;
    out.push(s);
  }
  return out;
}
