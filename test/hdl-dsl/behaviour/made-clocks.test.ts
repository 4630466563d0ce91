/** Reset styles, and clocks that black boxes make: in both simulators, in benches of one and of several clocks. */
import { describe, expect, it } from "vitest";
import { emit, type Ports } from "../../../hdl-dsl/index.ts";
import {
  type Bench,
  builtinBackend,
  type Dut,
  holds,
  prove,
  runBench,
  simulate,
  StreamSink,
  StreamSource,
  verilatorBackend,
} from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { lint } from "../support/lint.ts";
import { Buffered, Failing, Halted, Holding, RoundTrip, Styles } from "./made-clocks.ts";

const simulators = [builtinBackend, verilatorBackend] as const;
const styles = (["sync", "async"] as const).flatMap(reset =>
  (["high", "low"] as const).map(active => [reset, active] as const),
);
const run = <P extends Ports>(
  dut: Dut<P>,
  backend: (typeof simulators)[number],
  body: (b: Bench<P>) => Promise<void>,
) => runBench("made clocks", dut, { wave: false, backend }, body);

describe.each(styles)("%s reset, active %s", (reset, active) => {
  const subject = Styles({ reset, active });
  /** Counts, is reset amid, and counts again: an asynchronous reset shows before the edge. */
  const counts = async (b: Bench<(typeof subject)["ports"]>): Promise<void> => {
    const { count, inner, plain } = b.io;
    const port = b.sim.model.slots.get(active === "low" ? "main_rst_n" : "main_rst")!.word,
      on = active === "low" ? 0 : 1;
    b.io.limit.value = 255;
    await b.cycles(1);
    for (const passed of [20, 7]) {
      const start = count.value;
      await b.cycles(passed);
      expect([count.value, inner.value, plain.value]).toEqual([start + passed, start + passed + 6, start + passed - 1]);
      b.sim.model.words[port] = on;
      await b.cycles(1);
      // What stood before the edge: only an asynchronous reset has been at work.
      expect(count.value).toBe(reset === "async" ? 3 : start + passed + 1);
      await b.cycles(3);
      expect([count.value, inner.value, plain.value]).toEqual([3, 9, 3]);
      b.sim.model.words[port] = 1 - on;
      await b.cycles(1);
    }
  };

  it.each(simulators.map(s => [s.name, s] as const))("in %s", async (_name, backend) => {
    await run(subject, backend, counts);
  });
  it("is a port of its name, at rest when nobody resets", async () => {
    const design = emit(subject),
      port = design.ports.find(p => p.role === "reset");
    expect([port?.name, port?.activeLow]).toEqual(active === "low" ? ["main_rst_n", true] : ["main_rst", undefined]);
    const sim = await simulate(subject, { resetCycles: 0, backend: builtinBackend });
    sim.io.limit.value = 1;
    const start = sim.io.count.value;
    for (let i = 0; i < 5 && sim.io.count.value === start; i++) sim.step(1);
    expect(sim.io.count.value).not.toBe(start);
    sim.free();
  });
  it("is legal Verilog for all tools", () => {
    expect(lint(emit(subject))).toBe("");
  });
  it("planted: a reset of the other level is noticed", async () => {
    const [from, to] = active === "low" ? ["if (~main_rst_n)", "if (main_rst_n)"] : ["if (main_rst)", "if (~main_rst)"];
    await findsFault(run(plant(subject, from, to), verilatorBackend, counts), /to (deeply equal|be)/);
  });
  it.runIf(reset === "sync")("planted: the module within gets the wrong level", async () => {
    const [from, to] =
      active === "low" ? [".rst (~main_rst_n)", ".rst (main_rst_n)"] : [".rst (main_rst)", ".rst (~main_rst)"];
    await findsFault(run(plant(subject, from, to), verilatorBackend, counts), /to deeply equal/);
  });
  it("holds an assertion still under reset, and no longer", async () => {
    for (const backend of simulators) {
      const sim = await simulate(subject, { resetCycles: 0, backend });
      sim.io.limit.value = 3;
      sim.reset(4);
      expect(sim.output).toBe("");
      sim.io.limit.value = 5;
      expect(() => sim.step(8)).toThrow(/assertion failed: the count stays away from the limit/);
      sim.free();
    }
  });
});

describe("a clock through a buffer", () => {
  const counts = async (b: Bench<ReturnType<typeof Buffered>["ports"]>): Promise<void> => {
    b.io.clear.value = 1;
    await b.cycles(3);
    b.io.clear.value = 0;
    await b.cycles(1);
    expect(b.io.count.value).toBe(5);
    await b.cycles(10);
    expect(b.io.count.value).toBe(15);
    b.io.clear.value = 1;
    await b.cycles(2);
    expect(b.io.count.value).toBe(5);
    b.io.clear.value = 0;
    await b.cycles(100);
    expect(b.io.count.value).toBe(104);
  };
  it.each(simulators.map(s => [s.name, s] as const))("in %s", async (_name, backend) => {
    await run(Buffered(), backend, counts);
  });
  it("an assertion of the domain fails in both", async () => {
    for (const backend of simulators)
      await expect(
        run(Buffered(), backend, async b => {
          await counts(b);
          await b.cycles(200);
        }),
      ).rejects.toThrow(/the counter stays below 200/);
  });
  it("reads as it was meant", () => {
    const text = emit(Buffered())
      .files.at(-1)!
      .text.replace(/ \/\/ .*/g, "")
      .replace(/`ifdef FORMAL[^]*`endif\n/, "");
    expect(text).toMatchInlineSnapshot(`
      "// Buffered
      // Generated by mnemosyne hdl-dsl 0.2.0. Do not edit.
      module Buffered (
        input  wire       clk,
        input  wire       rst,
        input  wire       clear,
        output wire [7:0] count
      );
        wire buffer_o;
        reg [7:0] count_q;
        wire core_rst = clear;

        VENDOR_BUFG buffer (
          .I (clk),
          .O (buffer_o)
        );

        always @(posedge buffer_o)
          if (core_rst) count_q <= 8'd5;
          else count_q <= count_q + 8'd1;

        assign count = count_q;


        wire _unused_ok = &{1'b0, rst, 1'b0};
      endmodule
      "
    `);
    expect(lint(emit(Buffered()))).toBe("");
  });
  it("planted: the reset of the domain, and its clock", async () => {
    await findsFault(run(plant(Buffered(), "if (core_rst)", "if (1'b0)"), verilatorBackend, counts), /to be/);
    await findsFault(run(plant(Buffered(), "assign O = I;", "assign O = 1'b0;"), verilatorBackend, counts), /to be/);
  });
  it("its ports belong to the clock's port, where a bench finds them", () => {
    expect(emit(Buffered()).ports.map(p => [p.name, p.domain])).toEqual([
      ["clk", "default"],
      ["rst", "default"],
      ["clear", "default"],
      ["count", "default"],
    ]);
  });
});

/** Items go there and back; `every`: edges of the board's clock for each of the domain's. */
const crosses =
  (every: number) =>
  async (b: Bench<ReturnType<typeof RoundTrip>["ports"]>): Promise<void> => {
    const { ticks, stop } = b.io;
    const source = new StreamSource(b.sim, b.io.from),
      sink = new StreamSink(b.sim, b.io.to);
    stop.value = 1;
    await b.cycles(4);
    stop.value = 0;
    await b.cycles(40);
    expect(source.pending).toBe(0);
    const start = ticks.value;
    await b.cycles(100);
    expect((ticks.value - start + 256) % 256).toBe(100 / every);
    const sent: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 60; i++) {
        const v = b.random.between(0, 255);
        sent.push((v + 1) % 256);
        source.send(v);
        if (b.random.between(0, 3) === 0) await b.cycles(b.random.between(1, 9));
      }
      await b.until(() => sink.received.length === sent.length);
      expect(sink.received.map(r => r.value)).toEqual(sent);
    }
    // A reset of the domain alone: everything in it stands still, and begins again.
    stop.value = 1;
    await b.cycles(3);
    expect(ticks.value).toBe(0);
    await b.cycles(20);
    expect(ticks.value).toBe(0);
    stop.value = 0;
    await b.cycles(every);
    expect(ticks.value).toBe(0);
    await b.cycles(10 * every);
    expect(ticks.value).toBeGreaterThan(6);
    expect(ticks.value).toBeLessThan(10);
  };

describe.each(["pll", "wrapped", "buffer"] as const)("items through a domain of a clock from: %s", clock => {
  const subject = RoundTrip({ clock });
  const bench = crosses(clock === "buffer" ? 1 : 2);
  it("in Verilator", async () => {
    await run(subject, verilatorBackend, bench);
  });
  it("is legal Verilog for all tools", () => {
    expect(lint(emit(subject))).toBe("");
  });
  it("the built-in simulator says why it leaves it to Verilator", async () => {
    await expect(run(subject, builtinBackend, bench)).rejects.toThrow(
      clock === "buffer"
        ? "has an asynchronous reset that the design makes itself"
        : "has its stand-in in Verilog text",
    );
  });
});

describe("planted in a generated clock", () => {
  it.each([
    ["a cause of the reset is forgotten", "core_raw_rst = ~pll_locked | stop", "core_raw_rst = ~pll_locked"],
    ["the reset never ends", "held_1 <= 1'b0", "held_1 <= 1'b1"],
    ["registers hang on the board's clock", "always @(posedge pll_clkout)", "always @(posedge board_clk)"],
  ])("%s", async (_what, from, to) => {
    await findsFault(run(plant(RoundTrip({ clock: "pll" }), from, to), verilatorBackend, crosses(2)), /to be/);
  });
});

it("an asynchronous reset of a generated clock comes at once and goes 3 edges later", async () => {
  expect(lint(emit(Halted()))).toBe("");
  await run(Halted(), verilatorBackend, async b => {
    const { stop, ticks } = b.io;
    await b.cycles(40);
    expect(ticks.value).toBeGreaterThan(15);
    stop.value = 1;
    b.sim.model.settle();
    expect(ticks.value).toBe(7);
    await b.cycles(11);
    expect(ticks.value).toBe(7);
    stop.value = 0;
    // Three edges of the PLL's clock hold the reset, six of the board's; the fourth counts.
    await b.cycles(6);
    expect(ticks.value).toBe(7);
    await b.cycles(3);
    expect(ticks.value).toBe(8);
  });
});

describe("a proof", () => {
  it("finds what fails in a domain behind a buffer", async () => {
    expect((await prove(Failing(), { depth: 16 })).finding.verdict).toBe("failed");
  });
  it("proves what holds there", async () => {
    expect(holds(await prove(Holding(), { depth: 16 }))).toBe(true);
  });
});
