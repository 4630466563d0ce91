import { UsageError } from "../../shared/errors/index.ts";

/** A configuration that cannot be: one sentence naming the fields, their values and the remedy. */
export class ConfigError extends UsageError {
  override readonly name = "ConfigError";
}
