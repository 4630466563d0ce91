import {
  bit,
  cat,
  countNodes,
  type Def,
  elaborate,
  emit,
  input,
  instance,
  module,
  mux,
  output,
  reg,
  switchOn,
  uint,
  type UInt,
  when,
} from "../../hdl-dsl/index.ts";

/**
 * Time to elaborate, check and emit one design of a size, the mean of `runs` designs. The unit is milliseconds of the
 * processor, over all threads of the process (so the collector and the compiler count too). A node is an expression, a
 * statement or a declaration.
 */
export interface LanguageSpeed {
  readonly design: string;
  readonly nodes: number;
  readonly runs: number;
  /** The first design of that size in the process, elaboration and emission. */
  readonly coldMs: number;
  readonly elaborationMs: number;
  readonly emissionMs: number;
  readonly lines: number;
}

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Registers with conditions of their own in one module: control logic. */
const control = (nodes: number): Def =>
  module(
    "Control",
    (_p: { readonly stages: number }) => ({ go: input(bit), d: input(uint(16)), q: output(uint(16)) }),
    (io, p) => {
      let last: UInt<16> = io.d;
      for (let i = 0; i < p.stages; i++) {
        const stage = reg(uint(16), { init: 0 }),
          before = last;
        when(io.go.and(before.bit(i % 16)), () => stage.set(before.add(i & 0xffff).xor(before.not()))).elseWhen(
          before.bit(0),
          () => stage.set(mux(before.gt(stage), before, stage.sub(1))),
        );
        switchOn(before.bits(0, 2))
          .is(1, () => stage.setBits(0, before.bits(8, 8)))
          .is([2, 3], () => stage.setBits(8, io.d.bits(0, 8)));
        last = stage;
      }
      io.q.set(last);
    },
  )({ stages: Math.max(1, Math.round(nodes / 29)) });

/** One deep expression: arithmetic. */
const arithmetic = (nodes: number): Def =>
  module(
    "Arithmetic",
    (_p: { readonly terms: number }) => ({ a: input(uint(16)), b: input(uint(16)), q: output(uint(16)) }),
    (io, p) => {
      let sum: UInt<16> = io.a;
      for (let i = 0; i < p.terms; i++)
        sum =
          i % 2 === 0
            ? sum.add(io.b).xor(cat(sum.bits(8, 8), sum.bits(0, 8)).is(16))
            : sum.sub(i & 0xffff).and(io.a.or(sum));
      io.q.set(sum);
    },
  )({ terms: Math.max(1, Math.round(nodes / 4)) });

/** A thousand small instances and more: hierarchy. */
function hierarchy(nodes: number): Def {
  const Cell = module(
    "Cell",
    () => ({ d: input(uint(8)), q: output(uint(8)) }),
    io => {
      const held = reg(uint(8), { init: 0 });
      held.set(io.d.add(1));
      io.q.set(held);
    },
  );
  return module(
    "Tree",
    (_p: { readonly cells: number }) => ({ d: input(uint(8)), q: output(uint(8)) }),
    (io, p) => {
      let last: UInt<8> = io.d;
      for (let i = 0; i < p.cells; i++) {
        const cell = instance(Cell());
        cell.d.set(last.xor(i & 255));
        last = cell.q;
      }
      io.q.set(last);
    },
  )({ cells: Math.max(1, Math.round(nodes / 7)) });
}

/**
 * A design of about so many nodes. Each call defines its modules anew, so that nothing of an earlier one
 * is found elaborated.
 */
export interface LanguageDesign {
  readonly name: string;
  readonly make: (nodes: number) => Def;
}
export const languageDesigns: readonly LanguageDesign[] = [
  { name: "control", make: control },
  { name: "arithmetic", make: arithmetic },
  { name: "hierarchy", make: hierarchy },
];

/** Sizes of the designs, in nodes, about. */
export const languageSizes = [1_000, 10_000, 100_000, 1_000_000] as const;

/** Milliseconds of the processor that go by unmeasured, and that are measured at least. */
const WARM_UP = 1000,
  MEASURED = 1000;

/**
 * Elaborates, checks and emits designs of one kind and size one after the other in this process. The first one is the
 * cold run. Unmeasured ones follow until `warmUp` milliseconds of processor time have gone by (the cold run's among
 * them). Then come measured ones, at least one, until `least` have.
 */
export function measureLanguage(
  design: LanguageDesign,
  size: number,
  warmUp = WARM_UP,
  least = MEASURED,
): LanguageSpeed {
  const cold = run(design.make(size));
  for (let spent = cold.elaborationMs + cold.emissionMs; spent < warmUp;) {
    const r = run(design.make(size));
    spent += r.elaborationMs + r.emissionMs;
  }
  let elaborationMs = 0,
    emissionMs = 0,
    runs = 0;
  while (runs === 0 || elaborationMs + emissionMs < least) {
    const r = run(design.make(size));
    elaborationMs += r.elaborationMs;
    emissionMs += r.emissionMs;
    runs++;
  }
  return {
    design: design.name,
    nodes: cold.nodes,
    runs,
    coldMs: cold.elaborationMs + cold.emissionMs,
    elaborationMs: elaborationMs / runs,
    emissionMs: emissionMs / runs,
    lines: cold.lines,
  };
}

function run(def: Def): {
  readonly nodes: number;
  readonly elaborationMs: number;
  readonly emissionMs: number;
  readonly lines: number;
} {
  const begun = processorMs(),
    circuit = elaborate(def),
    built = processorMs(),
    { files } = emit(def),
    done = processorMs();
  return {
    nodes: countNodes(circuit) + circuit.signals.length + circuit.instances.length,
    elaborationMs: built - begun,
    emissionMs: done - built,
    lines: files.reduce((n, f) => n + f.text.split("\n").length - 1, 0),
  };
}

/** Nodes per second, elaboration to text. */
export const nodesPerSecond = (s: LanguageSpeed): number => (s.nodes / (s.elaborationMs + s.emissionMs)) * 1000;

/**
 * The power of the size by which the time grows from the smallest of the designs to the largest: 1 is linear, 2
 * quadratic. Memory that no cache holds makes it a little more than 1.
 */
export function growth(rows: readonly LanguageSpeed[]): number {
  const byNodes = [...rows].sort((a, b) => a.nodes - b.nodes),
    small = byNodes[0],
    large = byNodes.at(-1);
  if (small === undefined || large === undefined || small.nodes === large.nodes) return 1;
  const time = (s: LanguageSpeed): number => s.elaborationMs + s.emissionMs;
  return Math.log(time(large) / time(small)) / Math.log(large.nodes / small.nodes);
}
/** Beyond this growth a design is said not to be linear: ten times the nodes then take 18 times the time. */
export const LINEAR = 1.25;
