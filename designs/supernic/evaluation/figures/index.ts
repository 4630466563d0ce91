import type { FigureHook } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { figure59 } from "./5.9.ts";
import { figure514 } from "./5.14.ts";
import { figure515 } from "./5.15.ts";
import { figure520 } from "./5.20.ts";
import { figureCore } from "./core.ts";
import { figureTable51 } from "./table5.1.ts";
export { figure520 } from "./5.20.ts";
export { coreRows } from "./core.ts";
export { type Table51, table51 } from "./table5.1.ts";

/** The figures of the paper's evaluation (5.7) that one device can tell. */
export const supernicFigures: readonly Definition[] = [
  figure59,
  figure514,
  figure515,
  figure520,
  figureCore,
  figureTable51,
];

export const figureHook: FigureHook = {
  definitions: supernicFigures,
  besides: [],
  title: "Figures of the SuperNIC paper",
  introduction: `The device's hardware, clock by clock at 512 bits and 250 MHz, beside what the paper says (sections and figures as in the dissertation's chapter 5).
The paper's numbers are those of its text; nothing is read off its pictures.`,
};
