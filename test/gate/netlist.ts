/**
 * Netlist of a design, as a design that a bench runs on. Yosys makes it of LUTs, carry chains, registers and memories,
 * and brings the models of the device's cells along.
 */
import { type EmittedFile, input, type Ports, uint } from "../../hdl-dsl/index.ts";
import { type Design, designOf, type Dut } from "../../sim/index.ts";
import { contentKey, remembered } from "../../cli/cache.ts";
import { findYosys } from "../../cli/synth/yosys.ts";
import { contentOf } from "../../cli/verilog-content.ts";

/**
 * UltraScale+ as in the area reports, but for block memory, of which Yosys has no model: here all memories are
 * made of LUTs.
 */
const synth = (top: string): string =>
  `synth_xilinx -family xcup -flatten -noiopad -noclkbuf -abc9 -nobram -top ${top}`;
const models = "+/xilinx/cells_sim.v";

/**
 * The device's small memories once more, as arrays. Yosys' models have them as vectors that are shifted about,
 * which is slow. Where the initial contents are partly open, the vectors are wrong. Eight ports to read, the last
 * one's address writes.
 */
const memory = (name: string, addressBits: number, bits: number): string => {
  const ports = "ABCDEFGH".split(""),
    list = (what: string): string => ports.map(p => `${what}${p}`).join(", ");
  return `module ${name}(output [${bits - 1}:0] ${list("DO")}, input [${addressBits - 1}:0] ${list("ADDR")},
  input [${bits - 1}:0] ${list("DI")}, input WCLK, WE);
  integer i;
${ports
  .map(
    p => `  parameter [63:0] INIT_${p} = 64'd0;
  reg [${bits - 1}:0] mem_${p} [0:${2 ** addressBits - 1}];
  initial for (i = 0; i < ${2 ** addressBits}; i = i + 1) mem_${p}[i] = INIT_${p}[i * ${bits} +: ${bits}];
  assign DO${p} = mem_${p}[ADDR${p}];
  always @(posedge WCLK) if (WE) mem_${p}[ADDRH] <= DI${p};`,
  )
  .join("\n")}
endmodule
`;
};
const memories = memory("RAM32M16", 5, 2) + memory("RAM64M8", 6, 1);

/** Attribute that requires block memory all the same. */
const blockStyle = '(* ram_style = "block" *) ';

async function yosys(kind: string, files: readonly EmittedFile[], script: readonly string[]): Promise<string> {
  const tool = await findYosys(),
    text = [...script, "write_verilog -noattr result.v", ""].join("\n");
  const key = contentKey([tool.version, text, ...contentOf(files)]);
  return (await remembered(kind, key, () => tool.run(files, text, "result.v", () => undefined))).value;
}

/** The netlist of a design: instances of the device's cells, and wires. */
export async function netlistOf(dut: Dut): Promise<string> {
  const { emitted } = designOf(dut),
    files = emitted.files.map(f => ({ ...f, text: f.text.replaceAll(blockStyle, "") }));
  return yosys("netlists", files, [...files.map(f => `read_verilog ${f.name}`), synth(emitted.top)]);
}

/** A netlist as a design with the ports of the one that it was made from: its cells are replaced by their models. */
export async function gateDesign<P extends Ports>(dut: Dut<P>, netlist: string): Promise<Design<P>> {
  const { ports, emitted } = designOf(dut),
    top = emitted.top;
  const text = await yosys(
    "netlist-models",
    [
      { name: "netlist.v", text: netlist },
      { name: "memories.v", text: memories },
    ],
    [
      "read_verilog netlist.v",
      `read_verilog ${models}`,
      "read_verilog -overwrite memories.v",
      `hierarchy -check -top ${top}`,
      "proc",
      "flatten",
      "opt_clean",
    ],
  );
  const { names, ...rest } = emitted;
  void names;
  return { ports, emitted: { ...rest, files: [{ name: `${top}.v`, text }], assertions: [] } };
}

const lutPattern = /^ {2}(LUT[1-6]) #\(\n {4}\.INIT\((\d+)'h([0-9a-f]+)\)\n {2}\) (\S+ )\(\n([^;]*?)\n {2}\);$/gm;

const outputPattern = /\.O\(([^\n]*)\)(?=,?$)/m;

/** How many tables of logic a netlist has. */
export const countLuts = (netlist: string): number => [...netlist.matchAll(lutPattern)].length;

/** Fault of a lookup table, by the table's place in the netlist: the bit of one entry, or all of them. */
export interface LutFault {
  readonly lut: number;
  readonly entry: number | undefined;
}

/**
 * A netlist in which a port `fault` chooses which one of the faults is there: number k from 1 on `faults[k - 1]`, 0
 * none. So many faults cost one build.
 */
export function withFaults(netlist: string, top: string, faults: readonly LutFault[]): string {
  let n = -1;
  const wires: string[] = [];
  const text = netlist.replace(
    lutPattern,
    (whole: string, cell: string, size: string, init: string, _name: string, connections: string) => {
      n++;
      const k = faults.findIndex(f => f.lut === n) + 1,
        fault = faults[k - 1];
      if (fault === undefined) return whole;
      // The table as it is, and with the fault; the port chooses between them.
      const bits = fault.entry === undefined ? (1n << BigInt(size)) - 1n : 1n << BigInt(fault.entry % Number(size));
      const turned = (BigInt(`0x${init}`) ^ bits).toString(16);
      const output = outputPattern.exec(connections)?.[1] ?? "";
      const instance = (table: string, result: string): string =>
        `  ${cell} #(\n    .INIT(${size}'h${table})\n  ) ${result}_table (\n${connections.replace(
          outputPattern,
          `.O(${result})`,
        )}\n  );`;
      wires.push(`  wire fault_${k}_right;`, `  wire fault_${k}_wrong;`);
      const right = `fault_${k}_right`,
        wrong = `fault_${k}_wrong`;
      return `${instance(init, right)}\n${instance(turned, wrong)}\n  assign ${output} = fault == 8'd${k} ? ${wrong} : ${right};`;
    },
  );
  const header = new RegExp(`^module \\\\?${top} ?\\(`, "m");
  if (!header.test(text)) throw new Error(`the netlist has no module ${top}`);
  return text
    .replace(header, m => `${m}fault, `)
    .replace(/;\n/, `;\n  input [7:0] fault;\n  wire [7:0] fault;\n${wires.join("\n")}\n`);
}

/** The design of a netlist with faults: the port beside those that it has. */
export async function faultyDesign<P extends Ports>(dut: Dut<P>, netlist: string): Promise<Design<P & FaultPort>> {
  const { ports, emitted } = await gateDesign(dut, netlist);
  return {
    ports: { ...ports, ...faultPort },
    emitted: {
      ...emitted,
      ports: [
        ...emitted.ports,
        { name: "fault", dir: "in", width: 8, signed: false, path: ["fault"], role: "data", domain: "default" },
      ],
    },
  };
}
const faultPort = { fault: input(uint(8)) };
export type FaultPort = typeof faultPort;
