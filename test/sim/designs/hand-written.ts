import { readFileSync } from "node:fs";
import { bit, input, output, sink, sint, source, struct, uint, vec } from "../../../hdl-dsl/index.ts";
import { fromVerilog } from "../../../sim/index.ts";

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** 8-bit counter with enable and clear. */
export const counter = fromVerilog(
  "Counter_width8",
  { en: input(bit), clear: input(bit), count: output(uint(8)) },
  text("counter.v"),
);

/** 512-deep FIFO of 32-bit words. */
export const fifo = fromVerilog(
  "Fifo_width32_depthLog2_9",
  { push: sink(uint(32)), pop: source(uint(32)), level: output(uint(10)) },
  text("fifo.v"),
);

/** Registers each input once: every kind of port at widths round the lane limits. */
export const widths = fromVerilog(
  "Widths",
  {
    a1: input(bit),
    z1: output(bit),
    a31: input(uint(31)),
    z31: output(uint(31)),
    a32: input(uint(32)),
    z32: output(uint(32)),
    a33: input(uint(33)),
    z33: output(uint(33)),
    a53: input(uint(53)),
    z53: output(uint(53)),
    a64: input(uint(64)),
    z64: output(uint(64)),
    a65: input(uint(65)),
    z65: output(uint(65)),
    a512: input(uint(512)),
    z512: output(uint(512)),
    as7: input(sint(7)),
    zs7: output(sint(7)),
    as40: input(sint(40)),
    zs40: output(sint(40)),
    as70: input(sint(70)),
    zs70: output(sint(70)),
    ap: input(struct({ tag: uint(4), lanes: vec(uint(9), 2) })),
    zp: output(struct({ tag: uint(4), lanes: vec(uint(9), 2) })),
    a__new: input(bit),
    z__new: output(bit),
  },
  widthsText(),
);

function widthsText(): string {
  const pairs: [string, string, number, boolean][] = [1, 31, 32, 33, 53, 64, 65, 512].map(w => [
    `a${w}`,
    `z${w}`,
    w,
    false,
  ]);
  for (const w of [7, 40, 70]) pairs.push([`as${w}`, `zs${w}`, w, true]);
  pairs.push(
    ["ap_tag", "zp_tag", 4, false],
    ["ap_lanes_0", "zp_lanes_0", 9, false],
    ["ap_lanes_1", "zp_lanes_1", 9, false],
  );
  pairs.push(["a__new", "z__new", 1, false]);
  const ports = pairs.flatMap(([a, z, w, s]) => {
    const range = `${s ? "signed " : ""}${w > 1 ? `[${w - 1}:0] ` : ""}`;
    return [`  input wire ${range}${a}`, `  output reg ${range}${z}`];
  });
  return `module Widths (\n  input wire clk, input wire rst,\n${ports.join(",\n")}\n);\n  always @(posedge clk) begin\n${pairs
    .map(([a, z]) => `    ${z} <= rst ? 0 : ${a};`)
    .join("\n")}\n  end\nendmodule\n`;
}

/** Ends the simulation when told: by $finish, $stop, $error or $fatal. */
export const quitter = fromVerilog(
  "Quitter",
  { how: input(uint(3)), ticks: output(uint(8)) },
  `module Quitter (
  input wire clk, input wire rst, input wire [2:0] how, output reg [7:0] ticks);
  always @(posedge clk) begin
    ticks <= rst ? 8'd0 : ticks + 8'd1;
    if (!rst) case (how)
      3'd1: begin $display("bye from the design"); $finish; end
      3'd2: $stop;
      3'd3: $error("level was %0d", ticks);
      3'd4: $fatal(1, "cannot go on");
      default: ;
    endcase
  end
endmodule
`,
);

/** A memory of 1 MB, so that models weigh something. */
export const megabyte = fromVerilog(
  "Megabyte",
  { at: input(uint(18)), data: output(uint(32)) },
  `module Megabyte (
  input wire clk, input wire rst, input wire [17:0] at, output reg [31:0] data);
  reg [31:0] store [0:262143];
  always @(posedge clk) begin
    data <= store[at];
    if (rst) store[at] <= 32'd0;
  end
endmodule
`,
);

/** A counter on each of two clocks. */
export const twoClocks = {
  ports: { fast: output(uint(16)), slow: output(uint(16)) },
  emitted: {
    top: "TwoClocks",
    files: [
      {
        name: "TwoClocks.v",
        text: `module TwoClocks (input wire clk, input wire clk_b, output reg [15:0] fast, output reg [15:0] slow);
  initial begin fast = 0; slow = 0; end
  always @(posedge clk) fast <= fast + 1;
  always @(posedge clk_b) slow <= slow + 1;
endmodule
`,
      },
    ],
    ports: [
      { name: "clk", dir: "in", width: 1, signed: false, path: ["clk"], role: "clock", domain: "default" },
      { name: "clk_b", dir: "in", width: 1, signed: false, path: ["clk_b"], role: "clock", domain: "b" },
      { name: "fast", dir: "out", width: 16, signed: false, path: ["fast"], role: "data", domain: "default" },
      { name: "slow", dir: "out", width: 16, signed: false, path: ["slow"], role: "data", domain: "b" },
    ],
    streams: [],
    assertions: [],
  },
} as const;
