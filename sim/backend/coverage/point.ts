/** What coverage is measured by: places of the source that a bench reached or did not. */
import type { Position } from "../../../hdl-dsl/index.ts";

/**
 * `line`: statements under a condition ran. `state`: a state machine or a register of an enumeration had the value.
 * `rise`, `fall`: bits of a register changed so. `high`, `low`: a port of one bit had the value. `cover`: a cover point
 * held.
 */
export type PointKind = "line" | "state" | "rise" | "fall" | "high" | "low" | "cover";

/** The name of a module as it was defined: what its parameters add stands behind an underscore. */
export const plainName = (name: string): string => name.replace(/(?<=.)_.*$/s, "");

/** One place in one module, whatever its parameters and instances. */
export interface Point {
  readonly kind: PointKind;
  /** The module as it was defined, without parameters. */
  readonly module: string;
  /** The signal and the state, or the cover point's sentence; empty for lines. */
  readonly what: string;
  readonly at: Position | undefined;
  /** The other statements of the same body. */
  readonly lines: readonly number[];
  /** Bits; 1 but for registers. */
  readonly width: number;
  /** Bits that cannot change with these parameters, if there are any. */
  readonly never?: bigint | undefined;
}
