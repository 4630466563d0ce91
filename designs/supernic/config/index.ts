/** The device's build parameters, and the formats of its sums. */
export { drfFormat } from "./drf.ts";
export { ConfigError } from "./errors.ts";
export { clockPeriod, makeParameters, parametersSchema, parseParameters, type Parameters } from "./parameters.ts";
