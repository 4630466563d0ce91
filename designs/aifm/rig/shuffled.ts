import type { Random } from "../../../sim/index.ts";

/** The same, each order equally likely. */
export function shuffled<T>(all: readonly T[], random: Random): T[] {
  const out = [...all];
  for (let i = out.length - 1; i > 0; i--) {
    const j = random.between(0, i);
    [out[i], out[j]] = [out[j] as T, out[i] as T];
  }
  return out;
}
