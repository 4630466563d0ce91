import * as z from "zod";

/** What is watched and published of a module after synthesis. Of all numbers less is better. */
export const areaFiguresSchema = z.strictObject({
  /** CLB LUTs: logic, distributed memories, shift registers. */
  lut: z.number(),
  ff: z.number(),
  bram: z.number(),
  uram: z.number(),
  dsp: z.number(),
  /** LUT levels of the deepest path. */
  levels: z.number(),
  /** Pieces of carry chains on that path, beside its LUTs; not known of what was synthesized before they were kept. */
  carries: z.number().optional(),
  /** Inputs of cells on the widest net, clocks left out. */
  fanOut: z.number().optional(),
  /** The signals along that path; without lines, which move with every edit. */
  deepest: z.string(),
  /** A hash of the Verilog, the commands and the tool that these figures are of; not known of what was kept before. */
  of: z.string().optional(),
});
export type AreaFigures = z.output<typeof areaFiguresSchema>;
