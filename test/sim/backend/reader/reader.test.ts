/** Verilog text on the built-in simulator: hand-written idioms, planted faults, and what it leaves to Verilator. */
import { describe, expect, it } from "vitest";
import { bit, emit, input, instance, module, output, ram, reg, uint } from "../../../../hdl-dsl/index.ts";
import { readDesign } from "../../../../sim/backend/reader/read-design.ts";
import { builtinBackend, compileBuiltin, fromVerilog, Random, runBench, simulate } from "../../../../sim/index.ts";
import { compareSimulators } from "../../../hdl-dsl/simulator/against-verilator.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { idioms } from "../../designs/idioms.ts";

/** Random inputs, the extremes often; reset in a few steps. */
const drive =
  (random: Random) =>
  (words: Uint32Array, step: number, model: Parameters<Parameters<typeof compareSimulators>[2]>[2]): void => {
    for (const s of model.slots.values()) {
      if (s.port.dir !== "in" || s.port.role === "clock") continue;
      const top = 2 ** s.port.width;
      if (s.port.role === "reset") words[s.word] = step < 3 || random.chance(0.1) ? 1 : 0;
      else words[s.word] = random.chance(0.4) ? random.pick([0, 1, top - 1, top / 2]) : random.below(top);
    }
  };

describe("hand-written Verilog", () => {
  it("means the same as to Verilator", async () => {
    const r = await compareSimulators(
      idioms.emitted,
      { steps: 3000, from: 4, settles: new Random(5) },
      drive(new Random(4)),
    );
    expect(r.differences).toEqual([]);
    expect(r.compared).toBeGreaterThan(3000 * 12);
  });

  const tiny = (body: string): ReturnType<typeof fromVerilog> =>
    fromVerilog(
      "Tiny",
      { a: input(uint(4)), z: output(uint(4)) },
      `module Tiny (input wire clk, input wire rst, input wire [3:0] a, output wire [3:0] z);\n${body}\nendmodule\n`,
    );
  it("lanes in several blocks, as the emitter writes many of them, are one write", () => {
    const Store = module(
      "Store",
      () => ({
        we: input(bit),
        at: input(uint(4)),
        data: input(uint(40)),
        lanes: input(uint(20)),
        q: output(uint(40)),
      }),
      io => {
        const store = ram(uint(40), { depth: 16, collision: "old" });
        store.write(io.we, io.at, io.data, io.lanes);
        io.q.set(store.readSync(io.at, { name: "word" }));
      },
    );
    const emitted = emit(Store()),
      blocks = emitted.files[0]?.text.match(/always @\(posedge clk\)/g)?.length;
    expect(blocks).toBe(4);
    expect(readDesign(emitted).memories[0]?.writePorts).toHaveLength(1);
    const other = emitted.files.map(f => ({
      ...f,
      text: f.text.replace("store_mask[11]", "store_mask[11] & data[0]"),
    }));
    expect(readDesign({ ...emitted, files: other }).memories[0]?.writePorts).toHaveLength(1);
    const address = emitted.files.map(f => ({ ...f, text: f.text.replace("store[at][23:22]", "store[4'd3][23:22]") }));
    expect(readDesign({ ...emitted, files: address }).memories[0]?.writePorts.length).toBeGreaterThan(1);
  });
  it("a register that nothing drives, in a module without a clock, is 0", async () => {
    const text =
      "module Still (output wire [3:0] z);\n  reg [3:0] y;\n  assign z = y;\nendmodule\n" +
      "module Tiny (input wire clk, input wire rst, input wire [3:0] a, output wire [3:0] z);\n" +
      "  wire [3:0] s;\n  Still still (.z(s));\n  assign z = a | s;\nendmodule\n";
    using sim = await simulate(fromVerilog("Tiny", { a: input(uint(4)), z: output(uint(4)) }, text), {
      backend: builtinBackend,
    });
    sim.io.a.value = 5;
    sim.step();
    expect(sim.io.z.value).toBe(5);
  });
  it.each([
    ["assign z = nowhere;", "Tiny.v:2 has the name nowhere, which module Tiny does not declare"],
    ["assign z = a[5];", "Tiny.v:2 has the bits 5 to 5 of a value of 4 bits"],
    ["assign z = a / 3;", "Tiny.v:2 has the operator /"],
    ["assign z = 4'b1z01;", "Tiny.v:2 has the number 4'b1z01, whose bits are not all 0 or 1"],
    ["reg [3:0] y; always @* y = a; assign z = y;", "Tiny.v:2 has a combinational always block"],
    ["reg [3:0] y; always @(negedge clk) y <= a; assign z = y;", "Tiny.v:2 has a block at a falling edge"],
    ["reg [3:0] y; always @(posedge clk) y = a; assign z = y;", "Tiny.v:2 has a blocking assignment under a clock"],
    ["Other o (.z(z));", "Tiny.v:2 has the instance o of Other, a module that is not there"],
    [
      "wire c = clk & a[0]; reg [3:0] y; always @(posedge c) y <= a; assign z = y;",
      "Tiny.v:1 has a module Tiny whose clock c is made inside",
    ],
    ['`include "x.v"', "Tiny.v:2 has the directive `include"],
    ["assign z = a +;", 'Tiny.v:2 has ";" where an expression is read'],
    ["assign z = z;", "a value of Tiny depends on itself without a register: z"],
  ])("%s: one sentence with its place", async (body, why) => {
    await expect(simulate(tiny(body), { backend: builtinBackend })).rejects.toThrow(
      `the built-in simulator cannot run this: ${why}`,
    );
  });
});

describe("emitted text that was edited", () => {
  const Inner = module(
    "Inner",
    () => ({ d: input(uint(8)), q: output(uint(8)) }),
    io => {
      const r = reg(uint(8), { init: 3 });
      r.set(io.d.add(1));
      io.q.set(r);
    },
  );
  const Outer = module(
    "Outer",
    () => ({ d: input(uint(8)), at: input(uint(3)), q: output(uint(8)) }),
    io => {
      const i = instance("i", Inner());
      i.d.set(io.d);
      const m = ram(uint(8), { depth: 8, collision: "old", init: [1, 2, 3, 4, 5, 6, 7, 8] });
      m.write(io.at.ne(3), io.at, i.q);
      io.q.set(m.readAsync(io.at));
    },
  );
  const bench = (
    design: ReturnType<typeof Outer> | ReturnType<typeof plant<ReturnType<typeof Outer>["ports"]>>,
  ): Promise<unknown> =>
    runBench("edited", design, { wave: false, backend: builtinBackend }, async b => {
      b.io.at.value = 3;
      await b.cycles(1);
      expect(b.io.q.value).toBe(4);
      b.io.d.value = 9;
      b.io.at.value = 2;
      await b.cycles(3);
      expect(b.io.q.value).toBe(10);
      b.io.at.value = 3;
      await b.cycles(1);
      expect(b.io.q.value).toBe(4);
    });

  it("runs as its circuit does without a fault", async () => {
    await bench(Outer());
    await bench(plant(Outer(), "endmodule", "endmodule "));
  });
  it.each([
    ["d + 8'd1", "d + 8'd2"],
    ["m[at] <= i_q", "m[at] <= ~i_q"],
    ["m[3'd3] = 8'd4", "m[3'd3] = 8'd5"],
    [".d (d)", ".d (~d)"],
  ])("planted: %s becomes %s", async (from, to) => {
    await findsFault(bench(plant(Outer(), from, to)), /to be/);
  });
});

it("an edited check prints its sentence and its line", () => {
  const checked = fromVerilog(
    "Checked",
    { a: input(uint(4)), z: output(uint(4)) },
    'module Checked (input wire clk, input wire rst, input wire [3:0] a, output wire [3:0] z);\n  assign z = a;\n  always @(posedge clk)\n    if (!rst) begin\n      if (a == 7) begin\n        $display("%s", "assertion failed: not seven");\n        $stop;\n      end\n    end\nendmodule\n',
  );
  const model = compileBuiltin(checked.emitted).create({ seed: 1, clocks: {} });
  const a = model.slots.get("a")?.word ?? 0,
    rst = model.slots.get("rst")?.word ?? 0;
  model.words[a] = 7;
  model.words[rst] = 1;
  model.step(2);
  expect(model.stopped()).toBeUndefined();
  model.words[rst] = 0;
  model.step(1);
  expect(model.stopped()).toBe("stop");
  expect(model.output()).toBe("assertion failed: not seven\n$stop at Checked.v:7\n");
});
