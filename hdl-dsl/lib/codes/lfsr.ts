import { input, output } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import { reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { when } from "../../build/statements.ts";
import { linearMap } from "./linear.ts";

/**
 * Bits (1 is the lowest) whose parity comes in, for every width: the longest sequence that there is, 2^width - 1 states
 * (Xilinx XAPP 052).
 */
export const lfsrTaps: Readonly<Record<number, readonly number[]>> = {
  3: [3, 2],
  4: [4, 3],
  5: [5, 3],
  6: [6, 5],
  7: [7, 6],
  8: [8, 6, 5, 4],
  9: [9, 5],
  10: [10, 7],
  11: [11, 9],
  12: [12, 6, 4, 1],
  13: [13, 4, 3, 1],
  14: [14, 5, 3, 1],
  15: [15, 14],
  16: [16, 15, 13, 4],
  17: [17, 14],
  18: [18, 11],
  19: [19, 6, 2, 1],
  20: [20, 17],
  21: [21, 19],
  22: [22, 21],
  23: [23, 18],
  24: [24, 23, 22, 17],
  25: [25, 22],
  26: [26, 6, 2, 1],
  27: [27, 5, 2, 1],
  28: [28, 25],
  29: [29, 27],
  30: [30, 6, 4, 1],
  31: [31, 28],
  32: [32, 22, 2, 1],
  64: [64, 63, 61, 60],
};

/** The state after one step: the tapped bits' parity is shifted in from below. */
export function lfsrStep(width: number, state: bigint): bigint {
  const fed = tapsOf(width).reduce((parity, t) => parity ^ ((state >> BigInt(t - 1)) & 1n), 0n);
  return BigInt.asUintN(width, state << 1n) | fed;
}

function tapsOf(width: number): readonly number[] {
  const taps = lfsrTaps[width];
  if (taps === undefined)
    throw new RangeError(`Lfsr: no taps are known for ${width} bits; choose a width of 3 to 32, or 64`);
  return taps;
}
/** Width and speed of the register. */
export interface LfsrParameters {
  /** 3 to 32, or 64. */
  readonly width: number;
  /** Steps, so new bits, per cycle; 1 when left out. */
  readonly steps?: number;
}

/**
 * Linear feedback shift register of the longest period: `value` takes `steps` steps in a cycle with `en`, and is 1
 * after reset. Never 0. Latency 1 cycle, initiation interval 1.
 */
export const Lfsr = module(
  "Lfsr",
  (p: LfsrParameters) => {
    tapsOf(p.width);
    return { en: input(bit), value: output(uint(p.width)) };
  },
  (io, p) => {
    const state = reg(uint(p.width), { init: 1 });
    when(io.en, () => {
      state.set(
        linearMap(state, p.width, x => {
          for (let i = 0; i < (p.steps ?? 1); i++) x = lfsrStep(p.width, x);
          return x;
        }),
      );
    });
    io.value.set(state);
  },
);
