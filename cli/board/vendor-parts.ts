/** The vendor's parts as a top level sees them, with the ports of the block designs' wrappers. */

/** A port of a Verilog module. */
export interface VPort {
  readonly name: string;
  readonly width: number;
  readonly direction: "input" | "output" | "inout";
}
export interface VendorPart {
  readonly name: string;
  readonly ports: readonly VPort[];
}
export const inp = (name: string, width = 1): VPort => ({ name, width, direction: "input" });
export const out = (name: string, width = 1): VPort => ({ name, width, direction: "output" });

/** The signals of an AXI-Stream, forward and back; without `back` nobody can wait. */
export const axis = (
  prefix: string,
  dataWidth: number,
  forward: typeof inp,
  back: typeof inp | undefined,
  last: readonly (readonly [name: string, width: number])[] = [["tuser", 1]],
): VPort[] => [
  forward(`${prefix}_tvalid`),
  ...(back === undefined ? [] : [back(`${prefix}_tready`)]),
  forward(`${prefix}_tdata`, dataWidth),
  forward(`${prefix}_tkeep`, dataWidth / 8),
  forward(`${prefix}_tlast`),
  ...last.map(([name, width]) => forward(`${prefix}_${name}`, width)),
];

/** The transceiver's ports: the vendor's name, the board's ending, the direction. */
const serialParts = [
  ["serial_grx_p", "rx_p", "input"],
  ["serial_grx_n", "rx_n", "input"],
  ["serial_gtx_p", "tx_p", "output"],
  ["serial_gtx_n", "tx_n", "output"],
] as const;
/** The same at the board's cage. */
export const serialPorts = (cage: string, lanes: number) =>
  serialParts.map(([part, ending, direction]) => ({ part, name: `${cage}_${ending}`, direction, high: lanes - 1 }));

/** A MAC with its transceivers. */
export const macPart = (name: string, lanes: number, dataWidth: number): VendorPart => ({
  name,
  ports: [
    inp("init_clk"),
    inp("init_rst"),
    inp("refclk_p"),
    inp("refclk_n"),
    ...serialParts.map(([part, , direction]): VPort => ({ name: part, width: lanes, direction })),
    out("mac_clk"),
    out("mac_rst"),
    ...axis("rx_axis", dataWidth, out, undefined),
    ...axis("tx_axis", dataWidth, inp, out),
  ],
});

/** What the stand-in's template takes. @param isVector of ports that are vectors even where they have one bit */
export const stubOf = ({ name, ports }: VendorPart, isVector: (port: string) => boolean = () => false) => ({
  name,
  ports: ports.map(p => ({
    ...p,
    range: p.width > 1 || p.name.startsWith("serial_") || isVector(p.name),
    high: p.width - 1,
  })),
  outputs: ports.filter(p => p.direction === "output").map(p => ({ name: p.name, zero: `${p.width}'d0` })),
  inputs: ports
    .filter(p => p.direction !== "output")
    .map(p => p.name)
    .join(", "),
});

export const hexBytes = (n: number): string => `0x${n.toString(16)}`;
