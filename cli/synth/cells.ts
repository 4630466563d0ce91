/**
 * The cells of the targets' libraries: their cost on the device, and the way of signals through them. `lut`: one level.
 * `wide`: a multiplexer behind LUTs. `carry`: a piece of a carry chain. `lutram`: written by the clock, read through
 * like a LUT. `invert`: drawn into the LUT before or after it by the vendor's tools. `state`: paths end and begin
 * (registers, memories, DSP blocks, black boxes).
 */
export type CellKind = "lut" | "wide" | "carry" | "lutram" | "invert" | "state";
/** Resources that are counted; `bram` in blocks of the target (a half one counts 0.5), `lutram` and `srl` in LUTs. */
export type Resource = "lut" | "lutram" | "srl" | "ff" | "latch" | "bram" | "uram" | "dsp";
export interface CellClass {
  readonly kind: CellKind;
  readonly resource?: Resource;
  readonly amount?: number;
}

/**
 * LUTs of the distributed memories (UG574, UG474): the flow's 8 for RAM32M16 and RAM64M8, and the smaller
 * ones. ECP5: FPGA-TN-02200.
 */
const lutrams: Readonly<Partial<Record<string, number>>> = {
  RAM32M16: 8,
  RAM64M8: 8,
  RAM32X16DR8: 8,
  RAM64X8SW: 8,
  RAM32M: 4,
  RAM64M: 4,
  RAM32X1D: 2,
  RAM64X1D: 2,
  RAM128X1D: 4,
  RAM256X1D: 8,
  RAM32X1S: 1,
  RAM64X1S: 1,
  RAM128X1S: 2,
  RAM256X1S: 4,
  RAM512X1S: 8,
  TRELLIS_DPR16X4: 4,
};
const patterns: readonly (readonly [RegExp, CellClass])[] = [
  [/^(?:SB_)?LUT[1-6]$/, { kind: "lut", resource: "lut", amount: 1 }],
  [/^INV$/, { kind: "invert" }],
  [/^(?:MUXF[789]|PFUMX|L6MUX21)$/, { kind: "wide" }],
  [/^(?:CARRY[48]|SB_CARRY)$/, { kind: "carry" }],
  [/^CCU2C$/, { kind: "carry", resource: "lut", amount: 2 }],
  [/^SRLC?(?:16|32)E$/, { kind: "lutram", resource: "srl", amount: 1 }],
  [/^FD[RSCP]E(?:_1)?$|^TRELLIS_FF$|^SB_DFF/, { kind: "state", resource: "ff", amount: 1 }],
  [/^LD[CP]E$/, { kind: "state", resource: "latch", amount: 1 }],
  [/^RAMB36E[12]$/, { kind: "state", resource: "bram", amount: 1 }],
  [/^RAMB18E[12]$/, { kind: "state", resource: "bram", amount: 0.5 }],
  [/^(?:DP16KD|PDPW16KD|SB_RAM40_4K\w*)$/, { kind: "state", resource: "bram", amount: 1 }],
  [/^(?:URAM288\w*|SB_SPRAM256KA)$/, { kind: "state", resource: "uram", amount: 1 }],
  [/^(?:DSP48E[12]|MULT18X18D|ALU54B|SB_MAC16)$/, { kind: "state", resource: "dsp", amount: 1 }],
];

/** @param type of a mapped cell; one that is not known is a black box */
export function classOf(type: string): CellClass {
  const lutram = lutrams[type];
  if (lutram !== undefined) return { kind: "lutram", resource: "lutram", amount: lutram };
  return patterns.find(([p]) => p.test(type))?.[1] ?? { kind: "state" };
}
