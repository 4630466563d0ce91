/** Pads: three sides in simulation, one inout port for boards. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  bit,
  connect,
  emit,
  inout,
  input,
  instance,
  module,
  output,
  reg,
  uint,
  when,
  withPads,
} from "../../../hdl-dsl/index.ts";
import { bench } from "../../bench.ts";
import { lint, run, withFiles } from "../support/lint.ts";

/** An open drain, eight pins with a direction each, and a bus that is driven whole; what stands there is kept. */
const Pins = module(
  "Pins",
  () => ({
    sda: inout(bit, { look: { attributes: { io_buffer_type: "none" } } }),
    gpio: inout(uint(8), { perBit: true }),
    data: inout(uint(4), { look: { name: "DQ" } }),
    low: input(bit),
    drive: input(uint(8)),
    value: input(uint(8)),
    seen: output(uint(13)),
  }),
  io => {
    const kept = reg(uint(13), { init: 0 });
    io.sda.out.set(0);
    io.sda.enable.set(io.low);
    io.gpio.out.set(io.value);
    io.gpio.enable.set(io.drive);
    io.data.out.set(io.value.trunc(4));
    io.data.enable.set(io.drive.any());
    kept.set(0);
    when(io.low.not(), () => {
      kept.setBits(0, io.gpio.in);
      kept.setBits(8, io.data.in);
      kept.setBits(12, io.sda.in);
    });
    io.seen.set(kept);
  },
);
const joined = withPads(emit(Pins()), Pins().ports);

describe("pads", () => {
  test("one inout port each, driven while enabled", () => {
    const text = joined.files.at(-1)?.text ?? "";
    expect(joined.top).toBe("Pins_pads");
    expect(/^module [^;]*;/m.exec(text)?.[0]).toBe(`module Pins_pads (
  input  wire        clk,
  input  wire        rst,
  (* io_buffer_type = "none" *)
  inout  wire        sda,
  inout  wire [7:0]  gpio,
  inout  wire [3:0]  DQ,
  input  wire        low,
  input  wire [7:0]  drive,
  input  wire [7:0]  value,
  output wire [12:0] seen
);`);
    expect(text.match(/assign (?:sda|DQ|gpio\[7\]) .*/g)).toEqual([
      "assign sda = sda_enable ? sda_out : 1'bz;",
      "assign gpio[7] = gpio_enable[7] ? gpio_out[7] : 1'bz;",
      "assign DQ = DQ_enable ? DQ_out : 4'bz;",
    ]);
    // Yosys says of each third state that it supports few uses of it.
    expect(lint(joined).replace(/^Warning: Yosys has only limited support for tri-state logic.*\n?/gm, "")).toBe("");
    expect(lint(emit(Pins()))).toBe("");
  });
  test("in Icarus a pad is driven, let go, pulled up and read back", () => {
    const tb = `module tb;
  reg clk = 0, rst = 1, low = 0; reg [7:0] drive = 0, value = 8'ha5, other = 8'h3c; reg [3:0] far = 4'h9; reg take = 0;
  wire sda; wire [7:0] gpio; wire [3:0] dq; wire [12:0] seen;
  pullup (sda);
  assign gpio[3:0] = other[3:0]; assign dq = take ? far : 4'bz;
  Pins_pads dut (.clk(clk), .rst(rst), .sda(sda), .gpio(gpio), .DQ(dq), .low(low), .drive(drive), .value(value), .seen(seen));
  initial begin
    #1 clk = 1; #1 clk = 0; rst = 0; take = 1;
    #1 $display("%b %b %h", sda, gpio, dq);
    #1 clk = 1; #1 clk = 0; take = 0; drive = 8'hf0;
    #1 $display("%b %h %h %h", sda, gpio, dq, seen[11:8]);
    #1 clk = 1; #1 clk = 0; low = 1;
    #1 $display("%b %h", sda, seen);
  end
endmodule
`;
    const said = withFiles(joined, (folder, files) => {
      writeFileSync(join(folder, "tb.v"), tb);
      const built = run("iverilog", ["-g2005", "-s", "tb", "-o", join(folder, "sim"), join(folder, "tb.v"), ...files]);
      return built === "" ? run("vvp", [join(folder, "sim")]) : built;
    });
    expect(said.split("\n")).toEqual(["1 zzzz1100 9", "1 ac 5 9", "0 15ac"]);
  });
  bench("a bench has the three sides", Pins(), {}, async b => {
    const { sda, gpio, data, low, drive, value, seen } = b.io;
    value.value = 0xa5;
    drive.value = 0xf0;
    sda.in.value = 1;
    gpio.in.value = 0xac;
    data.in.value = 5;
    await b.cycles(2);
    expect([sda.enable.value, gpio.enable.value, gpio.out.value, data.enable.value, data.out.value]).toEqual([
      0, 0xf0, 0xa5, 1, 5,
    ]);
    expect(seen.value).toBe(0x15ac);
    low.value = 1;
    await b.cycles(1);
    expect([sda.enable.value, sda.out.value]).toEqual([1, 0]);
  });
  test("a pad of an instance is connected whole to one of the top", () => {
    const Line = module(
      "Line",
      () => ({ sda: inout(bit), low: input(bit), seen: output(bit) }),
      io => {
        io.sda.out.set(0);
        io.sda.enable.set(io.low);
        io.seen.set(io.sda.in);
      },
    );
    const Board = module(
      "Board",
      () => ({ scl: inout(bit), low: input(bit), seen: output(bit) }),
      io => {
        const line = instance(Line());
        connect(line.sda, io.scl);
        line.low.set(io.low);
        io.seen.set(line.seen);
      },
    );
    const board = withPads(emit(Board()), Board().ports);
    expect(board.files.map(f => f.name)).toEqual(["Line.v", "Board.v", "Board_pads.v"]);
    expect(board.files.at(-1)?.text).toContain("assign scl = scl_enable ? scl_out : 1'bz;");
    expect(lint(emit(Board()))).toBe("");
  });
  test("no pads: the design as it is; a pad that is called as a port is refused", () => {
    const Plain = module(
      "Plain",
      () => ({ a: input(bit), y: output(bit) }),
      io => io.y.set(io.a),
    );
    const design = emit(Plain());
    expect(withPads(design, Plain().ports)).toBe(design);
    const Twice = module(
      "Twice",
      () => ({ a: inout(bit), b: input(bit, { look: { name: "a" } }) }),
      io => {
        io.a.out.set(io.b);
        io.a.enable.set(io.b);
      },
    );
    expect(() => withPads(emit(Twice()), Twice().ports)).toThrow(
      "pad a of Twice: another port has this name already; give one of them another",
    );
  });
});
