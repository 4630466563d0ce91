import * as z from "zod";
import { checkSettings, keyValues, powerOfTwo, range, refuseUnknown } from "../../shared/settings/index.ts";
import { ConfigError } from "./errors.ts";

/** The stage, and what moves under it. */
export const settingsSchema = z.strictObject({
  /** Bytes and writes that the stage has room for. */
  stageBytes: powerOfTwo(1024, 2 ** 26).default(65_536),
  stageWrites: range(1, 65_536).default(256),
  /** Staged writes of a region on their way to its node at a time. */
  window: range(1, 64).default(8),
  /** Regions at the node that one has to leave, and pages of 4 KB that each has. */
  regions: range(2, 16).default(6),
  pages: range(1, 32).default(4),
  /** Threads that read and write, one operation after another. */
  threads: range(1, 64).default(6),
  /** Writes among a hundred operations: the paper's SYS workload has 25. */
  writes: range(1, 99).default(25),
});
export type Settings = z.output<typeof settingsSchema>;

/** Settings given as an object; missing ones have their defaults. @throws ConfigError in one sentence */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  refuseUnknown(Object.keys(given), Object.keys(settingsSchema.shape), ConfigError);
  return checkSettings(settingsSchema, given, ConfigError);
}
/** Settings from `--set key=value` arguments. @throws ConfigError as `makeSettings`, and for a key given twice */
export const parseSettings = (args: readonly string[]): Settings =>
  makeSettings(keyValues(args, "window=8", ConfigError));
