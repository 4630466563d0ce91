import type { AreaFigures } from "../../designs/shared/evaluation/index.ts";
import { totalLuts } from "./area.ts";
import { depthOf, fanOutOf, levelsOf } from "./report.ts";
import type { Synthesized } from "./synthesize.ts";

/** Figures of a synthesized module that are watched and published. */
export const figuresOf = (r: Synthesized): AreaFigures => ({
  lut: totalLuts(r.area),
  ff: r.area.ff,
  bram: r.area.bram,
  uram: r.area.uram,
  dsp: r.area.dsp,
  levels: levelsOf(r),
  carries: r.paths[0]?.carries ?? 0,
  depth: depthOf(r),
  fanOut: fanOutOf(r),
  deepest: r.paths[0]?.nets.map(n => n.name).join(" > ") ?? "",
  ...(r.of === undefined ? {} : { of: r.of }),
});
