/** What is measured of a rack. */
import type { BenchFigure } from "../../shared/command-line/index.ts";
import { measurePaths, measureSpeed, pathReport, speedReport } from "./path.ts";

export { measurePaths, pathReport };

export const benchFigures: readonly BenchFigure[] = [
  {
    name: "path",
    counts: "cycles",
    measure: async seed => {
      const value = await measurePaths(seed);
      return { value, text: pathReport(value) };
    },
  },
  {
    name: "rackSimulation",
    counts: "growth",
    measure: async seed => {
      const value = await measureSpeed(seed);
      return { value, text: speedReport(value) };
    },
  },
];
