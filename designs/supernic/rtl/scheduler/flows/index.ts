/** Where flows go: the table, its marks, and what it is asked and told. */
export { Flow, FlowAsk, FlowLeave, FlowMark, type FlowParameters } from "./flow-records.ts";
export { FlowTable } from "./flow-table.ts";
