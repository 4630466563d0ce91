/** The built-in simulator as a voice: of the circuits themselves, and of what it reads in the emitted text. */
import { compileBuiltin } from "../../../sim/index.ts";
import { maskOf } from "../../../hdl-dsl/ir/expr.ts";
import { inputValues, outputBits, type Subject } from "./bench.ts";

/** Outputs of one subject at each step, as a pattern with its first output lowest. */
function patterns(s: Subject, vectors: readonly bigint[], gated: boolean, seed: number): bigint[] {
  const model = compileBuiltin(s.design, { gated }).create({ seed, clocks: {} });
  const { slots, words } = model;
  const put = (name: string, value: bigint): void => {
    const slot = slots.get(name);
    for (let i = 0; i < (slot?.words ?? 0); i++)
      words[(slot?.word ?? 0) + i] = Number((value >> BigInt(32 * i)) & 0xffff_ffffn);
  };
  const rows = vectors.map((vector, n) => {
    for (const p of s.design.ports) if (p.role === "reset") put(p.name, (n === 0) === (p.activeLow !== true) ? 1n : 0n);
    for (const [name, v] of inputValues(s, vector)) put(name, v.bits);
    model.step(1);
    let bits = 0n,
      at = 0n;
    for (const p of s.design.ports) {
      if (p.dir !== "out") continue;
      const slot = slots.get(p.name);
      for (let i = 0; i < (slot?.words ?? 0); i++)
        bits |= BigInt(words[(slot?.word ?? 0) + i] ?? 0) << (at + BigInt(32 * i));
      bits &= maskOf(Number(at) + p.width);
      at += BigInt(p.width);
    }
    return bits;
  });
  model.free();
  return rows;
}

/** As a tool's rows, gated and ungated. A bit on which the two differ is `x`, so it is wrong where it is known. */
export function builtinRows(subjects: readonly Subject[], vectors: readonly bigint[], text = false): string[] {
  const rows = vectors.map(() => "");
  for (const subject of subjects) {
    // A copy is not known to have a circuit, so its text is read.
    const s = text ? { ...subject, design: { ...subject.design } } : subject;
    const width = outputBits(s);
    const one = patterns(s, vectors, false, 7),
      two = patterns(s, vectors, true, 9);
    vectors.forEach((_, n) => {
      const text = (v: bigint): string => v.toString(2).padStart(width, "0");
      const a = text(one[n] ?? 0n),
        b = text(two[n] ?? 0n);
      rows[n] = a.replace(/./g, (c, i: number) => (c === b[i] ? c : "x")) + (rows[n] ?? "");
    });
  }
  return rows;
}
