/** Crossings between clocks, and clocks that the design itself makes. */
export { generatedClock, type GeneratedClockOptions } from "./generated-clock.ts";
export {
  LevelSynchroniser,
  PulseSynchroniser,
  ResetSynchroniser,
  synchronise,
  type SynchroniserOptions,
} from "./synchroniser.ts";
