/** Rings in memory for the frames of DAGs that wait. Page: docs/supernic/spill.md. */
export { closingOf } from "./closing.ts";
export { offer } from "./offer.ts";
export type { SpillIo } from "./ports.ts";
export { parse, type Parsed } from "./reader.ts";
export { hasRoom, type Ring } from "./rings.ts";
export { Spill } from "./spill.ts";
export { cutRecords } from "./writer.ts";
export { SpillWithControl } from "./with-control.ts";
export {
  busOf,
  frameBeats,
  keptBeats,
  ringBeatBits,
  firstRingByte,
  RingAsk,
  type RingSizes,
  RingState,
  RingWrite,
  sequenceBits,
  SpillCounts,
  type SpillParameters,
  SpillRecord,
} from "./records.ts";
