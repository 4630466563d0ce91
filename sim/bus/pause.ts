import { Random } from "../../hdl-dsl/index.ts";
import { SimulationError } from "../errors.ts";

/** Back-pressure: asked once per cycle whether to pause in it. With a state it can be part of a checkpoint. */
export interface Pause {
  (): boolean;
  readonly state?: { readonly get: () => readonly number[]; readonly set: (s: readonly number[]) => void };
}

/** The state of the pause of a port, as part of a checkpoint. */
export function pauseState(pause: Pause, port: string): NonNullable<Pause["state"]> {
  if (pause.state === undefined)
    throw new SimulationError(
      `${port}: its pause is a function without a state, which no checkpoint can hold; use never, bernoulli, bursts or pattern`,
    );
  return pause.state;
}

/** Never pauses. */
export const never: Pause = Object.assign(() => false, { state: { get: () => [], set: () => undefined } });

/** Pauses each cycle with probability `p`. */
export function bernoulli(p: number, seed: number): Pause {
  const random = new Random(seed);
  return Object.assign(() => random.chance(p), {
    state: { get: () => random.save(), set: (s: readonly number[]) => random.restore(s) },
  });
}

/**
 * Runs of going and of pausing, each of random length from 1 to the given number of cycles.
 * @param longest.go cycles of going, at most
 * @param longest.pause cycles of pausing, at most
 */
export function bursts(longest: { readonly go: number; readonly pause: number }, seed: number): Pause {
  const random = new Random(seed);
  let paused = true,
    left = 0;
  const next = (): boolean => {
    if (left === 0) {
      paused = !paused;
      left = random.between(1, paused ? longest.pause : longest.go);
    }
    left--;
    return paused;
  };
  return Object.assign(next, {
    state: {
      get: () => [Number(paused), left, ...random.save()],
      set: ([p = 0, l = 0, ...rest]: readonly number[]) => {
        paused = p === 1;
        left = l;
        random.restore(rest);
      },
    },
  });
}

/** A repeated pattern, one character per cycle: `-` goes, `#` pauses. */
export function pattern(text: string): Pause {
  if (!/^[-#]+$/.test(text)) throw new RangeError(`a pause pattern is made of "-" (go) and "#" (pause), got "${text}"`);
  let i = 0;
  return Object.assign(() => text[i++ % text.length] === "#", {
    state: {
      get: () => [i],
      set: ([n = 0]: readonly number[]) => {
        i = n;
      },
    },
  });
}
