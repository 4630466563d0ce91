/**
 * A configuration that cannot be: one sentence naming the fields, their values and the nearest legal one. The CLI ends
 * with exit code 2.
 */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
