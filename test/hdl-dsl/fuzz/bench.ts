/**
 * One Verilog bench for hundreds of modules: all take their inputs from one wide vector, all their outputs make
 * one wide vector.
 */
import type { Circuit } from "../../../hdl-dsl/ir/circuit.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import type { EmittedDesign } from "../../../hdl-dsl/index.ts";
import { maskOf } from "../../../hdl-dsl/ir/expr.ts";
import type { Random } from "../../../hdl-dsl/random.ts";
import { pattern } from "../support/random.ts";
import { Reference, type Value } from "./reference.ts";
import type { Model } from "./vectors.ts";

/** Bits of the vector that the inputs are cut from. */
export const STIMULUS_BITS = 512;
/** Cycles after the one of reset. */
export const STEPS = 20;

/** Input vectors: the reset cycle's (all 0), then one per step. */
export function stimulus(random: Random): bigint[] {
  const steps = Array.from({ length: STEPS }, () => {
    let v = 0n;
    for (let at = 0; at < STIMULUS_BITS; at += 8) v = (v << 8n) | pattern(random, 8);
    return v;
  });
  return [0n, ...steps];
}

/**
 * A module under test with the text that it is tested by, and its required behaviour where a model other than its
 * circuit gives it.
 */
export interface Subject {
  readonly circuit: Circuit;
  readonly design: EmittedDesign;
  readonly model?: Model | undefined;
}
export const subjectOf = ({
  circuit,
  model,
}: {
  readonly circuit: Circuit;
  readonly model?: Model | undefined;
}): Subject => ({ circuit, design: emitCircuit(circuit), model });

/** Where the inputs of a module lie in the stimulus: one after the other, in the order of its ports. */
function inputsOf(s: Subject): { readonly name: string; readonly lo: number; readonly width: number }[] {
  let lo = 0;
  return s.design.ports
    .filter(p => p.dir === "in" && p.role === "data")
    .map(p => {
      const from = lo;
      lo += p.width;
      return { name: p.name, lo: from, width: p.width };
    });
}
const outputsOf = (s: Subject): { readonly name: string; readonly width: number }[] =>
  s.design.ports.filter(p => p.dir === "out");
export const outputBits = (s: Subject): number => outputsOf(s).reduce((n, p) => n + p.width, 0);
/** Input values of one step, by port name. */
export const inputValues = (s: Subject, vector: bigint): ReadonlyMap<string, Value> =>
  new Map(inputsOf(s).map(p => [p.name, { bits: (vector >> BigInt(p.lo)) & maskOf(p.width), known: true }]));

/** Module `bench`: `out` holds the outputs of the subjects, the first one lowest, a subject's first output lowest. */
export function benchText(subjects: readonly Subject[]): string {
  const total = subjects.reduce((n, s) => n + outputBits(s), 0);
  const lines = [
    "/* verilator lint_off DECLFILENAME */",
    "/* verilator lint_off UNUSEDSIGNAL */",
    `module bench (input wire clk, input wire rst, input wire [${STIMULUS_BITS - 1}:0] in, output wire [${total - 1}:0] out);`,
  ];
  let at = 0;
  subjects.forEach((s, n) => {
    const pins = s.design.ports
      .filter(p => p.role !== "data")
      .map(p => `.${p.name}(${p.role === "clock" ? "clk" : p.activeLow === true ? "~rst" : "rst"})`);
    for (const p of inputsOf(s)) pins.push(`.${p.name}(in[${p.lo + p.width - 1}:${p.lo}])`);
    for (const p of outputsOf(s)) {
      pins.push(`.${p.name}(out[${at + p.width - 1}:${at}])`);
      at += p.width;
    }
    lines.push(`  ${s.design.top} p${n} (${pins.join(", ")});`);
  });
  return [...lines, "endmodule", ""].join("\n");
}

interface Row {
  readonly bits: bigint;
  readonly known: bigint;
}
/** By subject, for the vectors asked for last: each tool is compared with the same rows. */
const worked = new WeakMap<Subject, { readonly vectors: readonly bigint[]; readonly rows: readonly Row[] }>();
/** Required outputs of each subject at each step: bit patterns as in `out`, and the mask of known bits. */
export function expected(s: Subject, vectors: readonly bigint[]): readonly Row[] {
  const known = worked.get(s);
  if (known?.vectors === vectors) return known.rows;
  const rows = workOut(s, vectors);
  worked.set(s, { vectors, rows });
  return rows;
}
function workOut(s: Subject, vectors: readonly bigint[]): Row[] {
  const reference = new Reference(s.circuit);
  return vectors.map((vector, n) => {
    const values = reference.settle(inputValues(s, vector));
    let bits = 0n,
      known = 0n,
      at = 0n;
    for (const o of s.circuit.signals) {
      if (o.kind !== "output") continue;
      const v = values.get(o);
      bits |= (v?.bits ?? 0n) << at;
      if (v?.known === true) known |= maskOf(o.width) << at;
      at += BigInt(o.width);
    }
    reference.tick(n === 0);
    return { bits, known };
  });
}

/** As `expected`, from the subject's own model. Run once: a model has its state. */
export function modelled(model: Model, s: Subject, vectors: readonly bigint[]): bigint[] {
  return vectors.map((vector, n) => {
    const out = model.outputs(new Map([...inputValues(s, vector)].map(([name, v]) => [name, v.bits])));
    let bits = 0n,
      at = 0n;
    for (const o of outputsOf(s)) {
      bits |= (out.get(o.name) ?? 0n) << at;
      at += BigInt(o.width);
    }
    model.tick(n === 0);
    return bits;
  });
}
