/** The central scheduler, as far as it is there: credits. */
export { type CreditParameters, CreditTable, RegionSlots } from "./credit-table.ts";
