/** An instance with a reset of its own: it begins anew while what surrounds it goes on. */
import { describe, expect, test } from "vitest";
import {
  assertAlways,
  bit,
  type Bit,
  clockDomain,
  emit,
  HdlError,
  inDomain,
  input,
  instance,
  module,
  output,
  reg,
  uint,
} from "../../../hdl-dsl/index.ts";
import { DesignStopped, runBench } from "../../../sim/index.ts";
import { bench } from "../../bench.ts";

/** Counts the edges since its reset; stops the simulation at a fault. */
const Inner = module(
  "ResetInner",
  () => ({ wrong: input(bit), n: output(uint(8)) }),
  io => {
    const n = reg(uint(8), { init: 5 });
    n.set(n.add(1));
    io.n.set(n);
    assertAlways(io.wrong.not(), "nothing is wrong");
  },
);
/** The reset reaches the instances of an instance. */
const Middle = module(
  "ResetMiddle",
  () => ({ wrong: input(bit), n: output(uint(8)) }),
  io => {
    const inner = instance(Inner());
    inner.wrong.set(io.wrong);
    io.n.set(inner.n);
  },
);
const Outer = module(
  "ResetOuter",
  () => ({ clear: input(bit), wrong: input(bit), free: output(uint(8)), own: output(uint(8)) }),
  io => {
    const held = reg(bit, { init: 0 });
    held.set(io.clear);
    const mine = instance(Middle(), { reset: held }),
      other = instance(Middle());
    mine.wrong.set(io.wrong);
    other.wrong.set(0);
    io.own.set(mine.n);
    io.free.set(other.n);
  },
);

/** Resets that are no wire by themselves: a bit of a vector, and its inverse. */
const OfBits = module(
  "ResetOfBits",
  () => ({ clears: input(uint(4)), one: output(uint(8)), two: output(uint(8)) }),
  io => {
    const early = instance("early", Inner(), { reset: io.clears.bit(2) }),
      late = instance("late", Inner(), { reset: io.clears.bit(1).not() });
    early.wrong.set(0);
    late.wrong.set(0);
    io.one.set(early.n);
    io.two.set(late.n);
  },
);

describe("an instance with a reset of its own", () => {
  bench("takes a bit of a vector, or its inverse", OfBits(), {}, async b => {
    b.io.clears.value = 0b0010;
    await b.cycles(4);
    const begun = [b.io.one.value, b.io.two.value];
    await b.cycles(3);
    expect([b.io.one.value, b.io.two.value]).toEqual(begun.map(n => n + 3));
    b.io.clears.value = 0b0110;
    await b.cycles(2);
    expect(b.io.one.value).toBe(5);
    expect(b.io.two.value).toBe((begun[1] ?? 0) + 5);
    b.io.clears.value = 0b0000;
    await b.cycles(2);
    expect(b.io.one.value).toBeGreaterThan(5);
    expect(b.io.two.value).toBe(5);
  });
  bench("begins anew with it, is still while it lasts, and nobody else notices", Outer(), {}, async b => {
    await b.cycles(10);
    const { free, own } = b.io,
      before = free.value;
    expect(own.value).toBe(before);
    b.io.clear.value = 1;
    await b.cycles(2);
    b.io.clear.value = 0;
    await b.cycles(1);
    // Two edges with `held` 1: the counter stands at its reset value behind each.
    expect([own.value, free.value]).toEqual([5, before + 3]);
    await b.cycles(1);
    expect([own.value, free.value]).toEqual([5, before + 4]);
    await b.cycles(4);
    expect([own.value, free.value]).toEqual([9, before + 8]);
    b.sim.reset();
    await b.cycles(1);
    expect(own.value).toBe(free.value);
  });
  test("its assertions are silent meanwhile, and only then", async () => {
    const run = (clear: number): Promise<void> =>
      runBench("own reset", Outer(), { wave: false }, async b => {
        b.io.clear.value = clear;
        await b.cycles(3);
        b.io.wrong.value = 1;
        await b.cycles(3);
      });
    await run(1);
    await expect(run(0)).rejects.toThrow(DesignStopped);
  });
  test("in Verilog it is the domain's reset or its own", () => {
    const text = emit(Outer()).files.find(f => f.name === "ResetOuter.v")?.text ?? "";
    expect(text).toMatch(/\.rst\s*\(rst \| held\)/);
    expect(text).toMatch(/\.rst\s*\(rst\)/);
  });
  const messages = (build: () => unknown): readonly string[] => {
    try {
      build();
      return [];
    } catch (e) {
      if (e instanceof HdlError) return e.diagnostics.map(d => `${d.code} ${d.message}`);
      throw e;
    }
  };
  test("a domain without a synchronous reset cannot have one", () => {
    const bad = module(
      "ResetOfAsync",
      () => ({ clear: input(bit, { domain: "a" }), n: output(uint(8), { domain: "a" }) }),
      io => {
        inDomain(clockDomain("a", { reset: "async" }), () => {
          const inner = instance("inner", Inner(), { reset: io.clear });
          inner.wrong.set(0);
          io.n.set(inner.n);
        });
      },
    );
    expect(messages(() => emit(bad()))).toEqual([
      "HDL118 instance `inner` of ResetInner: a reset of its own needs a default clock domain with a synchronous reset",
    ]);
  });
  test("a reset from another clock domain is found, through a module's port, too", () => {
    const through = module(
      "ResetThrough",
      () => ({ clear: input(bit), n: output(uint(8)) }),
      io => {
        const inner = instance("inner", Inner(), { reset: io.clear });
        inner.wrong.set(0);
        io.n.set(inner.n);
      },
    );
    const direct = (nested: boolean) =>
      module(
        `ResetCrossing_${nested ? 1 : 0}`,
        () => ({ d: input(bit, { domain: "b" }), n: output(uint(8)) }),
        io => {
          let level!: Bit;
          inDomain(clockDomain("b"), () => {
            const r = reg(bit, { init: 0, name: "level" });
            r.set(io.d);
            level = r;
          });
          if (nested) {
            const inner = instance("inner", through());
            inner.clear.set(level);
            io.n.set(inner.n);
          } else {
            const inner = instance("inner", Inner(), { reset: level });
            inner.wrong.set(0);
            io.n.set(inner.n);
          }
        },
      );
    expect(messages(() => emit(direct(false)()))).toEqual([
      expect.stringContaining("HDL010 instance input `inner_own_reset`"),
    ]);
    expect(messages(() => emit(direct(true)()))).toEqual([
      expect.stringContaining("HDL010 instance input `inner_clear`"),
    ]);
  });
});
