import type { EmittedDesign, EmittedPort } from "../../hdl-dsl/index.ts";
import { SimulationError } from "../errors.ts";
import type { PortSlot } from "./backend.ts";

/** Lanes before the first port; see `native/abi.h` for what each holds. */
export const HEADER_WORDS = 32;
export const MAX_CLOCKS = 8;

/**
 * The block of memory that a model and its bench share: header, then inputs, then outputs, each port on 32-bit lanes.
 */
export interface BlockLayout {
  readonly words: number;
  readonly slots: ReadonlyMap<string, PortSlot>;
  readonly clocks: readonly EmittedPort[];
}

/** Lays the ports out in declaration order, so that the fields of one payload lie side by side. */
export function layoutOf(design: EmittedDesign): BlockLayout {
  const slots = new Map<string, PortSlot>();
  const clocks = design.ports.filter(p => p.role === "clock");
  if (clocks.length > MAX_CLOCKS) {
    throw new SimulationError(`${design.top} has ${clocks.length} clocks; the harness drives at most ${MAX_CLOCKS}`);
  }
  let word = HEADER_WORDS;
  for (const dir of ["in", "out"] as const) {
    for (const port of design.ports) {
      if (port.dir !== dir || port.role === "clock") continue;
      const words = Math.ceil(port.width / 32);
      slots.set(port.name, { port, word, words });
      word += words;
    }
  }
  return { words: word, slots, clocks };
}
