import { Random } from "../../hdl-dsl/index.ts";

/** Back-pressure: asked once per cycle whether to pause in it. */
export type Pause = () => boolean;

/** Never pauses. */
export const never: Pause = () => false;

/** Pauses each cycle with probability `p`. */
export function bernoulli(p: number, seed: number): Pause {
  const random = new Random(seed);
  return () => random.chance(p);
}

/** Runs of going and of pausing, each of random length from 1 to the given number of cycles. */
export function bursts(longest: { readonly go: number; readonly pause: number }, seed: number): Pause {
  const random = new Random(seed);
  let paused = true,
    left = 0;
  return () => {
    if (left === 0) {
      paused = !paused;
      left = random.between(1, paused ? longest.pause : longest.go);
    }
    left--;
    return paused;
  };
}

/** A repeated pattern, one character per cycle: `-` goes, `#` pauses. */
export function pattern(text: string): Pause {
  if (!/^[-#]+$/.test(text)) throw new RangeError(`a pause pattern is made of "-" (go) and "#" (pause), got "${text}"`);
  let i = 0;
  return () => text[i++ % text.length] === "#";
}
