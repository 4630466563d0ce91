import { UsageError } from "../../shared/errors/index.ts";

/** A setting that cannot be: one sentence with its name, its value and the remedy. */
export class ConfigError extends UsageError {}
