import { describe, expect, test } from "vitest";
import {
  bit,
  type Bit,
  type Def,
  elaborate,
  HdlError,
  input,
  instance,
  module,
  mux,
  output,
  reg,
  sint,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";

const d = { d: input(bit), q: output(bit) };

describe("bad use is told in one sentence", () => {
  test("shapes without bits", () => {
    expect(() => uint(0)).toThrow("uint: the width must be a whole number of 1 or more, got 0");
    expect(() => sint(2.5)).toThrow("sint: the width must be a whole number of 1 or more, got 2.5");
    expect(() => vec(bit, -1)).toThrow("vec: the length must be a whole number of 1 or more, got -1");
    expect(() => struct({})).toThrow("struct: at least one field is needed");
  });

  test("a builder outside of a module", () => {
    expect(() => reg(bit)).toThrow(
      "this part of the language works inside the body of a module(...) only: call it from there",
    );
    expect(() => {
      when(1 as unknown as Bit, () => undefined);
    }).toThrow("this part of the language works inside the body of a module(...) only: call it from there");
  });

  test("a module inside itself, and one that ends", () => {
    const Endless: () => Def<typeof d> = module(
      "Endless",
      () => d,
      io => {
        const inner = instance(Endless());
        inner.d.set(io.d);
        io.q.set(inner.q);
      },
    );
    expect(() => elaborate(Endless())).toThrow("Give the inner instance other parameters, and an end to the recursion");
    // Not left half elaborated: the same sentence again.
    expect(() => elaborate(Endless())).toThrow("module Endless contains itself");
    const Tree: (p: { depth: number }) => Def<typeof d> = module(
      "Tree",
      (_p: { depth: number }) => d,
      (io, p) => {
        if (p.depth === 0) {
          io.q.set(io.d.not());
          return;
        }
        const inner = instance(Tree({ depth: p.depth - 1 }));
        inner.d.set(io.d);
        io.q.set(inner.q);
      },
    );
    expect(elaborate(Tree({ depth: 3 })).instances[0]?.circuit.name).toBe("Tree_depth2");
  });

  test("an exception after an error does not hide the error, nor those of modules below", () => {
    const below = module(
      "BelowBroken",
      () => d,
      io => {
        io.q.set(io.d);
        const number = mux(io.d, 1 as unknown as UInt<1>, 1);
        io.q.set(number.add(1));
      },
    );
    const Above = module(
      "AboveBroken",
      () => d,
      io => {
        io.q.set(2);
        const inner = instance(below());
        inner.d.set(io.d);
      },
    );
    let found: unknown;
    try {
      elaborate(Above());
    } catch (e) {
      found = e;
    }
    expect(found).toBeInstanceOf(HdlError);
    expect((found as HdlError).diagnostics.map(x => `${x.code} ${x.module}`)).toEqual([
      "HDL103 BelowBroken",
      "HDL102 AboveBroken",
    ]);
  });

  test("an exception of the body itself comes through", () => {
    const Throws = module(
      "Throws",
      () => d,
      () => {
        throw new RangeError("depth 3 is odd; give an even one");
      },
    );
    expect(() => elaborate(Throws())).toThrow(new RangeError("depth 3 is odd; give an even one"));
  });

  test("errors of several modules of one design are reported together, each once", () => {
    const wrong = module(
      "WrongLeaf",
      () => d,
      io => io.q.set(4),
    );
    const Top = module(
      "WrongTop",
      () => d,
      io => {
        const one = instance(wrong()),
          two = instance(wrong());
        one.d.set(io.d);
        two.d.set(one.q);
        io.q.set(two.q);
        io.q.set(7);
      },
    );
    let message = "";
    try {
      elaborate(Top());
    } catch (e) {
      message = (e as Error).message;
    }
    expect(message.replace(/(\.test\.ts):\d+/g, "$1").split("\n")).toEqual([
      "HDL102 in WrongLeaf: `q` is set: the number 4 does not fit 1 bit unsigned (0 to 1) (misuse.test.ts). Use a number in range, or a wider value",
      "HDL102 in WrongTop: `q` is set: the number 7 does not fit 1 bit unsigned (0 to 1) (misuse.test.ts). Use a number in range, or a wider value",
    ]);
  });
});
