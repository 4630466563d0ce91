/**
 * Address translation: TLB, misses under way, the walk of a hashed table of one level, and page faults
 * (Clio, section 4.4.2 and 4.4.3).
 */
export { locatePage } from "./locate-page.ts";
export { MissTable, Served, Verdict } from "./miss-table.ts";
export { PageFault, type PageFaultParameters } from "./page-fault.ts";
export { geometryOf, tableName, TableWalk } from "./table-walk.ts";
export { Mapping, Tlb } from "./tlb.ts";
