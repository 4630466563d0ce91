/** Elaboration, checks and emission cost a bounded amount of work per node: counted, not timed. */
import { describe, expect, test } from "vitest";
import {
  bit,
  cat,
  type Circuit,
  type Def,
  elaborate,
  emit,
  input,
  module,
  output,
  reg,
  uint,
  type UInt,
  when,
  wire,
} from "../../hdl-dsl/index.ts";
import type { Expr } from "../../hdl-dsl/ir/expr.ts";
import { allStatements, expressionsOf, postOrder } from "../../hdl-dsl/ir/walk.ts";

/** Distinct expression nodes, and statements, of a circuit. */
function sizeOf(c: Circuit): { nodes: number; statements: number } {
  const seen = new Set<Expr>();
  let statements = 0;
  for (const s of allStatements(c.body)) {
    statements++;
    for (const e of expressionsOf(s))
      postOrder(e, seen, x => {
        seen.add(x);
      });
  }
  return { nodes: seen.size, statements };
}

type Method = (this: unknown, ...a: unknown[]) => unknown;
/**
 * Calls of the collections' methods, elements handed to array methods, and stacks captured while `f` runs: every loop
 * of the language does some of these.
 */
function workOf(f: () => void): number {
  let work = 0;
  const undo: (() => void)[] = [];
  const count = (owner: object, name: string, cost: (self: unknown, a: readonly unknown[]) => number): void => {
    const table = owner as Record<string, Method>,
      original = table[name] as Method;
    table[name] = function (this: unknown, ...a: unknown[]): unknown {
      work += cost(this, a);
      return original.apply(this, a);
    };
    undo.push(() => {
      table[name] = original;
    });
  };
  for (const owner of [Map.prototype, Set.prototype])
    for (const name of ["get", "set", "has", "add", "delete"]) if (name in owner) count(owner, name, () => 1);
  for (const name of ["get", "set", "has"]) count(WeakMap.prototype, name, () => 1);
  for (const name of [
    "map",
    "filter",
    "flatMap",
    "some",
    "every",
    "find",
    "findIndex",
    "reduce",
    "slice",
    "concat",
    "includes",
    "indexOf",
    "forEach",
    "join",
    "reverse",
    "sort",
  ])
    count(Array.prototype, name, self => 1 + (self as unknown[]).length);
  count(Array.prototype, "push", (_s, a) => a.length);
  count(Error, "captureStackTrace", () => 10);
  try {
    f();
  } finally {
    for (const u of undo.reverse()) u();
  }
  return work;
}

/** Registers in a chain, each with its own condition, all named by one source line. */
const Chain = module(
  "Chain",
  (_p: { length: number }) => ({ en: input(bit), d: input(uint(8)), q: output(uint(8)) }),
  (io, p) => {
    let last: UInt<8> = io.d;
    for (let i = 0; i < p.length; i++) {
      const link = reg(uint(8), { init: 0 });
      const before = last;
      when(io.en.and(before.bit(i % 8)), () => link.set(before.add(i & 255).xor(before.not())));
      last = link;
    }
    io.q.set(last);
  },
);
/** One expression, as deep as the design is long. */
const Deep = module(
  "Deep",
  (_p: { length: number }) => ({ d: input(uint(8)), e: input(uint(8)), q: output(uint(8)) }),
  (io, p) => {
    let sum: UInt<8> = io.d;
    for (let i = 0; i < p.length; i++) sum = i % 2 === 0 ? sum.add(io.e) : sum.xor(i & 255).sub(io.d);
    io.q.set(sum);
  },
);
/**
 * A wire of which every bit is driven by a statement of its own, under a nest of conditions; and one
 * concatenation of all.
 */
const Bits = module(
  "Bits",
  (p: { length: number }) => ({
    c: input(uint(16)),
    d: input(uint(p.length)),
    q: output(uint(p.length)),
    r: output(uint(p.length)),
  }),
  (io, p) => {
    const word = wire(uint(p.length));
    word.set(io.d);
    when(io.c.bit(0), () => {
      for (let i = 0; i < p.length; i++) when(io.c.bit(i % 16), () => word.setBits(i, io.d.bit(i).not()));
    });
    io.q.set(word);
    io.r.set(cat(...Array.from({ length: p.length }, (_, i) => word.bit(i))));
  },
);

const shapes: readonly {
  readonly name: string;
  readonly make: (p: { length: number }) => Def;
  readonly lengths: readonly [number, number];
  readonly manyStatements: boolean;
}[] = [
  { name: "a chain of registers", make: Chain, lengths: [250, 20_000], manyStatements: true },
  { name: "a deep expression", make: Deep, lengths: [700, 60_000], manyStatements: false },
  { name: "bits of a word under conditions", make: Bits, lengths: [150, 1500], manyStatements: true },
];

describe("work is linear in the size of the design", () => {
  test.each(shapes)("$name", ({ make, lengths, manyStatements }) => {
    const measured = lengths.map(length => {
      const def = make({ length });
      let circuit: Circuit | undefined;
      const elaboration = workOf(() => {
        circuit = elaborate(def);
      });
      const emission = workOf(() => {
        emit(def);
      });
      const { nodes, statements } = sizeOf(circuit as Circuit);
      return { nodes, statements, elaboration, emission };
    });
    const [small, large] = measured as [(typeof measured)[0], (typeof measured)[0]];
    const per = (x: number, m: { nodes: number }): number => x / m.nodes;
    // Nodes per statement do not grow, and neither does the work per node.
    if (manyStatements)
      expect(large.nodes / large.statements / (small.nodes / small.statements), "nodes per statement").toBeLessThan(
        1.1,
      );
    expect(
      per(large.elaboration, large) / per(small.elaboration, small),
      "work of elaboration and checks per node",
    ).toBeLessThan(1.25);
    expect(per(large.emission, large) / per(small.emission, small), "work of emission per node").toBeLessThan(1.25);
  });

  test("the sizes go from 10^3 to 10^5 nodes", () => {
    expect(sizeOf(elaborate(Chain({ length: 250 }))).nodes).toBeGreaterThan(1000);
    expect(sizeOf(elaborate(Chain({ length: 20_000 }))).nodes).toBeGreaterThan(100_000);
  });

  test("a shared value stays one node: doubling it 200 times is 200 nodes, not 2^200", () => {
    const Doubled = module(
      "Doubled",
      () => ({ d: input(uint(8)), q: output(uint(8)) }),
      io => {
        let x: UInt<8> = io.d;
        for (let i = 0; i < 200; i++) x = x.add(x);
        io.q.set(x);
      },
    );
    expect(sizeOf(elaborate(Doubled())).nodes).toBe(201);
    expect(emit(Doubled()).files[0]?.text.length).toBeLessThan(50_000);
  });

  test("the count of work sees a quadratic loop", () => {
    const scan = (n: number) =>
      workOf(() => {
        const seen: number[] = [];
        for (let i = 0; i < n; i++) {
          if (!seen.includes(i)) seen.push(i);
        }
      });
    expect(scan(1000) / scan(100)).toBeGreaterThan(50);
  });
});
