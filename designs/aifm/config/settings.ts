import * as z from "zod";
import { UsageError } from "../../shared/errors/index.ts";
import { checkSettings, keyValues, range, refuseUnknown } from "../../shared/settings/index.ts";

/** A setting that cannot be: one sentence with its name, its value and the remedy. */
export class ConfigError extends UsageError {}

/** The machine and its line. */
export const settingsSchema = z.strictObject({
  /** Gbit/s of the machine's line and the node's: the paper's cards have 25 (section 4). */
  gbps: range(1, 100).default(25),
  /** Cores of the application. */
  cores: range(2, 64).default(4),
  /** MHz of a core, to tell idle time in its cycles: the paper's x1170 machines have 2,400. */
  coreMhz: range(100, 10_000).default(2400),
  /** ns of work between two accesses of a thread. */
  workNs: range(0, 1_000_000).default(500),
  /** ns to switch to a thread that has slept, and of a poller for each completion. Ours: the paper gives neither. */
  switchNs: range(0, 100_000).default(100),
  completeNs: range(0, 100_000).default(50),
});
export type Settings = z.output<typeof settingsSchema>;

/** Settings given as an object; missing ones have their defaults. @throws ConfigError in one sentence */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  refuseUnknown(Object.keys(given), Object.keys(settingsSchema.shape), ConfigError);
  return checkSettings(settingsSchema, given, ConfigError);
}
/** Settings from `--set key=value` arguments. @throws ConfigError as `makeSettings`, and for a key given twice */
export const parseSettings = (args: readonly string[]): Settings =>
  makeSettings(keyValues(args, "gbps=25", ConfigError));
