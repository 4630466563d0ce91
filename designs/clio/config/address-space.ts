import { tableGeometry, type TableGeometry, type TableParameters } from "../../shared/virtual-memory/table/index.ts";

/** The node's virtual addresses and process IDs, as the wire format has them. */
export const addressSpace = { vaBits: 50, pidBits: 16 } as const;

/** What of the page table a build chooses. */
export type TableChoice = Omit<TableParameters, keyof typeof addressSpace>;

/** The parameters of the page table in the node's address space, and no others. */
export const tableParameters = ({ pageSize, physicalMemory, slotsFactor }: TableChoice): TableParameters => ({
  pageSize,
  physicalMemory,
  slotsFactor,
  ...addressSpace,
});
/** The page table of a build. @throws TableError when its parts do not fit */
export const tableOf = (p: TableChoice): TableGeometry => tableGeometry(tableParameters(p));
