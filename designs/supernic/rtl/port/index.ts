/** Ways into the device: a port's judge, tables and class queues. */
export { BeatPool } from "./beat-pool.ts";
export { ClassLists, classRings } from "./class-lists.ts";
export { ClassQueues } from "./class-queues.ts";
export { FrameReader } from "./reader.ts";
export {
  classBeats,
  Fate,
  type FateName,
  fates,
  mostBeats,
  Queued,
  queueSizes,
  type QueueParameters,
} from "./records.ts";
export { fateOf, lookUp, matchOf, outcomeOf, PortTables, type RxPortParameters, tablesOf, wantsRoom } from "./fate.ts";
export { RxPort } from "./rx-port.ts";
