import * as z from "zod";

/** What is watched and published of a module after synthesis. Of all numbers less is better. */
export const areaFiguresSchema = z.strictObject({
  /** CLB LUTs: logic, distributed memories, shift registers. */
  lut: z.number(),
  ff: z.number(),
  bram: z.number(),
  uram: z.number(),
  dsp: z.number(),
  /** The most LUTs on any path. */
  levels: z.number(),
  /** Carry blocks of the device on the deepest path; not known of what was synthesized before they were kept. */
  carries: z.number().optional(),
  /** Levels of the deepest path, carry blocks counted for what they take; not known of what was measured before. */
  depth: z.number().optional(),
  /** Inputs of cells on the widest net, clocks left out. */
  fanOut: z.number().optional(),
  /** The signals along the deepest path; without lines, which move with every edit. */
  deepest: z.string(),
  /** A hash of the Verilog, the commands and the tool that these figures are of; not known of what was kept before. */
  of: z.string().optional(),
});
export type AreaFigures = z.output<typeof areaFiguresSchema>;
