import type { FigureHook } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { figure44 } from "./4.4.ts";
import { figure45 } from "./4.5.ts";
import { figure46 } from "./4.6.ts";
import { figure47 } from "./4.7.ts";
import { figure48 } from "./4.8.ts";
import { figure49 } from "./4.9.ts";
import { figure410 } from "./4.10.ts";
import { figure411 } from "./4.11.ts";
import { figure412 } from "./4.12.ts";
import { figure413 } from "./4.13.ts";
import { figure414 } from "./4.14.ts";
import { figure415 } from "./4.15.ts";
import { figure416 } from "./4.16.ts";
import { figure417 } from "./4.17.ts";
import { figure418 } from "./4.18.ts";
import { figure419 } from "./4.19.ts";
import { figure420 } from "./4.20.ts";
import { absent } from "./absent.ts";
import { besides } from "./besides.ts";
export { besides };

const order = (d: Definition): number => Number(d.number.split(".")[1]);

/** The figures of the paper's evaluation (4.7), in its order. */
export const clioFigures: readonly Definition[] = [
  figure44,
  figure45,
  figure46,
  figure47,
  figure48,
  figure49,
  figure410,
  figure411,
  figure412,
  figure413,
  figure414,
  figure415,
  figure416,
  figure417,
  figure418,
  figure419,
  figure420,
  ...absent,
].sort((a, b) => order(a) - order(b));

/** The figures for `mnemo figures`, and what their page says first. */
export const figureHook: FigureHook = {
  definitions: clioFigures,
  besides,
  title: "Figures of the Clio paper",
  introduction: `The memory node's hardware, clock by clock at 512 bits and 250 MHz, beside what the paper says (Shan, Guo et al., ASPLOS 2022; sections and figures as in the dissertation's chapter 4).
The paper's numbers are those of its text; nothing is read off its pictures.`,
};
