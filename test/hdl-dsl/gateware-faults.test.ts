/**
 * Faults that the existing TypeScript language (gateware-ts) accepts in silence, and this one must not;
 * shared/design/language.md lists them.
 */
import { describe, expect, test } from "vitest";
import {
  bit,
  clockDomain,
  elaborate,
  emit,
  HdlError,
  inDomain,
  input,
  instance,
  module,
  output,
  reg,
  uint,
  type UInt,
  wire,
} from "../../hdl-dsl/index.ts";

/** A message without line numbers: they move with the formatting of this file (build/diagnostics.test.ts has them). */
function messageOf(f: () => unknown): string {
  try {
    f();
  } catch (e) {
    if (e instanceof HdlError) return e.message.replace(/(\.test\.ts):\d+/g, "$1");
    throw e;
  }
  return "";
}
const assigns = (text: string): string[] =>
  text
    .split("\n")
    .map(l => l.replace(/\s*\/\/.*/, "").trim())
    .filter(l => l.startsWith("assign y"));

describe("faults of gateware-ts", () => {
  test("a 16-bit value into an 8-bit register", () => {
    const Narrow = module(
      "Narrow",
      () => ({ wide: input(uint(16)), y: output(uint(8)) }),
      io => {
        const held = reg(uint(8), { init: 0 });
        held.set(io.wide as UInt as UInt<8>); // where the compiler has been told otherwise
        io.y.set(held);
      },
    );
    expect(messageOf(() => elaborate(Narrow()))).toBe(
      "HDL101 in Narrow: `held` is set: expected 8 bits, `wide` has 16 (gateware-faults.test.ts; see gateware-faults.test.ts). Cut it with trunc(8) or select bits",
    );
  });

  test("a - (b - c) and its relatives keep their parentheses", () => {
    const Minus = module(
      "Minus",
      () => ({
        a: input(uint(8)),
        b: input(uint(8)),
        c: input(uint(8)),
        y: output(uint(8)),
        yl: output(uint(8)),
        ys: output(uint(8)),
        yx: output(uint(8)),
      }),
      io => {
        io.y.set(io.a.sub(io.b.sub(io.c)));
        io.yl.set(io.a.sub(io.b).sub(io.c));
        io.ys.set(io.a.add(io.b.sub(io.c)).and(io.a.or(io.b)));
        io.yx.set(io.a.shl(io.b.add(io.c)).not());
      },
    );
    expect(assigns(emit(Minus()).files[0]?.text ?? "")).toEqual([
      "assign y = a - (b - c);",
      "assign yl = a - b - c;",
      "assign ys = (a + (b - c)) & (a | b);",
      "assign yx = ~(a << (b + c));",
    ]);
  });

  test("two parametrisations of one module are two modules, whatever the order", () => {
    const elaborated: number[] = [];
    const Slice = module(
      "Slice",
      (p: { width: number }) => ({ d: input(uint(p.width)), q: output(uint(p.width)) }),
      (io, p) => {
        elaborated.push(p.width);
        const held = reg(uint(p.width));
        held.set(io.d);
        io.q.set(held);
      },
    );
    const Both = module(
      "Both",
      () => ({ a: input(uint(4)), b: input(uint(12)), qa: output(uint(4)), qb: output(uint(12)), qc: output(uint(4)) }),
      io => {
        const wide = instance(Slice({ width: 12 })),
          narrow = instance(Slice({ width: 4 })),
          again = instance(Slice({ width: 4 }));
        wide.d.set(io.b);
        narrow.d.set(io.a);
        again.d.set(narrow.q as UInt<4>);
        io.qb.set(wide.q);
        io.qa.set(narrow.q);
        io.qc.set(again.q);
      },
    );
    const design = emit(Both());
    expect(design.files.map(f => f.name)).toEqual(["Slice_width12.v", "Slice_width4.v", "Both.v"]);
    expect(elaborated).toEqual([12, 4]);
    expect(design.files[0]?.text).toContain("input  wire [11:0] d");
    expect(design.files[1]?.text).toContain("input  wire [3:0] d");
    expect(Slice({ width: 4 })).toBe(Slice({ width: 4 }));
  });

  test("two modules of one name are refused, not merged", () => {
    const one = module(
      "Twin",
      () => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(io.d),
    );
    const two = module(
      "Twin",
      () => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(io.d.not()),
    );
    const Top = module(
      "Top",
      () => ({ d: input(bit), q: output(bit) }),
      io => {
        const first = instance(one()),
          second = instance(two());
        first.d.set(io.d);
        second.d.set(first.q);
        io.q.set(second.q);
      },
    );
    expect(messageOf(() => elaborate(Top()))).toBe(
      "HDL014 in Twin: two different modules are called `Twin` (gateware-faults.test.ts; see gateware-faults.test.ts). Rename one, or make what tells them apart a parameter",
    );
  });

  test("parameters that are not plain data are refused: equal ones could not be told from different ones", () => {
    const Any = module(
      "Any",
      (_p: unknown) => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(io.d),
    );
    expect(() => Any({ f: () => 1 })).toThrow(
      "module Any: parameter f is a function: parameters are plain data (numbers, bigints, strings, booleans, shapes, objects and arrays of those), so that equal ones give one definition",
    );
    expect(() => Any({ list: [1, Number.NaN] })).toThrow(
      "module Any: parameter list[1] is not a number (NaN): parameters are plain data",
    );
    expect(() => Any({ deep: { m: new Map() } })).toThrow(
      "module Any: parameter deep.m is an object of class Map: parameters are plain data",
    );
    expect(Any({ signed: uint(8) }).name).toBe("Any_uint8");
  });

  test("one register driven from two clocks", () => {
    const Shared = module(
      "Shared",
      () => ({ d: input(uint(8)), q: output(uint(8)) }),
      io => {
        const other = clockDomain("other");
        const shared = reg(uint(8), { init: 0 });
        shared.set(io.d);
        inDomain(other, () => shared.set(0));
        io.q.set(shared);
      },
    );
    expect(messageOf(() => elaborate(Shared()))).toBe(
      "HDL109 in Shared: register `shared` belongs to clock domain `default` and is set in domain `other` (gateware-faults.test.ts; see gateware-faults.test.ts). " +
        "Give each register one clock: set it inside its own domain, and cross with a synchroniser or an asynchronous FIFO",
    );
  });

  test("a combinational loop, with its path", () => {
    const Loop = module(
      "Loop",
      () => ({ d: input(uint(8)), q: output(uint(8)) }),
      io => {
        const first = wire(uint(8)),
          second = wire(uint(8));
        first.set(second.add(io.d));
        second.set(first.xor(1));
        io.q.set(second);
      },
    );
    expect(messageOf(() => elaborate(Loop()))).toBe(
      "HDL006 in Loop: combinational loop: `first` <- `second` <- `first` (gateware-faults.test.ts; see gateware-faults.test.ts). Break it with a register",
    );
  });

  test("a combinational loop through instances", () => {
    const Through = module(
      "Through",
      () => ({ d: input(bit), q: output(bit) }),
      io => io.q.set(io.d.not()),
    );
    const Ring = module(
      "Ring",
      () => ({ q: output(bit) }),
      io => {
        const here = instance(Through()),
          there = instance(Through());
        here.d.set(there.q);
        there.d.set(here.q);
        io.q.set(here.q);
      },
    );
    expect(messageOf(() => elaborate(Ring()))).toBe(
      "HDL006 in Ring: combinational loop: `here_d` <- `there_q` <- `there_d` <- `here_q` <- `here_d` (gateware-faults.test.ts; see gateware-faults.test.ts). Break it with a register",
    );
  });
});
