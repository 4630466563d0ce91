/**
 * Runs a circuit the naive way, straight from the meaning of the language: statements in order, values from the
 * evaluator, memories as arrays. Undefined starts (registers without reset, memories without contents, "undefined"
 * collisions) are tracked: a result that could depend on them is unknown.
 */
import type { Circuit, Memory, MemWrite, ReadPort, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import { evaluate } from "../../../hdl-dsl/ir/evaluate.ts";
import { type Expr, maskOf } from "../../../hdl-dsl/ir/expr.ts";

/** A bit pattern; `known` is false when it may depend on what is undefined. */
export interface Value {
  readonly bits: bigint;
  readonly known: boolean;
}
type Values = Map<Signal, Value>;

const UNKNOWN: Value = { bits: 0n, known: false };
const same = (a: Value | undefined, b: Value | undefined): boolean => a?.bits === b?.bits && a?.known === b?.known;
const isStored = (s: Signal): boolean => s.kind === "reg" || s.kind === "memData";

/** Known before the statements run; other signals are looked up as the round before left them. */
const isSource = (s: Signal): boolean => s.kind === "input" || s.kind === "instanceOut" || isStored(s);

interface Write {
  readonly statement: MemWrite;
  readonly address: Value;
  readonly data: Value;
  readonly mask: Value | undefined;
}
/** Effects of the statements in one cycle. `doubtful`: memories of which it is unknown whether they are written. */
interface Effects {
  readonly values: Values;
  readonly next: Values;
  readonly writes: Map<Memory, Write>;
  readonly doubtful: Set<Memory>;
}

export class Reference {
  readonly #circuit: Circuit;
  readonly #stored: Values = new Map();
  readonly #words = new Map<Memory, Value[]>();
  readonly #below = new Map<Signal, readonly [Reference, Signal]>();
  readonly #instances: {
    readonly inner: Reference;
    readonly pins: readonly (readonly [string, Signal])[];
    /** An instance's own reset, beside that of its domain. */
    readonly reset: Signal | undefined;
    outputs: ReadonlyMap<Signal, Value>;
  }[] = [];
  #effects: Effects | undefined;

  constructor(circuit: Circuit) {
    this.#circuit = circuit;
    for (const s of circuit.signals)
      if (isStored(s))
        this.#stored.set(
          s,
          s.domain?.kind === "none" && s.init !== undefined ? { bits: s.init, known: true } : UNKNOWN,
        );
    for (const m of circuit.memories) {
      this.#words.set(
        m,
        Array.from({ length: m.depth }, (_, i) =>
          m.init === undefined ? UNKNOWN : { bits: m.init[i] ?? 0n, known: true },
        ),
      );
    }
    for (const i of circuit.instances) {
      const inner = new Reference(i.circuit);
      this.#instances.push({
        inner,
        pins: [...i.connections].filter(([, s]) => s.kind === "instanceIn" && s !== i.reset),
        reset: i.reset,
        outputs: new Map(),
      });
      for (const [port, s] of i.connections) {
        const leaf = i.circuit.signals.find(x => x.name === port);
        if (s.kind === "instanceOut" && leaf !== undefined) this.#below.set(s, [inner, leaf]);
      }
    }
  }

  /** Values of all signals for these inputs, before the clock edge. */
  settle(inputs: ReadonlyMap<string, Value>): ReadonlyMap<Signal, Value> {
    let before: Values = new Map();
    const most = this.#circuit.signals.reduce((n, s) => n + s.width, 2);
    for (let round = 0; round < most; round++) {
      const effects = this.#round(inputs, before);
      this.#effects = effects;
      let stable = effects.values.size === before.size && round > 0;
      for (const [s, v] of effects.values) if (stable && !same(before.get(s), v)) stable = false;
      before = effects.values;
      if (stable) break;
    }
    return before;
  }

  #round(inputs: ReadonlyMap<string, Value>, before: Values): Effects {
    const e: Effects = { values: new Map(), next: new Map(this.#stored), writes: new Map(), doubtful: new Set() };
    for (const s of this.#circuit.signals) {
      if (s.kind === "input") e.values.set(s, inputs.get(s.name) ?? { bits: 0n, known: true });
      else if (isStored(s)) e.values.set(s, this.#stored.get(s) ?? UNKNOWN);
    }
    for (const i of this.#instances)
      i.outputs = i.inner.settle(
        new Map(i.pins.map(([port, s]) => [port, before.get(s) ?? { bits: 0n, known: true }])),
      );
    for (const [s, [inner, leaf]] of this.#below)
      e.values.set(s, this.#instances.find(i => i.inner === inner)?.outputs.get(leaf) ?? UNKNOWN);
    this.#run(this.#circuit.body, x => this.#value(x, e.values, before), true, e);
    return e;
  }

  #value(x: Expr, now: Values, before: Values): Value {
    let known = true;
    const bits = evaluate(x, {
      read: s => {
        const v = (isSource(s) ? now : before).get(s);
        known &&= v?.known ?? true;
        return v?.bits ?? 0n;
      },
      memRead: (m, address) => {
        const v = this.#words.get(m)?.[Number(address)] ?? UNKNOWN;
        known &&= v.known;
        return v.bits;
      },
    });
    return { bits, known };
  }

  /** `sure`: whether it is known that the statements run. */
  #run(body: readonly Stmt[], value: (x: Expr) => Value, sure: boolean, e: Effects): void {
    for (const s of body) {
      switch (s.kind) {
        case "assign": {
          const into = s.target.kind === "reg" ? e.next : e.values;
          const v = value(s.value),
            old = into.get(s.target);
          const mask = maskOf(s.width) << BigInt(s.lo);
          const whole = s.width === s.target.width;
          into.set(s.target, {
            bits: ((old?.bits ?? 0n) & ~mask) | (v.bits << BigInt(s.lo)),
            known: sure && v.known && (whole || (old?.known ?? true)),
          });
          break;
        }
        case "if": {
          const c = value(s.cond);
          if (!c.known) {
            this.#run(s.then, value, false, e);
            this.#run(s.otherwise, value, false, e);
          } else this.#run(c.bits !== 0n ? s.then : s.otherwise, value, sure, e);
          break;
        }
        case "switch": {
          const on = value(s.on);
          if (!on.known)
            for (const b of [...s.cases.map(c => c.body), s.otherwise ?? []]) this.#run(b, value, false, e);
          else
            this.#run(
              s.cases.find(c => c.labels.some(l => value(l).bits === on.bits))?.body ?? s.otherwise ?? [],
              value,
              sure,
              e,
            );
          break;
        }
        case "memWrite":
          e.writes.set(s.port.memory, {
            statement: s,
            address: value(s.address),
            data: value(s.data),
            mask: s.mask === undefined ? undefined : value(s.mask),
          });
          if (!sure) e.doubtful.add(s.port.memory);
          break;
        case "property":
          break;
      }
    }
  }

  /** The clock edge of the cycle that was settled last. */
  tick(reset: boolean): void {
    const e = this.#effects;
    if (e === undefined) throw new Error("settle comes before tick");
    const value = (x: Expr): Value => this.#value(x, e.values, e.values);
    for (const m of this.#circuit.memories) {
      const before = [...(this.#words.get(m) ?? [])],
        w = e.writes.get(m);
      const reads = m.readPorts.map(r => ({
        r,
        address: value(r.address),
        enable: r.enable === undefined ? { bits: 1n, known: true } : value(r.enable),
      }));
      if (w !== undefined) this.#write(m, w, e.doubtful.has(m));
      for (const { r, address, enable } of reads)
        this.#stored.set(r.data, this.#read(m, r, address, enable, before, w, e.doubtful.has(m)));
    }
    for (const [s, v] of e.next) {
      if (s.kind !== "reg") continue;
      this.#stored.set(
        s,
        reset && s.init !== undefined && s.domain?.kind !== "none" ? { bits: s.init, known: true } : v,
      );
    }
    for (const i of this.#instances) {
      const own = i.reset === undefined ? undefined : e.values.get(i.reset);
      i.inner.tick(reset || (own?.bits ?? 0n) !== 0n);
      if (!reset && own?.known === false) i.inner.forget();
    }
  }

  /** What is stored may be anything from now on: it is unknown whether a reset came. */
  forget(): void {
    for (const s of this.#stored.keys()) this.#stored.set(s, UNKNOWN);
    for (const i of this.#instances) i.inner.forget();
  }

  #write(m: Memory, w: Write, doubtful: boolean): void {
    const words = this.#words.get(m) ?? [];
    if (doubtful || !w.address.known || w.mask?.known === false) {
      words.fill(UNKNOWN);
      return;
    }
    const at = Number(w.address.bits);
    if (at >= m.depth) return;
    const mask = maskIn(m, w),
      old = words[at] ?? UNKNOWN;
    words[at] = {
      bits: (old.bits & ~mask) | (w.data.bits & mask),
      known: w.data.known && (old.known || mask === maskOf(m.width)),
    };
  }

  #read(
    m: Memory,
    r: ReadPort,
    address: Value,
    enable: Value,
    before: readonly Value[],
    w: Write | undefined,
    doubtful: boolean,
  ): Value {
    if (!enable.known) return UNKNOWN;
    if (enable.bits === 0n) return this.#stored.get(r.data) ?? UNKNOWN;
    if (!address.known) return UNKNOWN;
    const at = Number(address.bits);
    const meets = w !== undefined && (doubtful || !w.address.known || w.address.bits === address.bits);
    if (m.collision === "undefined" && meets) return UNKNOWN;
    return (m.collision === "new" ? (this.#words.get(m) ?? []) : before)[at] ?? UNKNOWN;
  }
}

function maskIn(m: Memory, w: Write): bigint {
  if (w.mask === undefined) return maskOf(m.width);
  const lanes = w.statement.mask?.width ?? 1,
    width = m.width / lanes;
  let mask = 0n;
  for (let i = 0; i < lanes; i++)
    if (((w.mask.bits >> BigInt(i)) & 1n) === 1n) mask |= maskOf(width) << BigInt(i * width);
  return mask;
}
