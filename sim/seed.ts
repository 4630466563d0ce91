import { environment } from "./host.ts";

/** A whole number of 32 bits of the environment; undefined when it is not set. */
function wordFromEnvironment(name: string): number | undefined {
  const text = environment(name);
  if (text === undefined || text === "") return undefined;
  const n = Number(text);
  if (!Number.isInteger(n) || n < 0 || n > 0xffff_ffff) {
    throw new RangeError(
      `${name} must be a whole number from 0 to 4294967295, got "${text}"; unset it or give such a number`,
    );
  }
  return n;
}

/** The seed of a run: `MNEMO_SEED` of the environment when set, else `fallback`. */
export const seedFromEnvironment = (fallback: number): number => wordFromEnvironment("MNEMO_SEED") ?? fallback >>> 0;

/**
 * The seed of what registers and memories without an initial value begin with: that of the run, unless
 * `MNEMO_POWER_UP` is set. Traffic stays as it was, so what fails depends on what nobody has written.
 */
export function powerUpSeed(seed: number): number {
  const other = wordFromEnvironment("MNEMO_POWER_UP");
  return other === undefined ? seed : (seed ^ Math.imul(other + 1, 0x9e37_79b1)) >>> 0;
}

/** What a failure says behind its seed, so that the line runs it again; empty when `MNEMO_POWER_UP` is not set. */
export function powerUpSaid(): string {
  const other = wordFromEnvironment("MNEMO_POWER_UP");
  return other === undefined ? "" : ` MNEMO_POWER_UP=${other}`;
}
