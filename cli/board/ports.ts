/** Boards with several MACs of the vendor, and no memory of their own. */
import { UsageError } from "../../designs/shared/command-line/index.ts";
import { emit, type EmittedDesign } from "../../hdl-dsl/index.ts";
import { boardHook } from "./board-design.ts";
import type { BoardFile } from "./board-file.ts";
import type { PortsBoard } from "./schema.ts";
import { fill } from "./template.ts";
import { hexBytes, inp, macPart, out, serialPorts, stubOf, type VendorPart } from "./vendor-parts.ts";

/** A wire between the platform and the device. */
interface Wire {
  readonly name: string;
  readonly high: number;
  readonly vendor: string;
  readonly node: string;
  readonly toNode: boolean;
}
/**
 * The device with its crossings, for the board's parameters. @throws UsageError when there are not so many MACs, or a
 * memory is wanted
 */
export function portsNode(b: PortsBoard): EmittedDesign {
  const build = boardHook(b, "ports")(b.parameters);
  if (build.ports !== b.macs.length)
    throw new UsageError(
      `${b.name}: parameters.ports is ${build.ports}, and there are ${b.macs.length} macs; give as many`,
    );
  const design = emit(build.definition);
  if (design.ports.some(p => p.name.startsWith("mem_aw")))
    throw new UsageError(
      `${b.name}: parameters give the device something to keep in a memory, and boards with ports name none; leave out spill and tasks with memory`,
    );
  return design;
}

/** What the platform calls the streams of software's frames, by what the device calls them. */
const frames = [
  ["to_software", "S_AXIS_FRAMES", "ingress"],
  ["from_software", "M_AXIS_FRAMES", "ports"],
] as const;
/** The vendor's name of a signal of the device; undefined: the platform has none. */
function vendorName(port: string): string | undefined {
  const [, channel, field] = /^control_(aw|w|b|ar|r)_(?:payload_)?(\w+)$/.exec(port) ?? [];
  if (channel !== undefined && field !== undefined) return `M_AXI_CONTROL_${channel}${field}`;
  for (const [prefix, vendor, dest] of frames) {
    const [, name] = new RegExp(`^${prefix}_(?:payload_)?(valid|ready|data|keep|last|${dest})$`).exec(port) ?? [];
    if (name !== undefined) return `${vendor}_t${name === dest ? "dest" : name}`;
  }
  return undefined;
}
const wiresOf = (design: EmittedDesign): Wire[] =>
  design.ports.flatMap(p => {
    const vendor = vendorName(p.name);
    return vendor === undefined
      ? []
      : [{ name: vendor.toLowerCase(), high: p.width - 1, vendor, node: p.name, toNode: p.dir === "in" }];
  });
/** Signals of software's frames that the platform does not take, and what is given where the device wants one. */
const leftOf = (design: EmittedDesign) =>
  design.ports
    .filter(p => /^(?:to|from)_software_/.test(p.name) && vendorName(p.name) === undefined)
    .map(p => ({ name: `${p.name}_left`, high: p.width - 1, node: p.name, given: p.dir === "in" }));

const platformPart = (b: PortsBoard, wires: readonly Wire[]): VendorPart => ({
  name: `${b.design}_platform_wrapper`,
  ports: [
    inp(`${b.clock.name}_clk_p`),
    inp(`${b.clock.name}_clk_n`),
    ...wires.map(w => (w.toNode ? out : inp)(w.vendor, w.high + 1)),
    out("node_clk"),
    out("node_rst"),
  ],
});

/** All that the templates take. */
function dataOf(b: PortsBoard, design: EmittedDesign) {
  const { dataWidth } = boardHook(b, "ports")(b.parameters),
    wires = wiresOf(design),
    left = leftOf(design),
    controlBits = design.ports.find(p => p.name === "control_aw_payload_addr")?.width ?? 0;
  const parts = [
    ...b.macs.map((m, port) => macPart(`${b.design}_mac${port}_wrapper`, m.lanes, dataWidth)),
    platformPart(b, wires),
  ];
  return {
    ...b,
    upwards: "../../..",
    what: "the device",
    clocks: [{ name: b.clock.name, ns: b.clock.ns }, ...b.macs.map(m => ({ name: m.refclk, ns: m.refclkNs }))],
    crossed: "the device's clock and the MACs'",
    clock: { ...b.clock, mhz: (1000 / b.clock.ns).toFixed(3) },
    macs: b.macs.map((m, port) => ({
      ...m,
      port,
      last: lastLane(m.lane0, m.lanes),
      serial: serialPorts(m.serial, m.lanes),
    })),
    controlPorts: b.controls.map(c => ({ name: c.port, value: `1'b${c.value}`, portPattern: c.port })),
    wires,
    left,
    lightHigh: b.macs.length + 1,
    portHigh: b.macs.length - 1,
    node: {
      top: design.top,
      dataWidth,
      dataHigh: dataWidth - 1,
      keepHigh: dataWidth / 8 - 1,
      beatBytes: dataWidth / 8,
      controlBits,
      controlRange: hexBytes(2 ** Math.max(12, controlBits)),
    },
    stubs: parts.map(part => stubOf(part)),
  };
}
/** The last of some lanes: `X0Y4` and 4 lanes, `X0Y7`. */
function lastLane(first: string, lanes: number): string {
  const [, column = "", row = "0"] = /^(X\d+Y)(\d+)$/.exec(first) ?? [];
  return `${column}${Number(row) + lanes - 1}`;
}

/** All files of a board, by their paths in the project; the device's own Verilog is not among them. */
export function portsFiles(root: string, b: PortsBoard, design = portsNode(b)): BoardFile[] {
  const data = dataOf(b, design),
    place = `constraints/boards/${b.name}`,
    verilog = `generated/boards/${b.name}`;
  return [
    { path: `${verilog}/${b.name}_top.v`, text: fill(root, "ports_top.v", data) },
    ...data.stubs.map(stub => ({
      path: `${verilog}/stubs/${stub.name}.v`,
      text: fill(root, "xilinx_stub.v", { title: b.title, stub }),
    })),
    { path: `${place}/${b.name}.xdc`, text: fill(root, "xilinx.xdc", data) },
    {
      path: `${place}/${b.name}_project.tcl`,
      text: fill(root, "xilinx_project.tcl", { ...data, boardPart: undefined }),
    },
    { path: `${place}/${b.name}_block_design.tcl`, text: fill(root, "ports_block_design.tcl", data) },
  ];
}
