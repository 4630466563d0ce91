import type { Simulation } from "../simulation.ts";
import type { Recording } from "./recording.ts";

/**
 * Plays a recording from TypeScript, reading all outputs each cycle. @returns seconds and a checksum of all
 * that was read.
 */
export function replay(sim: Simulation, recording: Recording): { readonly seconds: number; readonly checksum: number } {
  const { rows, width, first, cycles } = recording,
    { model } = sim,
    { words } = model;
  const outputs = first + width;
  let sum = 0x811c9dc5;
  const start = performance.now();
  for (let i = 0; i < cycles; i++) {
    const row = i * width;
    for (let k = 0; k < width; k++) words[first + k] = rows[row + k] as number;
    model.step(1);
    for (let k = outputs; k < words.length; k++) sum = Math.imul(sum ^ (words[k] as number), 0x01000193);
  }
  return { seconds: (performance.now() - start) / 1000, checksum: sum >>> 0 };
}
