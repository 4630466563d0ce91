/** The I2C bus (UM10204) as both sides see it: two filtered lines, and what happens on them. */
import { input, output } from "../../types/ports.ts";
import { bit } from "../../types/shape.ts";
import type { Bit, UIntVar } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { edgesOf, filteredLine } from "./line.ts";

/** The two lines: their levels, and 1 where this side pulls one low. Nobody drives them high. */
export const i2cLines = {
  sclIn: input(bit),
  sdaIn: input(bit),
  sclLow: output(bit),
  sdaLow: output(bit),
} as const;

/** What the lines do in this cycle, 3 to 4 cycles after it happened. */
export interface I2cBus {
  readonly scl: Bit;
  readonly sda: Bit;
  readonly sclRose: Bit;
  readonly sclFell: Bit;
  /** `sda` fell while `scl` was high. */
  readonly start: Bit;
  /** `sda` rose while `scl` was high. */
  readonly stop: Bit;
}
/** The lines, filtered, and their conditions (UM10204, 3.1.4). */
export function watchI2c(lines: { readonly sclIn: Bit; readonly sdaIn: Bit }): I2cBus {
  const scl = filteredLine(lines.sclIn, "scl"),
    sda = filteredLine(lines.sdaIn, "sda");
  const clock = edgesOf(scl, "scl"),
    data = edgesOf(sda, "sda");
  const high = node(scl.andNot(clock.rose), { name: "scl_stays_high" });
  return {
    scl,
    sda,
    sclRose: clock.rose,
    sclFell: clock.fell,
    start: high.and(data.fell),
    stop: high.and(data.rose),
  };
}

/** Registers of single bits that reset clears, one for each name. */
export function clearedBits<const N extends readonly string[]>(...names: N): { readonly [K in keyof N]: UIntVar<1> } {
  // A register for each name, so as many as there are names.
  return names.map(name => reg(bit, { init: 0, name })) as { readonly [K in keyof N]: UIntVar<1> };
}
