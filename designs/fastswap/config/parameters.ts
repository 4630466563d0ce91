import * as z from "zod";
import { checkSettings, keyValues, powerOfTwo, range, refuseUnknown } from "../../shared/settings/index.ts";
import { ConfigError } from "./errors.ts";

/** Bytes of a beat. */
const beatBytes = 64;

/** How the lanes are built. Depths are in beats of 64 bytes. */
export const lanesSchema = z.strictObject({
  /** The bit of a client's UDP port that is 0 for critical operations and 1 for prefetches: one for each queue pair. */
  classBit: range(0, 15).default(0),
  /** Towards the node: requests, and pages that are written back. */
  criticalIn: powerOfTwo(32, 4096).default(256),
  bulkIn: powerOfTwo(32, 4096).default(256),
  /** From the node: replies. A window of eight pages is 576 beats. */
  criticalOut: powerOfTwo(32, 4096).default(256),
  bulkOut: powerOfTwo(32, 4096).default(1024),
  /** Critical frames that may pass a prefetch that waits; 0: any number. */
  patience: range(0, 255).default(64),
});
export type Lanes = z.output<typeof lanesSchema>;

export interface Settings {
  readonly lanes: Lanes;
}

/** Settings given as an object; missing ones have their defaults. @throws ConfigError in one sentence */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  refuseUnknown(Object.keys(given), Object.keys(lanesSchema.shape), ConfigError);
  const lanes = checkSettings(lanesSchema, given, ConfigError);
  return { lanes };
}
/** Settings from `--set key=value` arguments. @throws ConfigError as `makeSettings`, and for a key given twice */
export const parseSettings = (args: readonly string[]): Settings =>
  makeSettings(keyValues(args, "patience=64", ConfigError));
export { beatBytes };
