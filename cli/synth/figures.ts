import * as z from "zod";
import { totalLuts } from "./area.ts";
import type { Synthesized } from "./synthesize.ts";

/** Figures of a module that are watched and published. Of all numbers less is better. */
export const figuresSchema = z.strictObject({
  /** CLB LUTs: logic, distributed memories, shift registers. */
  lut: z.number(),
  ff: z.number(),
  bram: z.number(),
  uram: z.number(),
  dsp: z.number(),
  /** LUT levels of the deepest path. */
  levels: z.number(),
  /** The signals along that path; without lines, which move with every edit. */
  deepest: z.string(),
});
export type Figures = z.output<typeof figuresSchema>;

export const figuresOf = (r: Synthesized): Figures => ({
  lut: totalLuts(r.area),
  ff: r.area.ff,
  bram: r.area.bram,
  uram: r.area.uram,
  dsp: r.area.dsp,
  levels: r.paths[0]?.levels ?? 0,
  deepest: r.paths[0]?.nets.map(n => n.name).join(" > ") ?? "",
});
