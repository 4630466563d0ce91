/** How loads of endpoints rise and fall together (paper §5.2.1, §5.7.2: low and high correlation). */
import type { Random } from "../../../hdl-dsl/index.ts";
import { normal } from "./distributions.ts";

export interface SpikeOptions {
  readonly endpoints: number;
  /** Times, each with a load of its own. */
  readonly slots: number;
  /** Of the logarithm of a load. */
  readonly sigma: number;
  /** Correlation of two endpoints' logarithms, 0 to 1: the part of their variance that all have in common. */
  readonly common: number;
}
/** Parts of variance in common that the figures run with (design: supernic.md, section 6). */
export const correlations = { low: 0.1, high: 0.9 } as const;

/** Lognormal factors of mean 1, by endpoint and slot. */
export function spikes({ endpoints, slots, sigma, common }: SpikeOptions, random: Random): number[][] {
  const rows = Array.from({ length: endpoints }, (): number[] => []);
  for (let slot = 0; slot < slots; slot++) {
    const together = normal(random);
    for (const row of rows) {
      const z = Math.sqrt(common) * together + Math.sqrt(1 - common) * normal(random);
      row.push(Math.exp(sigma * z - sigma ** 2 / 2));
    }
  }
  return rows;
}
