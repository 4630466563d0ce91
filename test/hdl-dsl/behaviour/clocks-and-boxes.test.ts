import { describe, expect, test } from "vitest";
import { bench } from "../../bench.ts";
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  blackBox,
  clockDomain,
  cover,
  elaborate,
  emit,
  HdlError,
  inDomain,
  input,
  instance,
  module,
  output,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { type Bench, DesignStopped, runBench, StreamSink, StreamSource } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { Accumulator } from "./units.ts";

/** Two registers: the first may go metastable, and says so to the tools. */
function synchronised(v: Bit): Bit {
  const first = reg(bit, { attributes: { async_reg: "true" } }),
    second = reg(bit, { attributes: { async_reg: "true" } });
  first.set(v);
  second.set(first);
  return second;
}

const Clocks = module(
  "Clocks",
  () => ({
    toggle: input(bit),
    ticks: output(uint(8)),
    fastTicks: output(uint(8), { domain: "fast" }),
    fastEdges: output(uint(8), { domain: "fast" }),
    fastTotal: output(uint(8), { domain: "fast" }),
    fastEn: input(bit, { domain: "fast" }),
    bareQ: output(bit, { domain: "bare" }),
    bareD: input(bit, { domain: "bare" }),
    fastI: sink(uint(8), { domain: "fast" }),
    fastO: source(uint(8), { domain: "fast" }),
  }),
  io => {
    const fast = clockDomain("fast", { reset: "async" }),
      bare = clockDomain("bare", { reset: "none" });
    const ticks = reg(uint(8), { init: 0 });
    ticks.set(ticks.add(1));
    io.ticks.set(ticks);
    const level = reg(bit, { init: 0 });
    when(io.toggle, () => level.set(level.not()));
    inDomain(fast, () => {
      const quick = reg(uint(8), { init: 3 }),
        edges = reg(uint(8), { init: 0 }),
        before = reg(bit, { init: 0 });
      quick.set(quick.add(1));
      io.fastTicks.set(quick);
      const here = synchronised(level);
      before.set(here);
      when(here.ne(before), () => edges.set(edges.add(1)));
      io.fastEdges.set(edges);
      // An instance lives in the domain that surrounds it.
      const total = instance(Accumulator({ width: 8 }));
      total.en.set(io.fastEn);
      io.fastTotal.set(total.total);
      const held = reg(uint(8)),
        full = reg(bit, { init: 0 });
      io.fastI.ready.set(full.not());
      when(io.fastI.fire, () => {
        held.set(io.fastI.payload);
        full.set(1);
      }).elseWhen(io.fastO.ready, () => full.set(0));
      io.fastO.valid.set(full);
      io.fastO.payload.set(held);
    });
    inDomain(bare, () => {
      const q = reg(bit);
      q.set(io.bareD);
      io.bareQ.set(q);
    });
  },
);
const clocks = { default: { periodNs: 10 }, fast: { periodNs: 4, phaseNs: 1 }, bare: { periodNs: 7 } };

describe("clock domains", () => {
  test("ports: a clock for each domain, a reset for each that has one, and each port's domain", () => {
    const d = emit(Clocks());
    expect(d.ports.filter(p => p.role !== "data").map(p => [p.name, p.role, p.domain])).toEqual([
      ["clk", "clock", "default"],
      ["rst", "reset", "default"],
      ["fast_clk", "clock", "fast"],
      ["fast_rst", "reset", "fast"],
      ["bare_clk", "clock", "bare"],
    ]);
    expect(d.ports.filter(p => p.role === "data" && p.domain === "default").map(p => p.name)).toEqual([
      "toggle",
      "ticks",
    ]);
    expect(d.ports.filter(p => p.role === "data" && p.domain === "bare").map(p => p.name)).toEqual([
      "bare_q",
      "bare_d",
    ]);
    expect(d.files.at(-1)?.text).toContain("always @(posedge fast_clk or posedge fast_rst)");
    expect(d.files.at(-1)?.text).toContain('(* async_reg = "true" *)');
  });

  bench(
    "registers follow their own clocks, and a level crosses through its synchroniser",
    Clocks(),
    { clocks },
    async b => {
      const slow = b.clock(),
        fast = b.clock("fast"),
        bare = b.clock("bare");
      await fast.risingEdge();
      await slow.cycles(1);
      const ticks = b.io.ticks.value,
        quick = b.io.fastTicks.value,
        slow0 = slow.cycle,
        fast0 = fast.cycle;
      await slow.cycles(20);
      expect((b.io.ticks.value - ticks + 256) % 256).toBe(slow.cycle - slow0);
      await fast.risingEdge();
      const sampled = (b.io.fastTicks.value - quick + 256) % 256;
      expect(Math.abs(sampled - (fast.cycle - fast0))).toBeLessThanOrEqual(1);
      expect((fast.cycle - fast0) / (slow.cycle - slow0)).toBeCloseTo(2.5, 0);
      for (let i = 1; i <= 5; i++) {
        b.io.toggle.value = 1;
        await slow.cycles(1);
        b.io.toggle.value = 0;
        await slow.cycles(3);
        await fast.risingEdge();
        expect(b.io.fastEdges.value).toBe(i);
      }
      b.io.bareD.value = 1;
      await bare.cycles(2);
      expect(b.io.bareQ.value).toBe(1);
      b.io.fastEn.value = 1;
      await fast.cycles(1);
      const before = b.io.fastTotal.value;
      await fast.cycles(10);
      expect(b.io.fastTotal.value - before).toBe(10);
    },
  );

  bench("a stream in the other domain", Clocks(), { clocks }, async b => {
    const source = new StreamSource(b.sim, b.io.fastI, { domain: "fast" }),
      sink = new StreamSink(b.sim, b.io.fastO, { domain: "fast" });
    for (let i = 0; i < 20; i++) source.send(i);
    await b.clock("fast").until(() => sink.received.length === 20);
    expect(sink.received.map(r => r.value)).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test("a crossing without a synchroniser is refused", () => {
    const Crossing = module(
      "Crossing",
      () => ({ d: input(bit), q: output(bit, { domain: "fast" }) }),
      io => {
        const here = reg(bit, { init: 0 });
        here.set(io.d);
        inDomain(clockDomain("fast"), () => {
          const there = reg(bit, { init: 0 });
          there.set(here);
          io.q.set(there);
        });
      },
    );
    expect(() => elaborate(Crossing())).toThrow(new HdlError([]).constructor);
    try {
      elaborate(Crossing());
    } catch (e) {
      expect((e as HdlError).diagnostics.map(d => d.message)).toEqual([
        "register `there` in clock domain `fast` takes `here` of clock domain `default` without a synchroniser",
      ]);
    }
  });

  test("two domains of an instance are connected by name", () => {
    const Outer = module(
      "ClocksOuter",
      () => ({ t: input(bit), n: output(uint(8)), e: output(uint(8), { domain: "quick" }) }),
      io => {
        const quick = clockDomain("quick", { reset: "async" }),
          slow = clockDomain("plain", { reset: "none" });
        const inner = instance(Clocks(), { domains: { fast: quick, bare: slow } });
        inner.toggle.set(io.t);
        inner.fastEn.set(0);
        inner.bareD.set(0);
        inner.fastI.valid.set(0);
        inner.fastI.payload.set(0);
        inner.fastO.ready.set(0);
        io.n.set(inner.ticks);
        io.e.set(inner.fastEdges);
      },
    );
    const text = emit(Outer()).files.at(-1)?.text ?? "";
    expect(text).toMatch(/\.fast_clk\s*\(quick_clk\)/);
    expect(text).toMatch(/\.fast_rst\s*\(quick_rst\)/);
    expect(text).toMatch(/\.bare_clk\s*\(plain_clk\)/);
    expect(text).toMatch(/\.clk\s*\(clk\)/);
  });
});

const VendorAdd = blackBox(
  "VendorAdd",
  { a: input(uint(8)), b: input(uint(8)), y: output(uint(8)) },
  { simulation: "  assign y = a + b;" },
);
const VendorDelay = blackBox(
  "VendorDelay",
  { d: input(uint(8)), q: output(uint(8)) },
  {
    clocked: true,
    parameters: { STEP: 3 },
    simulation: `module VendorDelay #(parameter STEP = 1) (input wire clk, input wire rst, input wire [7:0] d, output reg [7:0] q);
  always @(posedge clk) if (rst) q <= 8'd0; else q <= d + STEP[7:0];
endmodule`,
  },
);
const VendorEmpty = blackBox("VendorEmpty", { d: input(uint(8)), q: output(uint(8)) });
const Boxes = module(
  "Boxes",
  () => ({ a: input(uint(8)), b: input(uint(8)), y: output(uint(8)), q: output(uint(8)), z: output(uint(8)) }),
  io => {
    const adder = instance(VendorAdd),
      delay = instance(VendorDelay),
      empty = instance(VendorEmpty);
    adder.a.set(io.a);
    adder.b.set(io.b);
    io.y.set(adder.y);
    delay.d.set(io.a);
    io.q.set(delay.q);
    empty.d.set(io.a);
    io.z.set(empty.q);
  },
);

async function standInsRun(b: Bench<ReturnType<typeof Boxes>["ports"]>): Promise<void> {
  let before: number | undefined;
  for (let i = 0; i < 30; i++) {
    const x = b.random.between(0, 255),
      y = b.random.between(0, 255);
    b.io.a.value = x;
    b.io.b.value = y;
    await b.cycles(1);
    expect([b.io.y.value, b.io.z.value]).toEqual([(x + y) & 255, 0]);
    if (before !== undefined) expect(b.io.q.value).toBe((before + 3) & 255);
    before = x;
  }
}

describe("black boxes", () => {
  bench(
    "their stand-ins run in simulation, parameters passed; without one the outputs are 0",
    Boxes(),
    {},
    standInsRun,
  );
  test.each([
    ["assign y = a + b;", "assign y = 8'd0;"],
    ["q <= d + STEP[7:0]", "q <= d"],
    ["assign q = 8'd0;", "assign q = 8'd1;"],
  ])("simulation reads the stand-in: %s as %s is noticed", async (from, to) => {
    await findsFault(
      runBench("boxes", plant(Boxes(), from, to), { wave: false }, standInsRun),
      /to deeply equal|to be/,
    );
  });
});

const Checked = module(
  "Checked",
  () => ({ en: input(bit), strict: input(bit), count: output(uint(8)) }),
  io => {
    const count = reg(uint(8), { init: 0 });
    when(io.en, () => count.set(count.add(1)));
    io.count.set(count);
    assertAlways(count.ne(20), "the counter stays below 20");
    when(io.strict, () => assertAlways(count.lt(10), "the counter stays below 10 in strict mode"));
    assumeAlways(count.ne(15).or(io.strict.not()), "nobody is strict at 15");
    cover(count.eq(5), "the counter reaches 5");
  },
);

describe("properties", () => {
  async function stopsAt(strict: number, from: number): Promise<DesignStopped> {
    const error: unknown = await runBench("checked", Checked(), { wave: false }, async b => {
      b.io.en.value = 1;
      b.io.strict.value = from === 0 ? strict : 0;
      for (let i = 0; i < 40; i++) {
        await b.cycles(1);
        if (b.io.count.value === from) b.io.strict.value = strict;
      }
    }).then(
      () => undefined,
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(DesignStopped);
    return error as DesignStopped;
  }

  test("a failing assertion stops the simulation in its cycle, with its message and place", async () => {
    const e = await stopsAt(0, 0);
    expect(e.output).toMatch(/assertion failed: the counter stays below 20 \(clocks-and-boxes\.test\.ts:\d+\)/);
    // Two edges of reset, the counter is 20 after 20 more, and the edge after that sees it.
    expect(e.cycle).toBe(23);
  });
  test("an assertion within when counts only there", async () => {
    const e = await stopsAt(1, 0);
    expect(e.output).toContain(
      "assertion failed: the counter stays below 10 in strict mode (clocks-and-boxes.test.ts:",
    );
    expect(e.cycle).toBe(13);
  });
  test("an assumption is checked in simulation too", async () => {
    const e = await stopsAt(1, 14);
    expect(e.output).toMatch(/assumption failed: nobody is strict at 15|below 10 in strict mode/);
  });
  bench("while they hold nothing stops, nor under reset", Checked(), {}, async b => {
    await b.cycles(100);
    b.io.en.value = 1;
    await b.cycles(9);
    b.sim.reset(30);
    await b.cycles(1);
    expect(b.io.count.value).toBeLessThan(20);
  });
});
