/** Rings in memory for the frames of DAGs that wait. Page: docs/supernic/spill.md. */
export { Spill } from "./spill.ts";
export { SpillWithControl } from "./with-control.ts";
export {
  busOf,
  firstRingByte,
  RingAsk,
  type RingSizes,
  RingState,
  RingWrite,
  SpillCounts,
  type SpillParameters,
} from "./records.ts";
