/**
 * Runs a circuit without memories and instances the naive way: statement by statement, straight from the meaning
 * of the language.
 */
import type { Circuit, Signal, Stmt } from "../../../hdl-dsl/ir/circuit.ts";
import { evaluate } from "../../../hdl-dsl/ir/evaluate.ts";
import { type Expr, maskOf } from "../../../hdl-dsl/ir/expr.ts";

export class Interpreter {
  readonly #circuit: Circuit;
  #registers = new Map<Signal, bigint>();

  constructor(circuit: Circuit) {
    this.#circuit = circuit;
    for (const s of circuit.signals) if (s.kind === "reg") this.#registers.set(s, s.init ?? 0n);
  }

  /** Values of all signals for these inputs; then the clock edge. */
  step(inputs: Readonly<Record<string, bigint>>): ReadonlyMap<Signal, bigint> {
    let values = new Map<Signal, bigint>();
    let next = this.#registers;
    // Wires read wires: as many rounds as the longest chain can have.
    for (let round = 0; round < this.#circuit.signals.length; round++) {
      const before = values;
      const read = (s: Signal): bigint =>
        s.kind === "input"
          ? (inputs[s.name] ?? 0n)
          : s.kind === "reg"
            ? (this.#registers.get(s) ?? 0n)
            : (before.get(s) ?? 0n);
      values = new Map();
      next = new Map(this.#registers);
      this.#run(this.#circuit.body, e => evaluate(e, { read }), values, next);
      if ([...values].every(([s, v]) => before.get(s) === v)) break;
    }
    for (const [s, v] of this.#registers) values.set(s, v);
    this.#registers = next;
    return values;
  }

  #run(
    body: readonly Stmt[],
    value: (e: Expr) => bigint,
    wires: Map<Signal, bigint>,
    registers: Map<Signal, bigint>,
  ): void {
    for (const s of body) {
      if (s.kind === "assign") {
        const into = s.target.kind === "reg" ? registers : wires;
        const mask = maskOf(s.width) << BigInt(s.lo);
        into.set(s.target, ((into.get(s.target) ?? 0n) & ~mask) | (value(s.value) << BigInt(s.lo)));
      } else if (s.kind === "if") this.#run(value(s.cond) !== 0n ? s.then : s.otherwise, value, wires, registers);
      else if (s.kind === "switch") {
        const on = value(s.on);
        const taken = s.cases.find(c => c.labels.some(l => value(l) === on));
        this.#run(taken?.body ?? s.otherwise ?? [], value, wires, registers);
      }
    }
  }
}
