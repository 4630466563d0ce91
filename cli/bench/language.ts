import { bit, cat, countNodes, elaborate, emit, input, instance, module, mux, output, reg, switchOn, uint, when, type Circuit, type Def, type UInt } from "../../hdl-dsl/index.ts";

/**
 * What elaborating, checking and emitting a design of one size took: time of the processor, so that a busy machine says the same. A node is an
 * expression, a statement or a declaration.
 */
export interface LanguageSpeed { readonly design: string; readonly nodes: number; readonly elaborationMs: number; readonly emissionMs: number; readonly lines: number }

const processorMs = (): number => process.cpuUsage().user / 1000;

/** Registers with conditions of their own in one module: control logic. */
const Control = module("Control", (_p: { readonly stages: number }) => ({ go: input(bit), d: input(uint(16)), q: output(uint(16)) }), (io, p) => {
  let last: UInt<16> = io.d;
  for (let i = 0; i < p.stages; i++) {
    const stage = reg(uint(16), { init: 0 }), before = last;
    when(io.go.and(before.bit(i % 16)), () => { stage.set(before.add(i & 0xffff).xor(before.not())); })
      .elseWhen(before.bit(0), () => { stage.set(mux(before.gt(stage), before, stage.sub(1))); });
    switchOn(before.bits(0, 2)).is(1, () => { stage.setBits(0, before.bits(8, 8)); }).is([2, 3], () => { stage.setBits(8, io.d.bits(0, 8)); });
    last = stage;
  }
  io.q.set(last);
});

/** One deep expression: arithmetic. */
const Arithmetic = module("Arithmetic", (_p: { readonly terms: number }) => ({ a: input(uint(16)), b: input(uint(16)), q: output(uint(16)) }), (io, p) => {
  let sum: UInt<16> = io.a;
  for (let i = 0; i < p.terms; i++) sum = i % 2 === 0 ? sum.add(io.b).xor(cat(sum.bits(8, 8), sum.bits(0, 8)).is(16)) : sum.sub(i & 0xffff).and(io.a.or(sum));
  io.q.set(sum);
});

/** A thousand small instances and more: hierarchy. */
const Cell = module("Cell", () => ({ d: input(uint(8)), q: output(uint(8)) }), (io) => {
  const held = reg(uint(8), { init: 0 });
  held.set(io.d.add(1));
  io.q.set(held);
});
const Tree = module("Tree", (_p: { readonly cells: number }) => ({ d: input(uint(8)), q: output(uint(8)) }), (io, p) => {
  let last: UInt<8> = io.d;
  for (let i = 0; i < p.cells; i++) {
    const cell = instance(Cell());
    cell.d.set(last.xor(i & 255));
    last = cell.q;
  }
  io.q.set(last);
});

const designs: readonly { readonly name: string; readonly make: (nodes: number) => Def }[] = [
  { name: "control", make: (nodes) => Control({ stages: Math.max(1, Math.round(nodes / 29)) }) },
  { name: "arithmetic", make: (nodes) => Arithmetic({ terms: Math.max(1, Math.round(nodes / 4)) }) },
  { name: "hierarchy", make: (nodes) => Tree({ cells: Math.max(1, Math.round(nodes / 5)) }) },
];

/** Sizes of the designs, in nodes, about. */
export const languageSizes = [1_000, 10_000, 100_000, 1_000_000] as const;

/**
 * Elaborates, checks and emits designs of each kind and size; `said` hears of each as it is measured. A small one of each kind goes first, unmeasured:
 * what is measured is the work and not the compilation of this program.
 */
export function measureLanguage(sizes: readonly number[], said: (s: LanguageSpeed) => void): LanguageSpeed[] {
  const all: LanguageSpeed[] = [];
  for (const { name, make } of designs) {
    for (const warm of [501, 2_003, 8_009]) emit(make(warm));
    for (const size of sizes) {
      // Short runs are at the mercy of the compiler and the collector: the best of five, of designs a little different, is what the code can do.
      const runs = size > 200_000 ? 1 : 5;
      const measured = Array.from({ length: runs }, (_, i) => measure(name, make(size + 31 * i)));
      const s = measured.reduce((best, m) => (nodesPerSecond(m) > nodesPerSecond(best) ? m : best));
      all.push(s);
      said(s);
    }
  }
  return all;
}

function measure(design: string, def: Def): LanguageSpeed {
  const begun = processorMs(), circuit: Circuit = elaborate(def), built = processorMs(), { files } = emit(def), done = processorMs();
  return {
    design, nodes: countNodes(circuit) + circuit.signals.length + circuit.instances.length, elaborationMs: built - begun, emissionMs: done - built,
    lines: files.reduce((n, f) => n + f.text.split("\n").length - 1, 0),
  };
}

/** Nodes per second, elaboration to text. */
export const nodesPerSecond = (s: LanguageSpeed): number => s.nodes / (s.elaborationMs + s.emissionMs) * 1000;
