/** Properties: a message and a stop in simulation, an assertion for proofs, nothing for synthesis. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  assertAlways,
  assumeAlways,
  bit,
  clockDomain,
  cover,
  type Def,
  elaborate,
  inDomain,
  input,
  module,
  output,
  reg,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { emitCircuit } from "../../../hdl-dsl/verilog/emit.ts";
import { lint, run, withFiles } from "../support/lint.ts";

const Limited = module(
  "Limited",
  (_: { limit: number }) => ({ en: input(bit), count: output(uint(4)) }),
  (io, p) => {
    const value = reg(uint(4), { init: 0 });
    when(io.en.and(value.lt(9)), () => value.set(value.add(1)));
    when(io.en, () => assertAlways(value.le(p.limit), 'value stays "within" its limit'));
    assumeAlways(value.ne(15), "never 15");
    cover(value.eq(9), "full");
    io.count.set(value);
  },
);

/** Twenty enabled cycles under Icarus. */
function simulated(limit: number): string {
  const bench =
    "module tb; reg clk = 0, rst = 1, en = 1; wire [3:0] count; Limited_limit" +
    String(limit) +
    ' dut (.clk(clk), .rst(rst), .en(en), .count(count)); always #1 clk = ~clk; initial begin #4 rst = 0; #40 $display("end %0d", count); $finish; end endmodule\n';
  return withFiles(emitCircuit(elaborate(Limited({ limit }))), (folder, files) => {
    const tb = join(folder, "tb.v"),
      binary = join(folder, "sim");
    writeFileSync(tb, bench);
    return run("iverilog", ["-g2005", "-s", "tb", "-o", binary, tb, ...files]) + run("vvp", ["-N", binary]);
  });
}

describe("properties", () => {
  test("a simulation stops at a failing assertion with its message and position, and not otherwise", () => {
    expect(simulated(9)).toMatch(/^end 9/);
    const failed = simulated(5);
    expect(failed).toMatch(/assertion failed: value stays "within" its limit \(properties\.test\.ts:\d+\)/);
    expect(failed).not.toMatch(/^end/m);
  });

  test("they are assertions, assumptions and covers to formal tools, and gone for synthesis", () => {
    const design = emitCircuit(elaborate(Limited({ limit: 9 })));
    const cells = (options: string): string =>
      withFiles(design, (_f, files) =>
        run("yosys", ["-p", `read_verilog ${options} ${files.join(" ")}; prep -top ${design.top}; stat`]),
      );
    const formal = cells("-formal");
    expect(formal).toMatch(/\$assert\s+1\b/);
    expect(formal).toMatch(/\$assume\s+1\b/);
    expect(formal).toMatch(/\$cover\s+1\b/);
    expect(cells("")).not.toMatch(/\$(assert|assume|cover|print)\b/);
    expect(design.assertions.map(a => a.message)).toEqual(['value stays "within" its limit', "never 15", "full"]);
  });

  test("in domains with asynchronous or no reset the text passes all tools", () => {
    for (const reset of ["async", "none"] as const) {
      const M = module(
        `Domain_${reset}`,
        () => ({ d: input(bit), q: output(bit) }),
        io => {
          inDomain(clockDomain("other", { reset }), () => {
            const held = reg(bit, reset === "none" ? {} : { init: 0 });
            held.set(io.d);
            assertAlways(held.or(io.d.not()).or(io.d), "always true");
            io.q.set(held);
          });
        },
      ) as () => Def;
      expect(lint(emitCircuit(elaborate(M())))).toBe("");
    }
  });
});
