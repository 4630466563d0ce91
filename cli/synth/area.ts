import { classOf, type Resource } from "./cells.ts";
import type { Netlist } from "./netlist.ts";

/** Resources of the device that a design takes. */
export type Area = Readonly<Record<Resource, number>>;

const nothing: Area = { lut: 0, lutram: 0, srl: 0, ff: 0, latch: 0, bram: 0, uram: 0, dsp: 0 };

/** Adds up the mapped cells. */
export function areaOf(netlist: Netlist): Area {
  const area: Record<Resource, number> = { ...nothing };
  for (const cell of Object.values(netlist.cells)) {
    const c = classOf(cell.type);
    if (c.resource !== undefined) area[c.resource] += c.amount ?? 0;
  }
  return area;
}

/** The CLB LUTs in use: logic, distributed memories and shift registers. */
export const totalLuts = (a: Area): number => a.lut + a.lutram + a.srl;
