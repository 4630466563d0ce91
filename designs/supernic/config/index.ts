/** The device's build parameters. */
export { ConfigError } from "./errors.ts";
export { clockPeriod, makeParameters, parametersSchema, parseParameters, type Parameters } from "./parameters.ts";
