/**
 * The catalogue's own facts about a unit; the rest of its page comes from the unit's doc comment, its
 * ports and measurements.
 */
import type { Def } from "../build/module.ts";

/** How a unit is timed with nothing paused: the same value sent again and again into one port. */
export interface Timing {
  /** A sink and a source of the definition. */
  readonly from: string;
  readonly to: string;
  /** Values that are sent: zeros where left out. */
  readonly send?: Readonly<Record<string, number>>;
}

/** A unit of the library for the catalogue: what it is, where it stands, what is measured of it. */
export interface CatalogueEntry {
  /** As it is called in TypeScript. */
  readonly name: string;
  readonly group: string;
  /** Purpose, a few words. */
  readonly what: string;
  /** File that has its doc comment, from the project's folder; the comment of the export of that name. */
  readonly source: string;
  /** A usual choice of parameters, or the combinator within a module: the measurements are of it. */
  readonly def: Def;
  /** In words, what was chosen for the measurement. */
  readonly example: string;
  /** Cycles from going in to coming out when nothing stalls; in words where clocks or packets decide. */
  readonly latency: number | string;
  /** Cycles from one transfer to the next. */
  readonly interval: number | string;
  /** How a test finds latency and interval; left out for units without streams. */
  readonly timing?: Timing;
  /** Names (up to the first comma) of its proofs; the unit's own when left out. */
  readonly proofs?: readonly string[];
}
