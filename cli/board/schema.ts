import * as z from "zod";

/** A ball of the device and what is connected there. */
const pin = z.strictObject({
  port: z.string().regex(/^\w+(\[\d+\])?$/),
  pin: z.string().regex(/^[A-Z]{1,2}\d{1,2}$/),
  /** I/O standard; none for transceivers and for pins that the vendor's IP sets. */
  standard: z.string().optional(),
  note: z.string().optional(),
});
const name = z.string().regex(/^[a-z]\w*$/);
const direction = z.enum(["input", "output", "inout"]);
const address = z.string().regex(/^0x[0-9a-fA-F]+$/);

const common = {
  /** Name of the board for `mnemo board`. */
  name,
  /** The design that is on it, by the name that it has in cli/designs.ts. */
  design: name,
  title: z.string(),
  use: z.string(),
  part: z.string(),
  /** Published documents that the pins are taken from. */
  sources: z.array(z.string()).min(1),
  /** Facts that could not be confirmed and are left out therefore. */
  unconfirmed: z.array(z.string()),
  pins: z.array(pin),
};

const xilinx = z.strictObject({
  kind: z.literal("xilinx"),
  ...common,
  /** Vivado's name of the board, without version. */
  boardPart: z.string().optional(),
  /** Build parameters of the design, as `--set`. */
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  mac: z.strictObject({
    kind: z.enum(["cmac", "xxv"]),
    gigabits: z.number(),
    lanes: z.number().int(),
    transceiver: z.enum(["GTH", "GTY"]),
    lane0: z.string(),
    /** The cage's ports are `<serial>_rx_p` and so on; `refclk` has _p and _n, its period in ns. */
    serial: name,
    refclk: name,
    refclkNs: z.number(),
    width: z.number().int(),
  }),
  memory: z.strictObject({
    clock: name,
    clockNs: z.number(),
    ports: z.array(z.strictObject({ name, width: z.number().int().min(1), direction })),
    part: z.string().optional(),
    width: z.number().int(),
    interface: z.string().optional(),
  }),
  /** The way to the processor, and where it sees the node's registers, the slow path's port and memory. */
  soc: z.strictObject({ kind: z.enum(["zynq", "xdma", "jtag"]), control: address, port: address, dram: address }),
  /** Pins that are held at a value. */
  controls: z.array(z.strictObject({ port: z.string(), value: z.number().int().min(0).max(1), note: z.string() })),
});

/** Between several MACs of the vendor, all on chip: no memory of the board's. */
const ports = z.strictObject({
  kind: z.literal("ports"),
  ...common,
  /** Build parameters of the design, as `--set`. */
  parameters: z.record(z.string(), z.union([z.string(), z.number()])),
  /** Where all clocks but the MACs' come from; it has _p and _n. */
  clock: z.strictObject({ name, ns: z.number() }),
  /** By port. */
  macs: z
    .array(
      z.strictObject({
        gigabits: z.literal(100),
        lanes: z.literal(4),
        transceiver: z.literal("GTY"),
        lane0: z.string(),
        serial: name,
        refclk: name,
        refclkNs: z.number(),
      }),
    )
    .min(1),
  /** The way to the processor, and where it sees the registers and software's frames. */
  soc: z.strictObject({ kind: z.literal("jtag"), control: address, frames: address }),
  /** Pins that are held at a value. */
  controls: z.array(z.strictObject({ port: name, value: z.number().int().min(0).max(1), note: z.string() })),
});

const ice40 = z.strictObject({
  kind: z.literal("ice40"),
  ...common,
  /** As nextpnr and icepack name it. */
  device: z.string(),
  package: z.string(),
  clockMHz: z.number(),
  baud: z.number().int(),
  /** The board's choices for the design, which declares the possible ones. */
  node: z.record(z.string(), z.number()),
});

/** A board as data: constraints/boards/<name>.json. No ball may be given twice, nor a port. */
export const boardSchema = z.discriminatedUnion("kind", [xilinx, ports, ice40]).superRefine((b, context) => {
  for (const what of ["pin", "port"] as const) {
    const seen = new Set<string>();
    for (const p of b.pins) {
      if (seen.has(p[what]))
        context.addIssue({ code: "custom", message: `${what} ${p[what]} is given twice`, path: ["pins"] });
      seen.add(p[what]);
    }
  }
});
export type Board = z.output<typeof boardSchema>;
export type XilinxBoard = Extract<Board, { kind: "xilinx" }>;
export type Ice40Board = Extract<Board, { kind: "ice40" }>;
export type PortsBoard = Extract<Board, { kind: "ports" }>;
