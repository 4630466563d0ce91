/** Clock domains of clocks that are made inside a module, each with a reset that ends in step. */
import type { ClockDomain } from "../../ir/circuit.ts";
import { snakeCase } from "../../ir/snake-case.ts";
import type { Bit } from "../../types/value.ts";
import { clockSignal, makeDomain, resetSignal } from "../../build/clock-domain.ts";
import { instance } from "../../build/module.ts";
import { ResetSynchroniser } from "./synchroniser.ts";
/** A clock that is made inside, and when its domain is reset. */
export interface GeneratedClockOptions {
  /** An output of a black box (PLL, clock buffer), or of a module that hands such a one out. */
  readonly clock: Bit;
  /** Of any clock or none, often `pll.locked.not()`: the domain is reset at once when it is 1. */
  readonly resetWhen: Bit;
  /** Style of the registers in the domain. */
  readonly reset?: "sync" | "async";
  /** Edges of the clock between the end of `resetWhen` and that of the reset, 2 or more. */
  readonly stages?: number;
}

/**
 * A clock domain of a clock that is made inside the module, with a reset of its own: a `ResetSynchroniser` ends it
 * `stages` edges after `resetWhen` has ended.
 */
export function generatedClock(name: string, o: GeneratedClockOptions): ClockDomain {
  const stages = o.stages ?? 2,
    own = snakeCase(name);
  if (stages < 2)
    throw new RangeError(`generatedClock: ${stages} stages do not settle a metastable bit; use 2 or more`);
  const clock = clockSignal(name, o.clock);
  const raw = makeDomain(name, clock, "async", resetSignal(name, `${own}_raw_rst`, o.resetWhen), true);
  const { reset } = instance(`${own}_reset`, ResetSynchroniser({ stages }), { domains: { to: raw } });
  return makeDomain(name, clock, o.reset ?? "sync", resetSignal(name, `${own}_rst`, reset));
}
