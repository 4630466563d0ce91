// Run as a process of its own by cache.test.ts: builds and steps a design, and prints what it saw.
import { input, output, uint } from "../../../hdl-dsl/index.ts";
import { fromVerilog, simulate } from "../../../sim/index.ts";

const design = fromVerilog(
  "Adder",
  { a: input(uint(8)), z: output(uint(8)) },
  "module Adder (input wire clk, input wire rst, input wire [7:0] a, output reg [7:0] z); always @(posedge clk) z <= rst ? 8'd0 : z + a; endmodule\n",
);
const main = async (): Promise<void> => {
  using sim = await simulate(design);
  sim.io.a.value = 3;
  sim.step(11);
  console.log(`z=${sim.io.z.value}`);
};
await main();
