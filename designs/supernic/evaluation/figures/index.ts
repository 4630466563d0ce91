import type { FigureHook } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { figure58 } from "./5.8.ts";
import { figure59 } from "./5.9.ts";
import { figure510 } from "./5.10.ts";
import { figure511 } from "./5.11.ts";
import { figure512 } from "./5.12.ts";
import { figure513 } from "./5.13.ts";
import { figure514 } from "./5.14.ts";
import { figure515 } from "./5.15.ts";
import { figure516 } from "./5.16.ts";
import { figure517 } from "./5.17.ts";
import { figure518 } from "./5.18.ts";
import { figure519, vpcFigure } from "./5.19.ts";
import { figure520 } from "./5.20.ts";
import { besides } from "./besides.ts";
import { figureCore } from "./core.ts";
import { figureTable51 } from "./table5.1.ts";
export { besides, vpcFigure };
export { figure520 } from "./5.20.ts";
export { coreRows } from "./core.ts";
export { coreOfTwoPorts, type Table51, table51 } from "./table5.1.ts";

const order = (d: Definition): number => Number(d.number.split(".")[1] ?? Infinity);

/** The figures of the paper's evaluation (5.7) in its order, then what its text and table tell. */
export const supernicFigures: readonly Definition[] = [
  ...[
    figure58,
    figure59,
    figure510,
    figure511,
    figure512,
    figure513,
    figure514,
    figure515,
    figure516,
    figure517,
    figure518,
    figure519,
    figure520,
  ].sort((a, b) => order(a) - order(b)),
  figureCore,
  figureTable51,
];

export const figureHook: FigureHook = {
  definitions: supernicFigures,
  besides,
  title: "Figures of the SuperNIC paper",
  introduction: `The device's hardware, clock by clock at 512 bits and 250 MHz, and a model in steps of an epoch for what takes seconds, beside what the paper says (sections and figures as in the dissertation's chapter 5).
The paper's numbers are those of its text; nothing is read off its pictures.`,
};
