/**
 * Emitted text kept under review: a change of style shows as a change of these files (`vitest -u` writes them anew).
 */
import { describe, expect, test } from "vitest";
import {
  assertAlways,
  bit,
  blackBox,
  cat,
  clockDomain,
  connect,
  cover,
  type Def,
  elaborate,
  fifo,
  fsm,
  inDomain,
  input,
  instance,
  module,
  mux,
  node,
  output,
  pipeline,
  reg,
  sink,
  sint,
  source,
  struct,
  switchOn,
  uint,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import { Fifo } from "../../../hdl-dsl/lib/index.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { lint } from "../support/lint.ts";

const Counter = module(
  "Counter",
  (p: { width: number }) => ({ en: input(bit), clear: input(bit), count: output(uint(p.width)) }),
  (io, p) => {
    const value = reg(uint(p.width), { init: 0 });
    when(io.clear, () => value.set(0)).elseWhen(io.en, () => value.set(value.add(1)));
    io.count.set(value);
  },
);

const Job = struct({ a: uint(16), b: uint(16), c: uint(32), tag: uint(4) });
const Mac = module(
  "Mac",
  () => ({ job: sink(Job), done: source(struct({ sum: uint(32), tag: uint(4) })) }),
  io => {
    pipeline(io.job)
      .stage(v => ({ product: v.a.mul(v.b).is(32) }))
      .stage(v => ({ sum: v.product.add(v.c) }))
      .into(io.done);
  },
);

const Arithmetic = module(
  "Arithmetic",
  () => ({
    a: input(uint(8)),
    b: input(uint(8)),
    s: input(sint(8)),
    t: input(sint(8)),
    sel: input(uint(2)),
    difference: output(uint(8)),
    product: output(sint(16)),
    less: output(bit),
    average: output(uint(8)),
    halved: output(sint(8)),
    nibble: output(uint(4)),
    match: output(bit),
  }),
  io => {
    io.difference.set(io.a.sub(io.b.sub(io.a)));
    io.product.set(io.s.mul(io.t).is(16));
    io.less.set(io.s.lt(io.t));
    const sum = node(io.a.addGrow(io.b));
    io.average.set(sum.bits(1, 8));
    io.halved.set(io.s.shr(1).add(io.t));
    const nibble = wire(uint(4));
    switchOn(io.sel)
      .is(0, () => nibble.set(io.a.bits(0, 4)))
      .is([1, 2], () => nibble.set(io.b.bits(4, 4)))
      .otherwise(() => nibble.set(9));
    io.nibble.set(nibble);
    io.match.set(io.a.add(io.b).eq(io.b.sub(1)).and(cat(io.sel, io.sel).eq(nibble)));
  },
);

const Controller = module(
  "Controller",
  () => ({ go: input(bit), last: input(bit), busy: output(bit), count: output(uint(4)) }),
  io => {
    const beats = reg(uint(4), { init: 0 });
    const state = fsm(["Idle", "Run", "Flush"], "Idle", s => ({
      Idle: () =>
        when(io.go, () => {
          s.go("Run");
          beats.set(0);
        }),
      Run: () => {
        beats.set(beats.add(1));
        when(io.last, () => s.go("Flush"));
      },
      Flush: () => s.go("Idle"),
    }));
    io.busy.set(state.is("Idle").not());
    io.count.set(mux(state.is("Flush"), beats, 0));
    assertAlways(state.is("Run").or(io.last.not()), "last comes in a run only");
    cover(state.is("Flush"), "a run ends");
  },
);

const Pll = blackBox(
  "VendorPll",
  { locked: output(bit), feedback: input(bit) },
  { parameters: { MULTIPLY: 8, MODE: "FAST" } },
);
const Top = module(
  "Top",
  () => ({ from: input(sint(4)), to: output(sint(4)), push: sink(uint(8)), pop: source(uint(8)), ok: output(bit) }),
  io => {
    connect(fifo(io.push, 4, { name: "queue" }), io.pop);
    const pll = instance(Pll);
    pll.feedback.set(pll.locked);
    const slow = clockDomain("slow", { reset: "async" });
    inDomain(slow, () => {
      const sync = reg(bit, { init: 0, attributes: { async_reg: 1 } });
      const stable = reg(bit, { init: 0 });
      sync.set(pll.locked);
      stable.set(sync);
      io.ok.set(stable);
    });
    const always = reg(sint(4));
    always.set(io.from.neg());
    io.to.set(always);
  },
);

/**
 * Lines of a source move with every edit and with its formatting; that they are right is seen by the tests of
 * maps and positions.
 */
const withoutLines = (text: string): string => text.replace(/\b([\w.]+\.ts):\d+/g, "$1");

describe("golden Verilog", () => {
  const defs: readonly Def[] = [
    Counter({ width: 8 }),
    Mac(),
    Arithmetic(),
    Controller(),
    Top(),
    Fifo({ shape: uint(32), depth: 512, style: "block" }),
  ] as readonly Def[];
  test.each(defs.map(d => [d.name, d] as const))("%s", async (name, def) => {
    const design = emitCircuit(elaborate(def));
    expect(design.top).toBe(name);
    for (const f of design.files) await expect(withoutLines(f.text)).toMatchFileSnapshot(`golden/${f.name}`);
    for (const b of design.boxes ?? []) {
      await expect(b.declaration.text).toMatchFileSnapshot(`golden/synthesis/${b.declaration.name}`);
      await expect(b.standIn.text).toMatchFileSnapshot(`golden/simulation/${b.standIn.name}`);
    }
    expect(lint(design)).toBe("");
  });

  test("names the generator's version as the package does", async () => {
    const { readFileSync } = await import("node:fs");
    const { GENERATOR } = await import("../../../hdl-dsl/verilog/version.ts");
    const version = (
      JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: string }
    ).version;
    expect(GENERATOR).toBe(`mnemosyne hdl-dsl ${version}`);
  });
});
