/** The catalogue of the library as data: what `docs/catalogue.md` is made of. */
import type { CatalogueEntry } from "./entry.ts";
import { streamEntries } from "./streams.ts";
import { unitEntries } from "./units.ts";

export type { CatalogueEntry, Timing } from "./entry.ts";
/** Every unit, group by group. */
export const catalogue: readonly CatalogueEntry[] = [...streamEntries, ...unitEntries];
