/**
 * The tools that run a bench: each gives `out` of every step as a string of 0, 1, x and z, most significant bit first.
 */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "../../../sim/index.ts";
import { STIMULUS_BITS } from "./bench.ts";

/** `builtin` runs the circuit, in this process. The others read the emitted text: `reader` makes a circuit of it. */
export type ToolName = "builtin" | "reader" | TextTool;
type TextTool = "icarus" | "verilator" | "yosys";
export const TOOLS: readonly ToolName[] = ["builtin", "reader", "icarus", "verilator", "yosys"];

function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  // Looked for, so that a run without native tools knows why what follows fails.
  findTool(command);
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, encoding: "utf8", maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === "ENOENT")
        reject(
          new Error(`${command} is not installed: the fuzz runs every program in it; \`npx mnemo doctor\` says how`),
        );
      else reject(new Error(`${command}: ${stderr.slice(0, 4000)}${stdout.slice(-2000)}` || error.message));
    });
  });
}

const hex = (v: bigint): string => `${STIMULUS_BITS}'h${v.toString(16)}`;

/** Writes `files`, then runs one tool over them. `vectors[0]` is applied under reset. */
export async function runTool(
  tool: TextTool,
  files: readonly { readonly name: string; readonly text: string }[],
  outBits: number,
  vectors: readonly bigint[],
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-fuzz-"));
  try {
    // One file: the tools need most of their time for opening a thousand.
    writeFileSync(join(folder, "all.v"), files.map(f => f.text).join("\n"));
    return await { icarus, verilator, yosys }[tool](folder, outBits, vectors);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function icarus(folder: string, outBits: number, vectors: readonly bigint[]): Promise<string[]> {
  const lines = [
    "module tb;",
    "  reg clk = 0, rst = 0;",
    `  reg [${STIMULUS_BITS - 1}:0] in = 0;`,
    `  wire [${outBits - 1}:0] out;`,
    "  bench b (.clk(clk), .rst(rst), .in(in), .out(out));",
    "  initial begin",
    "    #1 rst = 1;",
  ];
  vectors.forEach((v, n) => {
    lines.push(
      `    in = ${hex(v)};`,
      ...(n === 1 ? ["    rst = 0;"] : []),
      '    #1 $display("%b", out);',
      "    #1 clk = 1;",
      "    #1 clk = 0;",
    );
  });
  writeFileSync(join(folder, "tb.v"), [...lines, "  end", "endmodule", ""].join("\n"));
  await run("iverilog", ["-g2005", "-s", "tb", "-o", "sim", "tb.v", "all.v"], folder);
  return (await run("vvp", ["-n", "sim"], folder)).trim().split("\n");
}

/** The C++ compiler, as the simulator's own models have it: clang++ where it is there. */
const compiler = (): string => (findTool("clang++") === undefined && findTool("g++") !== undefined ? "g++" : "clang++");

let runtime: Promise<string> | undefined;
/** Verilator's own runtime, compiled once per process. */
async function verilatorRuntime(root: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-fuzz-runtime-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await Promise.all(
    ["verilated", "verilated_threads"].map(f =>
      run(compiler(), [...flags(root), "-c", join(root, "include", `${f}.cpp`), "-o", `${f}.o`], folder),
    ),
  );
  return folder;
}
const flags = (root: string): string[] => [
  "-O0",
  "-w",
  "-std=c++17",
  ...(compiler() === "clang++" ? ["-fbracket-depth=8192"] : []),
  "-DVM_COVERAGE=0",
  "-DVM_SC=0",
  "-DVM_TRACE=0",
  "-DVM_TRACE_FST=0",
  "-DVL_TIME_CONTEXT",
  `-I${join(root, "include")}`,
  `-I${join(root, "include", "vltstd")}`,
];

/**
 * Remarks that the checks refuse before emission, comparisons that constants a wire away decide, and the bench itself.
 * Any other remark of the linter is a failure.
 */
const NOT_CHECKED = ["UNDRIVEN", "UNUSEDSIGNAL", "SELRANGE", "UNSIGNED", "CMPCONST", "DECLFILENAME", "SYNCASYNCNET"];

async function verilator(folder: string, outBits: number, vectors: readonly bigint[]): Promise<string[]> {
  const root = (await run("verilator", ["--getenv", "VERILATOR_ROOT"], folder)).trim();
  runtime ??= verilatorRuntime(root);
  const words = STIMULUS_BITS / 32,
    cpp = join(folder, "c");
  mkdirSync(cpp);
  // -O0: version 5.006 folds some programs of constants wrongly (seed 3100, 500 programs), which says nothing
  // about the text.
  await run(
    "verilator",
    [
      "--cc",
      "-Wall",
      ...NOT_CHECKED.map(w => `-Wno-${w}`),
      "--prefix",
      "V",
      "--top-module",
      "bench",
      "-O0",
      "--x-assign",
      "0",
      "--x-initial",
      "0",
      "--output-split",
      "0",
      "--Mdir",
      "c",
      "all.v",
    ],
    folder,
  );
  const rows = vectors.map(
    v =>
      `{${Array.from({ length: words }, (_, i) => `0x${((v >> BigInt(32 * i)) & 0xffffffffn).toString(16)}u`).join(",")}}`,
  );
  const small = outBits <= 64;
  writeFileSync(
    join(cpp, "main.cc"),
    `#include "V.h"
#include <cstdio>
static const unsigned rows[${rows.length}][${words}] = {${rows.join(",\n")}};
int main() {
  VerilatedContext* context = new VerilatedContext;
  V* top = new V{context};
  top->clk = 0; top->rst = 0; top->eval();
  top->rst = 1; top->eval();
  for (int n = 0; n < ${rows.length}; n++) {
    for (int i = 0; i < ${words}; i++) top->in[i] = rows[n][i];
    if (n == 1) top->rst = 0;
    top->eval();
    for (int b = ${outBits} - 1; b >= 0; b--) putchar('0' + ${small ? "(int)((unsigned long long)top->out >> b & 1)" : "(int)(top->out[b / 32] >> (b % 32) & 1)"});
    putchar('\\n');
    top->clk = 1; top->eval();
    top->clk = 0; top->eval();
  }
  return 0;
}
`,
  );
  const made = (await run("sh", ["-c", "ls *.cpp"], cpp)).trim().split("\n");
  writeFileSync(join(cpp, "one.cc"), [...made.map(f => `#include "${f}"`), '#include "main.cc"', ""].join("\n"));
  const objects = await runtime;
  await run(
    compiler(),
    [
      ...flags(root),
      "-I.",
      "one.cc",
      join(objects, "verilated.o"),
      join(objects, "verilated_threads.o"),
      "-o",
      "sim",
      "-lpthread",
      "-latomic",
    ],
    cpp,
  );
  return (await run("./sim", [], cpp)).trim().split("\n");
}

/**
 * Yosys' own simulation of its own netlist: the stimulus comes from a counter and a table, and changes
 * at falling edges.
 */
async function yosys(folder: string, outBits: number, vectors: readonly bigint[]): Promise<string[]> {
  const cases = vectors.map((v, n) => `      ${n}: in = ${hex(v)};`);
  writeFileSync(
    join(folder, "tb.v"),
    `module tb (input wire clk, output reg [7:0] step, output wire [${outBits - 1}:0] out);
  initial step = 0;
  always @(negedge clk) step <= step + 8'd1;
  reg [${STIMULUS_BITS - 1}:0] in;
  always @(*) begin
    case (step)
${cases.join("\n")}
      default: in = ${hex(0n)};
    endcase
  end
  bench b (.clk(clk), .rst(step == 8'd0), .in(in), .out(out));
endmodule
`,
  );
  await run(
    "yosys",
    [
      "-q",
      "-p",
      `read_verilog all.v tb.v; hierarchy -check -top tb; proc; flatten; opt_clean; sim -clock clk -n ${vectors.length} -vcd out.vcd tb`,
    ],
    folder,
  );
  return fromVcd(readFileSync(join(folder, "out.vcd"), "utf8"), outBits, vectors.length);
}

/** `out` by `step`, before the rising edge. */
function fromVcd(text: string, outBits: number, steps: number): string[] {
  const codeOf = (name: string): string =>
    new RegExp(`^\\$var \\w+ \\d+ (\\S+) ${name}(?: \\[[^\\]]*\\])? \\$end$`, "m").exec(text)?.[1] ??
    `no ${name} in the wave`;
  const codes = { step: codeOf("step"), out: codeOf("out"), clk: codeOf("clk") };
  const rows: string[] = [];
  let step = -1,
    out = "",
    clk = "x";
  const note = (): void => {
    if (clk === "0" && step >= 0 && step < steps) rows[step] ??= out;
  };
  for (const line of text.slice(text.indexOf("$enddefinitions")).split("\n")) {
    if (line.startsWith("#")) {
      note();
      continue;
    }
    if (!/^b?[01xz]/.test(line)) continue;
    const [bits = "", code] = line.startsWith("b") ? line.slice(1).split(" ") : [line.slice(0, 1), line.slice(1)];
    if (code === codes.step) step = /[xz]/.test(bits) ? -1 : Number.parseInt(bits, 2);
    else if (code === codes.clk) clk = bits;
    else if (code === codes.out) out = bits.padStart(outBits, bits.startsWith("1") ? "0" : bits.slice(0, 1));
  }
  note();
  return rows;
}
