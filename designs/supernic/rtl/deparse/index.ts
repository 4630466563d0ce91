/** The deparser: packets become frames again. */
export { Deparser } from "./deparser.ts";
export type { DeparserParameters } from "./records.ts";
