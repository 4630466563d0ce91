/**
 * The echo on Lattice's iCE40-HX8K breakout board, whose USB bridge has a serial line: synthesized, placed, routed and
 * packed by open tools, which come as WebAssembly from npm (`@yowasp/yosys`, `@yowasp/nextpnr-ice40`). Nobody has tried
 * it on a board.
 */
import { runIcepack, runNextpnrIce40, type Tree } from "@yowasp/nextpnr-ice40";
import { runYosys } from "@yowasp/yosys";
import { emit, synthesisFiles } from "mnemosyne";
import { UartEcho } from "../src/uart-echo.ts";

export const clockMHz = 12,
  baud = 115_200;

/** The board has no reset: registers begin with 0, so a counter holds the echo's reset for its first 16 cycles. */
const topLevel = (echo: string): string => `
module top (input wire clk_12mhz, input wire uart_rx, output wire uart_tx, output wire [1:0] led);
  reg [4:0] started = 5'd0;
  always @(posedge clk_12mhz) if (~started[4]) started <= started + 5'd1;
  ${echo} echo (
    .clk (clk_12mhz), .rst (~started[4]),
    .rx (uart_rx), .tx (uart_tx), .broken (led[0]), .lost (led[1])
  );
endmodule
`;
/** From board files that several projects have published, all alike. */
const pins = `
set_io clk_12mhz J3
set_io uart_rx B10
set_io uart_tx B12
set_io led[0] B5
set_io led[1] B4
set_frequency clk_12mhz ${clockMHz}
`;

export interface Routed {
  /** The highest frequency after routing. */
  readonly mhz: number;
  readonly logicCells: number;
  readonly memoryBlocks: number;
  readonly bitstream: Uint8Array;
}

interface Report {
  readonly fmax: Readonly<Record<string, { readonly achieved: number }>>;
  readonly utilization: Readonly<Record<"ICESTORM_LC" | "ICESTORM_RAM", { readonly used: number }>>;
}

const text = (v: Tree[string] | undefined): string =>
  typeof v === "string" ? v : new TextDecoder().decode(v instanceof Uint8Array ? v : new Uint8Array());

/** @throws what a tool says when the design does not fit */
export async function route(): Promise<Routed> {
  const echo = emit(UartEcho({ divisor: Math.round((clockMHz * 1e6) / baud), depth: 16 })),
    files = synthesisFiles(echo),
    quiet = { stdout: null, stderr: null };
  const verilog = { ...Object.fromEntries(files.map(f => [f.name, f.text])), "top.v": topLevel(echo.top) };
  const script = `read_verilog ${Object.keys(verilog).join(" ")}; synth_ice40 -top top -json top.json`;
  const netlist = (await runYosys(["-p", script], verilog, quiet)) ?? {};
  const placed =
    (await runNextpnrIce40(
      [
        ...["--hx8k", "--package", "ct256", "--freq", String(clockMHz), "--seed", "1"],
        ...["--json", "top.json", "--pcf", "top.pcf", "--asc", "top.asc", "--report", "report.json"],
      ],
      { "top.json": text(netlist["top.json"]), "top.pcf": pins },
      quiet,
    )) ?? {};
  const packed = (await runIcepack(["top.asc", "top.bin"], { "top.asc": text(placed["top.asc"]) }, quiet)) ?? {};
  const report = JSON.parse(text(placed["report.json"])) as Report,
    bitstream = packed["top.bin"];
  return {
    mhz: Math.min(...Object.values(report.fmax).map(f => f.achieved)),
    logicCells: report.utilization.ICESTORM_LC.used,
    memoryBlocks: report.utilization.ICESTORM_RAM.used,
    bitstream: bitstream instanceof Uint8Array ? bitstream : new TextEncoder().encode(text(bitstream)),
  };
}
