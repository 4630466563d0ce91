/** Runs emitted modules under Icarus Verilog: values in, values out, clock edge by clock edge. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmittedDesign } from "../../../hdl-dsl/index.ts";
import { run, withFiles } from "./lint.ts";

/** Input values of one step, by port name; outputs are read before the clock edge that ends the step. */
export type Step = Readonly<Record<string, bigint>>;

/**
 * Drives the design's inputs step by step and returns the output values of each step, as bit patterns (undefined = some
 * bit is x or z). A clocked design is reset for one edge first, then gets one edge per step.
 */
export function simulate(design: EmittedDesign, steps: readonly Step[]): Record<string, bigint | undefined>[] {
  const inputs = design.ports.filter(p => p.dir === "in" && p.role === "data"),
    outputs = design.ports.filter(p => p.dir === "out");
  const clocks = design.ports.filter(p => p.role === "clock"),
    resets = design.ports.filter(p => p.role === "reset");
  const lines = ["module tb;"];
  for (const p of design.ports) lines.push(`  ${p.dir === "in" ? "reg" : "wire"} [${p.width - 1}:0] ${p.name};`);
  lines.push(`  ${design.top} dut (${design.ports.map(p => `.${p.name}(${p.name})`).join(", ")});`, "  initial begin");
  const edge = [...clocks.map(p => `    #1 ${p.name} = 1;`), ...clocks.map(p => `    #1 ${p.name} = 0;`)];
  for (const p of clocks) lines.push(`    ${p.name} = 0;`);
  for (const p of inputs) lines.push(`    ${p.name} = 0;`);
  for (const p of resets) lines.push(`    ${p.name} = 1;`);
  lines.push(...edge, ...resets.map(p => `    ${p.name} = 0;`));
  for (const s of steps) {
    for (const p of inputs) lines.push(`    ${p.name} = ${p.width}'h${(s[p.name] ?? 0n).toString(16)};`);
    lines.push(
      "    #1;",
      `    $display("${outputs.map(() => "%b").join(" ")}"${outputs.map(p => `, ${p.name}`).join("")});`,
      ...edge,
    );
  }
  lines.push("  end", "endmodule", "");
  const text = withFiles(design, (folder, files) => {
    const bench = join(folder, "tb.v"),
      binary = join(folder, "sim");
    writeFileSync(bench, lines.join("\n"));
    const built = run("iverilog", ["-g2005", "-s", "tb", "-o", binary, bench, ...files]);
    return built === "" ? run("vvp", ["-n", binary]) : `build: ${built}`;
  });
  const rows = text.split("\n").filter(l => /^[01xz ]+$/.test(l));
  if (rows.length !== steps.length) throw new Error(`simulation failed:\n${text}`);
  return rows.map(row =>
    Object.fromEntries(
      row
        .trim()
        .split(/\s+/)
        .map((v, i) => [outputs[i]?.name ?? "", /^[01]+$/.test(v) ? BigInt(`0b${v}`) : undefined]),
    ),
  );
}
