// Run as a process of its own by cache.test.ts: it ends, as a test's worker does at a limit, while a model is compiled.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { output, uint } from "../../../hdl-dsl/index.ts";
import { fromVerilog, simulate } from "../../../sim/index.ts";

const design = fromVerilog(
  "Cut",
  { z: output(uint(8)) },
  "module Cut (input wire clk, input wire rst, output reg [7:0] z); always @(posedge clk) z <= z * 8'd77; endmodule\n",
);
const folder = join(process.env["MNEMO_CACHE"] ?? "", "model");
/** Whether the compiling shell has taken over the lock. */
const underway = (): boolean =>
  readdirSync(folder).some(f => f.endsWith(".lock") && Number(readFileSync(join(folder, f), "utf8")) !== process.pid);

void simulate(design);
setInterval(() => {
  if (underway()) process.exit(0);
}, 5);
