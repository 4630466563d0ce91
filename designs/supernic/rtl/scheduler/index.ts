/** The central scheduler, as far as it is there: credits, where flows go, whose turn it is, and the join. */
export { type CreditParameters, CreditTable, RegionSlots } from "./credit-table.ts";
export { Decision, type DecisionParameters } from "./decision.ts";
export { Flow, FlowAsk, FlowLeave, FlowMark, type FlowParameters, FlowTable } from "./flows/index.ts";
export { Join, type JoinParameters } from "./join.ts";
export { Choice, type PickParameters, PickTurn } from "./pick-turn.ts";
export { Candidate, Reserve, Starting } from "./reserve.ts";
export { SchedulerInside, type SchedulerParameters, schedulerPorts, TableWrite, ToSchedule } from "./ports.ts";
export { Scheduler } from "./scheduler.ts";
export { Enqueue } from "./enqueue.ts";
export { openQueues, Queues, queuesPorts } from "./queues.ts";
