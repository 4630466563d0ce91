import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  bit,
  elaborate,
  emit,
  enumOf,
  input,
  module,
  output,
  priority,
  priorityTree,
  uint,
  vec,
} from "../../../hdl-dsl/index.ts";
import type { Expr } from "../../../hdl-dsl/ir/expr.ts";
import { resolve } from "../../../hdl-dsl/ir/resolve.ts";
import { root } from "../../../scripts/setup/paths.mjs";
import { bench } from "../../bench.ts";
import { nestedMuxes } from "./nesting.ts";

const Colour = enumOf("Colour", ["red", "green", "blue"]);

/** Both choices by `ways` conditions, side by side; the last value is without a condition. */
const Chosen = module(
  "Chosen",
  (p: { readonly ways: number }) => ({
    on: input(vec(bit, p.ways)),
    values: input(vec(uint(4), p.ways + 1)),
    chain: output(uint(4)),
    tree: output(uint(4)),
    fixed: output(uint(8)),
    colour: output(Colour),
    less: output(uint(4)),
  }),
  (io, p) => {
    const choices = Array.from({ length: p.ways }, (_, i) => [io.on.at(i), io.values.at(i)] as const);
    io.chain.set(priority(...choices, io.values.at(p.ways)));
    io.tree.set(priorityTree(...choices, io.values.at(p.ways)));
    io.fixed.set(priorityTree(...choices.map(([c], i) => [c, i + 1] as const), io.values.at(0).zext(8)));
    io.colour.set(priority([io.on.at(0), Colour.green], Colour.blue));
    io.less.set(io.values.at(0).andNot(io.values.at(p.ways)));
  },
);

describe("the first condition that holds decides", () => {
  for (const ways of [1, 2, 3, 4, 5, 6, 7, 8])
    bench(`${ways} conditions, every combination`, Chosen({ ways }), {}, async b => {
      for (let on = 0; on < 2 ** ways; on++) {
        const values = Array.from({ length: ways + 1 }, () => b.random.between(0, 15));
        values.forEach((v, i) => {
          const s = b.io.values[i];
          if (s !== undefined) s.value = v;
        });
        for (let i = 0; i < ways; i++) {
          const s = b.io.on[i];
          if (s !== undefined) s.value = (on >> i) & 1;
        }
        await b.risingEdge();
        const first = on === 0 ? ways : Math.log2(on & -on);
        expect(b.io.chain.value).toBe(values[first]);
        expect(b.io.tree.value).toBe(values[first]);
        expect(b.io.fixed.value).toBe(first === ways ? values[0] : first + 1);
        expect(b.io.colour.value).toBe(on % 2 === 1 ? "green" : "blue");
        expect(b.io.less.value).toBe((values[0] as number) & ~(values[ways] as number));
      }
    });
});

/** Muxes one after another from the inputs to the result. */
function muxDepth(ways: number, output: string): number {
  const c = elaborate(Chosen({ ways })),
    signal = c.signals.find(s => s.name === output),
    value = signal === undefined ? undefined : resolve(c).segments.get(signal)?.[0]?.value;
  const depth = (e: Expr): number => (e.kind === "mux" ? 1 + Math.max(depth(e.a), depth(e.b)) : 0);
  expect(value).toBeDefined();
  return depth(value as Expr);
}
test("a chain is as deep as it has conditions, a tree log2 of it", () => {
  for (const ways of [1, 3, 7, 15, 31]) {
    expect(muxDepth(ways, "chain")).toBe(ways);
    expect(muxDepth(ways, "tree")).toBe(Math.log2(ways + 1));
  }
});
test("the chain reads as one", () => {
  const text = emit(Chosen({ ways: 3 })).files[0]?.text ?? "";
  expect(text).toContain("assign chain = on_0 ? values_0 : on_1 ? values_1 : on_2 ? values_2 : values_3;");
  expect(text).toContain("assign less = values_0 & ~values_3;");
});

describe("no choice within a choice within a choice", () => {
  test("in designs, in the library and in the examples", () => {
    for (const top of ["designs", "examples", "hdl-dsl/lib", "hdl-dsl/stream", "hdl-dsl/queues", "hdl-dsl/registers"])
      for (const f of readdirSync(join(root, top), { recursive: true, encoding: "utf8" })) {
        if (!f.endsWith(".ts")) continue;
        const path = `${top}/${f.replaceAll("\\", "/")}`,
          found = nestedMuxes(readFileSync(join(root, path), "utf8"), 2);
        expect(
          found.length,
          `${path}:${found.map(n => n.line).join(", ")} nests mux more than two deep; write priority([condition, value], ..., otherwise)`,
        ).toBe(0);
      }
  });
  test("a planted one is found, and two levels are none", () => {
    const three = "const a = 1;\nio.y.set(mux(a, b, mux(c, d.add(1), mux(e, f, g).and(h))));";
    expect(nestedMuxes(three, 2)).toEqual([{ line: 2, depth: 3 }]);
    expect(nestedMuxes("mux(a, b, mux(c, d, e)); mux(f, g, h);", 2)).toEqual([]);
    expect(nestedMuxes("mux(a, mux(b, c, d), list.map(x => mux(x, y, mux(z, u, v)))) ;", 2)).toEqual([]);
  });
});
