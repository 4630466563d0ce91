/** In a browser the built-in simulator runs every design. */
import type { WaveFormat } from "./backend.ts";
import { builtinBackend } from "./builtin/builtin.ts";

export const chosenBackend = builtinBackend;
export const backendForWave = (): typeof builtinBackend => builtinBackend;
export const waveFormatOf = (): WaveFormat => "vcd";
