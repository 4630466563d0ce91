/** The deparser: packets become frames again. */
export { Deparser } from "./deparser.ts";
export { Inserted, PlainBeat, ShimInsert } from "./insert.ts";
export { lanesTo } from "./lanes.ts";
export { About, type DeparserParameters, Leaving, LeavingBeat, Template, templateBytes } from "./records.ts";
