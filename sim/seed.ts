import { environment } from "./host.ts";

/** The seed of a run: `MNEMO_SEED` of the environment when set, else `fallback`. */
export function seedFromEnvironment(fallback: number): number {
  const text = environment("MNEMO_SEED");
  if (text === undefined || text === "") return fallback >>> 0;
  const n = Number(text);
  if (!Number.isInteger(n) || n < 0 || n > 0xffff_ffff) {
    throw new RangeError(
      `MNEMO_SEED must be a whole number from 0 to 4294967295, got "${text}"; unset it or give such a number`,
    );
  }
  return n;
}
