/** What the monitors count, and the rates that follow from it. */
export { DemandModel } from "./demands.ts";
export type { AdmittedPacket, FairEvents, FairSaid, FairSizes } from "./events.ts";
export { FairModel, type FairRun } from "./loop.ts";
export { UseModel } from "./uses.ts";
