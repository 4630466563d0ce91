export { locatePage } from "./locate-page.ts";
export { MissTable, verdict } from "./miss-table.ts";
export { PageFault, type PageFaultParameters } from "./page-fault.ts";
export { geometryOf, tableName, TableWalk } from "./table-walk.ts";
export { Tlb } from "./tlb.ts";
