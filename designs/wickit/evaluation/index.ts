/** The figures of WICKit. */
import type { FigureHook } from "../../shared/command-line/index.ts";
import { calibratedFigure } from "./figures/calibrated.ts";
import { partsFigure } from "./figures/parts.ts";
import { placesFigure } from "./figures/places.ts";
import { contextsFigure, lockFigure, yieldFigure } from "./figures/throughput.ts";

export const figureHook: FigureHook = {
  definitions: [partsFigure, placesFigure, lockFigure, calibratedFigure, contextsFigure, yieldFigure],
  besides: [],
  title: "Figures of the WICKit chapter",
  introduction: `The engine clock by clock at 250 MHz, beside what the dissertation says in chapter 3. The numbers are those of its text; nothing is read off its pictures.`,
};
