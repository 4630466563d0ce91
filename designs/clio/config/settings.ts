import { checkSettings, keyValues, refuseUnknown } from "../../shared/settings/index.ts";
import { ConfigError } from "./errors.ts";
import { behindTransport, deriveConfig, type NodeConfig, parametersOf, parametersSchema } from "./parameters.ts";
import { checkPorts, runtimeSchema, type RuntimeSettings } from "./runtime.ts";

/** A build and how it is run. */
export interface Settings {
  readonly config: NodeConfig;
  readonly runtime: RuntimeSettings;
}

/** Settings of the node behind the transport (`behindTransport`), for its slow path and its reference model. */
export function settingsBehindTransport(s: Settings): Settings {
  return s.config.transport === "none"
    ? s
    : { config: deriveConfig(behindTransport(parametersOf(s.config))), runtime: s.runtime };
}

const buildKeys = Object.keys(parametersSchema.shape),
  runKeys = Object.keys(runtimeSchema.shape);

/**
 * Check settings given as an object, build parameters and run-time keys together; missing keys have their defaults.
 * Sizes may be text (`"4MB"`).
 * @throws ConfigError in one sentence: an unknown key, a value out of range with the nearest legal one, or a
 * combination that cannot be.
 */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  refuseUnknown(Object.keys(given), [...buildKeys, ...runKeys], ConfigError);
  const pick = (keys: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(Object.entries(given).filter(([k]) => keys.includes(k)));
  const config = deriveConfig(checkSettings(parametersSchema, pick(buildKeys), ConfigError)),
    runtime = checkSettings(runtimeSchema, pick(runKeys), ConfigError);
  checkPorts(runtime, config.clientPorts);
  return { config, runtime };
}

/**
 * Settings from `--set key=value` arguments.
 * @param before settings from elsewhere (a file), over which those of the arguments go
 * @throws ConfigError as `makeSettings`, and for an argument without `=` or a key given twice.
 */
export function parseSettings(args: readonly string[], before: Readonly<Record<string, unknown>> = {}): Settings {
  return makeSettings({ ...before, ...keyValues(args, "pageSize=4MB", ConfigError) });
}
