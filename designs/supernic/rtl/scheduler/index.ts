/** The central scheduler, as far as it is there: credits, and where flows go. */
export { type CreditParameters, CreditTable, RegionSlots } from "./credit-table.ts";
export { Flow, type FlowParameters, FlowTable } from "./flow-table.ts";
