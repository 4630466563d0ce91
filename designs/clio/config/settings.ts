import type * as z from "zod";
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

/** Letters to change to make one word the other (for "did you mean"). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? 0;
}

function check<S extends z.ZodType>(schema: S, given: Readonly<Record<string, unknown>>): z.output<S> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues
      .map(i => {
        const key = String(i.path[0] ?? ""),
          value = given[key];
        return `${key} = ${typeof value === "string" ? `"${value}"` : String(value)}: ${i.message}`;
      })
      .join("; "),
  );
}

/**
 * Check settings given as an object, build parameters and run-time keys together; missing keys have their defaults.
 * Sizes may be text (`"4MB"`).
 * @throws ConfigError in one sentence: an unknown key, a value out of range with the nearest legal one, or a
 * combination that cannot be.
 */
export function makeSettings(given: Readonly<Record<string, unknown>> = {}): Settings {
  for (const key of Object.keys(given)) {
    if (buildKeys.includes(key) || runKeys.includes(key)) continue;
    const known = [...buildKeys, ...runKeys],
      close = known.reduce((best, k) =>
        distance(key.toLowerCase(), k.toLowerCase()) < distance(key.toLowerCase(), best.toLowerCase()) ? k : best,
      );
    throw new ConfigError(
      `there is no setting "${key}"; ${distance(key.toLowerCase(), close.toLowerCase()) <= 3 ? `did you mean ${close}?` : `the settings are ${known.join(", ")}`}`,
    );
  }
  const pick = (keys: readonly string[]): Record<string, unknown> =>
    Object.fromEntries(Object.entries(given).filter(([k]) => keys.includes(k)));
  const config = deriveConfig(check(parametersSchema, pick(buildKeys))),
    runtime = check(runtimeSchema, pick(runKeys));
  checkPorts(runtime, config.clientPorts);
  return { config, runtime };
}

/**
 * Settings from `--set key=value` arguments.
 * @param before settings from elsewhere (a file), over which those of the arguments go
 * @throws ConfigError as `makeSettings`, and for an argument without `=` or a key given twice.
 */
export function parseSettings(args: readonly string[], before: Readonly<Record<string, unknown>> = {}): Settings {
  const given: Record<string, string> = {};
  for (const arg of args) {
    const at = arg.indexOf("=");
    if (at < 1) throw new ConfigError(`"${arg}" is no setting; write key=value, such as pageSize=4MB`);
    const key = arg.slice(0, at).trim();
    if (key in given)
      throw new ConfigError(
        `${key} is set twice, to "${given[key] ?? ""}" and to "${arg.slice(at + 1)}"; give it once`,
      );
    given[key] = arg.slice(at + 1).trim();
  }
  return makeSettings({ ...before, ...given });
}
