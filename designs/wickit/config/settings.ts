import * as z from "zod";
import { UsageError } from "../../shared/errors/index.ts";
import {
  checkSettings,
  keyValues,
  oneOf,
  powerOfTwo,
  range,
  refuseUnknown,
  word,
} from "../../shared/settings/index.ts";
import { type EngineParameters, usualEngine } from "./parameters.ts";

/** Where programs may run. */
export const placeNames = ["client", "node", "snic"] as const;
/** Bytes of a beat of a SmartNIC's tasks. */
const snicBeat = 64;
const schema = z.object({
  contexts: powerOfTwo(1, 64).default(usualEngine.contexts),
  maxInFlight: range(1, 64).default(usualEngine.maxInFlight),
  yieldCycles: range(0, 65_535).default(usualEngine.yieldCycles),
  programDepth: powerOfTwo(16, 4096).default(usualEngine.programDepth),
  mostSteps: range(1, 65_535).default(usualEngine.mostSteps),
  replyWords: range(1, 8).default(usualEngine.replyWords),
  /** Bytes of a beat: of the node's, or of the client's frames. */
  beatBytes: oneOf([8, 16, 32, 64]).default(64),
  /** Requests that the SmartNIC works on, or whose replies it keeps. */
  slots: powerOfTwo(16, 256).default(64),
  place: word(placeNames).default("client"),
});

export interface Settings {
  readonly engine: EngineParameters;
  readonly beatBytes: number;
  readonly slots: number;
  readonly place: (typeof placeNames)[number];
}

/** Settings from `--set key=value`. @throws UsageError in one sentence for what cannot be */
export function parseSettings(set: readonly string[]): Settings {
  const given = keyValues(set, "contexts=16", UsageError);
  refuseUnknown(Object.keys(given), Object.keys(schema.shape), UsageError);
  const { beatBytes, slots, place, ...engine } = checkSettings(schema, given, UsageError);
  if (place === "snic" && beatBytes !== snicBeat)
    throw new UsageError(
      `beatBytes = ${beatBytes}: the SmartNIC's beats have ${snicBeat} bytes; give beatBytes=${snicBeat}`,
    );
  return { engine, beatBytes, slots, place };
}
