/** The catalogue of the library as data: the source of `docs/catalogue.md`. */
import type { CatalogueEntry } from "./entry.ts";
import { peripheralEntries } from "./peripherals.ts";
import { streamEntries } from "./streams.ts";
import { unitEntries } from "./units.ts";

export type { CatalogueEntry, Timing } from "./entry.ts";
/** Every unit, group by group. */
export const catalogue: readonly CatalogueEntry[] = [...streamEntries, ...unitEntries, ...peripheralEntries];
