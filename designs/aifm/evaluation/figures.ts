import type { FigureHook } from "../../shared/command-line/index.ts";
import type { Definition } from "../../shared/evaluation/index.ts";
import { locality } from "./locality.ts";
import { polling } from "./polling.ts";
import { swapFigures } from "./swap.ts";

export const aifmFigures: readonly Definition[] = [...swapFigures, locality, polling];

export const figureHook: FigureHook = {
  definitions: aifmFigures,
  besides: [],
  title: "objects in far memory (AIFM over RDMA)",
  introduction:
    "Objects of 64 B to 64 KB beside pages of 4 KB at the memory node, clock by clock at 512 bits and 250 MHz, over lines of 25 Gbit/s; and who polls for completions.",
};
