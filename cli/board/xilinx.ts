import type { VendorBoardBuild } from "../../designs/shared/command-line/index.ts";
import { emit, type EmittedDesign, type EmittedFile } from "../../hdl-dsl/index.ts";
import { boardHook } from "./board-design.ts";
import type { BoardFile } from "./board-file.ts";
import type { XilinxBoard } from "./schema.ts";
import { fill } from "./template.ts";
import { hexBytes, inp, macPart, out, serialPorts, stubOf, type VendorPart, type VPort } from "./vendor-parts.ts";

/** A bus between the platform and the node: one wire for each signal, by the vendor's name and the node's. */
interface Bus {
  readonly wires: readonly {
    readonly name: string;
    readonly high: number;
    readonly vendor: string;
    readonly node: string;
    readonly toNode: boolean;
  }[];
}

const buildOf = (b: XilinxBoard): VendorBoardBuild => boardHook(b, "vendor")(b.parameters);
/** The design with its crossings, for the board's build parameters. */
export const boardNode = (b: XilinxBoard): EmittedDesign => emit(buildOf(b).definition);

/** The node's prefixes and the names that the block design's external interfaces have. */
const interfaces = [
  ["mem", "S_AXI"],
  ["control", "M_AXI_CONTROL"],
  ["port", "M_AXI_PORT"],
] as const;

/** Stream signals as AXI's: `mem_aw_payload_addr` is `S_AXI_awaddr`. */
function buses(design: EmittedDesign): Bus[] {
  return interfaces.map(([prefix, vendor]) => ({
    wires: design.ports.flatMap(p => {
      const [, channel, what] = new RegExp(`^${prefix}_(aw|w|b|ar|r)_(?:payload_)?(\\w+)$`).exec(p.name) ?? [];
      if (channel === undefined || what === undefined) return [];
      return [
        {
          name: `${prefix}_${channel}${what}`,
          high: p.width - 1,
          vendor: `${vendor}_${channel}${what}`,
          node: p.name,
          toNode: p.dir === "in",
        },
      ];
    }),
  }));
}

/** The vendor's parts as the top level sees them, with the ports of the block designs' wrappers. */
function vendorParts(b: XilinxBoard, c: VendorBoardBuild, all: readonly Bus[]): readonly VendorPart[] {
  const pcie =
    b.soc.kind !== "xdma"
      ? []
      : [
          inp("pcie_refclk_clk_p"),
          inp("pcie_refclk_clk_n"),
          inp("pcie_perst_n"),
          inp("pcie_rxp", 16),
          inp("pcie_rxn", 16),
          out("pcie_txp", 16),
          out("pcie_txn", 16),
        ];
  return [
    macPart(`${b.design}_mac_wrapper`, b.mac.lanes, c.dataWidth),
    {
      name: `${b.design}_platform_wrapper`,
      ports: [
        inp(`${b.memory.clock}_clk_p`),
        inp(`${b.memory.clock}_clk_n`),
        ...b.memory.ports,
        ...pcie,
        ...all.flatMap(bus =>
          bus.wires.map((w): VPort => ({
            name: w.vendor,
            width: w.high + 1,
            direction: w.toNode ? "output" : "input",
          })),
        ),
        out("node_clk"),
        out("node_rst"),
        out("memory_clk"),
        out("memory_rst"),
        inp("irq"),
      ],
    },
  ];
}

/** Pins held at a value, by port: single bits, or the bits of a vector together. */
function controlPorts(b: XilinxBoard): readonly {
  readonly name: string;
  readonly width?: number;
  readonly high: number;
  readonly value: string;
  readonly portPattern: string;
}[] {
  const byPort = new Map<string, Map<number | undefined, number>>();
  for (const { port, value } of b.controls) {
    const [, base = port, index] = /^(\w+)(?:\[(\d+)\])?$/.exec(port) ?? [];
    const bits = byPort.get(base) ?? new Map<number | undefined, number>();
    bits.set(index === undefined ? undefined : Number(index), value);
    byPort.set(base, bits);
  }
  return [...byPort].map(([name, bits]) => {
    const single = bits.get(undefined);
    if (single !== undefined) return { name, high: 0, value: `1'b${single}`, portPattern: name };
    const binary = Array.from({ length: bits.size }, (_, i) => bits.get(bits.size - 1 - i) ?? 0).join("");
    return { name, width: bits.size, high: bits.size - 1, value: `${bits.size}'b${binary}`, portPattern: `${name}[*]` };
  });
}

/** All that the templates take. */
function dataOf(b: XilinxBoard, design: EmittedDesign) {
  const c = buildOf(b),
    all = buses(design),
    width = (name: string): number => design.ports.find(p => p.name === name)?.width ?? 0;
  const controlBits = width("control_aw_payload_addr"),
    portBits = width("port_aw_payload_addr");
  return {
    ...b,
    upwards: "../../..",
    what: "the memory node",
    clocks: [
      { name: b.memory.clock, ns: b.memory.clockNs },
      { name: b.mac.refclk, ns: b.mac.refclkNs },
    ],
    crossed: "the node's, the MAC's and the memory's clock",
    serial: serialPorts(b.mac.serial, b.mac.lanes),
    memory: { ...b.memory, ports: b.memory.ports.map(p => ({ ...p, high: p.width - 1 })) },
    controlPorts: controlPorts(b),
    buses: all,
    node: {
      top: design.top,
      dataWidth: c.dataWidth,
      dataHigh: c.dataWidth - 1,
      keepHigh: c.dataWidth / 8 - 1,
      beatBytes: c.dataWidth / 8,
      addressBits: c.addressBits,
      idBits: width("mem_aw_payload_id"),
      controlBits,
      portBits,
      controlRange: hexBytes(2 ** controlBits),
      portRange: hexBytes(2 ** portBits),
      memoryRange: hexBytes(c.memoryBytes),
    },
    cmac: b.mac.kind === "cmac",
    xxv: b.mac.kind === "xxv",
    zynq: b.soc.kind === "zynq",
    pcie: b.soc.kind === "xdma",
    jtag: b.soc.kind === "jtag",
    stubs: vendorParts(b, c, all).map(part => stubOf(part, name => b.memory.ports.some(p => p.name === name))),
  };
}
/** The top level and the stand-ins of the vendor's parts, for lint with the node's own files. */
export function topFiles(root: string, b: XilinxBoard, design = boardNode(b)): readonly EmittedFile[] {
  const data = dataOf(b, design);
  return [
    { name: `${b.name}_top.v`, text: fill(root, "xilinx_top.v", data) },
    ...data.stubs.map(stub => ({
      name: `${stub.name}.v`,
      text: fill(root, "xilinx_stub.v", { title: b.title, stub }),
    })),
  ];
}

/**
 * All files of a board, by their paths in the project. The node's own Verilog is not among them: `boardNode` has it.
 */
export function xilinxFiles(root: string, b: XilinxBoard, design = boardNode(b)): BoardFile[] {
  const data = dataOf(b, design),
    place = `constraints/boards/${b.name}`;
  return [
    ...topFiles(root, b, design).map(f => ({
      path: `generated/boards/${b.name}/${f.name === `${b.name}_top.v` ? "" : "stubs/"}${f.name}`,
      text: f.text,
    })),
    { path: `${place}/${b.name}.xdc`, text: fill(root, "xilinx.xdc", data) },
    { path: `${place}/${b.name}_project.tcl`, text: fill(root, "xilinx_project.tcl", data) },
    { path: `${place}/${b.name}_block_design.tcl`, text: fill(root, "xilinx_block_design.tcl", data) },
  ];
}
