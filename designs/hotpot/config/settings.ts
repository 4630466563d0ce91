import * as z from "zod";
import { firstOffloadPid } from "../../clio/config/index.ts";
import { UsageError } from "../../shared/errors/index.ts";
import { checkSettings, keyValues, powerOfTwo, range, refuseUnknown } from "../../shared/settings/index.ts";

/** Commits that the task has in flight at most. */
const mostOfTask = 16;
const schema = z.strictObject({
  /** What is built: the engine at a memory node, or the task of a SmartNIC that coordinates. */
  place: z.enum(["node", "snic"], { error: 'must be "node" or "snic"' }).default("node"),
  /** Requests that the node hands to the engine before the first is answered; of the task, commits in flight. */
  contexts: powerOfTwo(2, 64).default(8),
  /** The process that directs the node: it gives lanes, and has it recover. Offloads have the IDs above. */
  director: range(1, firstOffloadPid - 1).default(1),
  /** Owners of a commit, areas at each, and lines of 64 bytes of an area. */
  owners: range(1, 4).default(2),
  areas: range(1, 8).default(4),
  lines: range(1, 16).default(16),
  /** Copies of each page, the owner's among them. */
  copies: range(1, 3).default(2),
});
export type Settings = z.output<typeof schema>;

/** Settings given as an object; missing ones have their defaults. @throws UsageError in one sentence */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  refuseUnknown(Object.keys(given), Object.keys(schema.shape), UsageError);
  const settings = checkSettings(schema, given, UsageError);
  if (settings.place === "snic" && settings.contexts > mostOfTask)
    throw new UsageError(
      `contexts = ${settings.contexts}: the task of a SmartNIC has ${mostOfTask} or fewer; set contexts=${mostOfTask}`,
    );
  return settings;
}
/**
 * Settings from `--set key=value` arguments, over those of a setup. @throws UsageError as `makeSettings`, and for a key
 * given twice
 */
export const parseSettings = (args: readonly string[], setup: Readonly<Record<string, number>> = {}): Settings =>
  makeSettings({ ...setup, ...keyValues(args, "contexts=8", UsageError) });
