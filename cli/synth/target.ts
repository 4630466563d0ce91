/** A device that Yosys maps to. */
export interface Target {
  readonly name: string;
  /** How people call the family. */
  readonly family: string;
  /** The Yosys command; out of context: no pads, no clock buffers. */
  readonly command: string;
  /** Marketing's logic cells to one LUT of the device. */
  readonly logicCellsPerLut: number;
  /** Name of one memory block. */
  readonly memoryBlock: string;
  /** Mapped pieces of a carry chain to one carry block of the device. */
  readonly piecesOfCarry: number;
}

const xilinx = (family: string): string => `synth_xilinx -family ${family} -flatten -noiopad -noclkbuf -abc9`;

/**
 * The targets of `mnemo synth`. Logic cells: ZU7EV 504,000 to 230,400 LUTs; 7 series 1.6 (DS180); the small
 * ones count LUT4.
 */
export const targets = {
  xcup: {
    name: "xcup",
    family: "UltraScale+",
    command: xilinx("xcup"),
    logicCellsPerLut: 504_000 / 230_400,
    memoryBlock: "BRAM36",
    // Yosys maps sums to CARRY4 of 4 bits; the device has CARRY8 (UG574), which is two of them.
    piecesOfCarry: 2,
  },
  xc7: {
    name: "xc7",
    family: "7 series",
    command: xilinx("xc7"),
    logicCellsPerLut: 1.6,
    memoryBlock: "BRAM36",
    piecesOfCarry: 1,
  },
  ecp5: {
    name: "ecp5",
    family: "ECP5",
    command: "synth_ecp5 -abc9",
    logicCellsPerLut: 1,
    memoryBlock: "EBR18",
    piecesOfCarry: 1,
  },
  ice40: {
    name: "ice40",
    family: "iCE40 HX",
    command: "synth_ice40 -abc9",
    logicCellsPerLut: 1,
    memoryBlock: "EBR4",
    piecesOfCarry: 1,
  },
} as const satisfies Readonly<Record<string, Target>>;
export type TargetName = keyof typeof targets;
export const targetNames = Object.keys(targets) as readonly TargetName[];
