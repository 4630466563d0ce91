/** The deparser: packets become frames again. */
export { Deparser } from "./deparser.ts";
export { Inserted, PlainBeat, ShimInsert } from "./insert.ts";
export { type DeparserParameters, Leaving, Left, PayloadJob, Template, templateBytes } from "./records.ts";
