import type { VendorBoardBuild } from "../../designs/shared/command-line/index.ts";
import { emit, type EmittedDesign, type EmittedFile } from "../../hdl-dsl/index.ts";
import { boardHook } from "./board-design.ts";
import type { BoardFile } from "./board-file.ts";
import type { XilinxBoard } from "./schema.ts";
import { fill } from "./template.ts";

/** A port of a Verilog module. */
interface VPort {
  readonly name: string;
  readonly width: number;
  readonly direction: "input" | "output" | "inout";
}
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
function vendorParts(
  b: XilinxBoard,
  c: VendorBoardBuild,
  all: readonly Bus[],
): readonly { readonly name: string; readonly ports: readonly VPort[] }[] {
  const inp = (name: string, width = 1): VPort => ({ name, width, direction: "input" }),
    out = (name: string, width = 1): VPort => ({ name, width, direction: "output" });
  const axis = (prefix: string, forward: typeof inp, back: typeof inp | undefined): VPort[] => [
    forward(`${prefix}_tvalid`),
    ...(back === undefined ? [] : [back(`${prefix}_tready`)]),
    forward(`${prefix}_tdata`, c.dataWidth),
    forward(`${prefix}_tkeep`, c.dataWidth / 8),
    forward(`${prefix}_tlast`),
    forward(`${prefix}_tuser`),
  ];
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
    {
      name: `${b.design}_mac_wrapper`,
      ports: [
        inp("init_clk"),
        inp("init_rst"),
        inp("refclk_p"),
        inp("refclk_n"),
        ...serialParts.map(([part, , direction]): VPort => ({ name: part, width: b.mac.lanes, direction })),
        out("mac_clk"),
        out("mac_rst"),
        ...axis("rx_axis", out, undefined),
        ...axis("tx_axis", inp, out),
      ],
    },
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

/** The transceiver's ports: the vendor's name, the board's ending, the direction. */
const serialParts = [
  ["serial_grx_p", "rx_p", "input"],
  ["serial_grx_n", "rx_n", "input"],
  ["serial_gtx_p", "tx_p", "output"],
  ["serial_gtx_n", "tx_n", "output"],
] as const;

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

const hexBytes = (n: number): string => `0x${n.toString(16)}`;

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
    serial: serialParts.map(([part, ending, direction]) => ({
      part,
      name: `${b.mac.serial}_${ending}`,
      direction,
      high: b.mac.lanes - 1,
    })),
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
    stubs: vendorParts(b, c, all).map(s => ({
      name: s.name,
      ports: s.ports.map(p => ({ ...p, range: p.width > 1 || isVector(b, p.name), high: p.width - 1 })),
      outputs: s.ports.filter(p => p.direction === "output").map(p => ({ name: p.name, zero: `${p.width}'d0` })),
      inputs: s.ports
        .filter(p => p.direction !== "output")
        .map(p => p.name)
        .join(", "),
    })),
  };
}
/** DDR4 pins and serial lanes are vectors even where they are one. */
const isVector = (b: XilinxBoard, name: string): boolean =>
  name.startsWith("serial_") || b.memory.ports.some(p => p.name === name);

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
