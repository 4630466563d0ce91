/** Settings of the two lanes beside a memory node. */
export { ConfigError } from "./errors.ts";
export { type Lanes, lanesSchema, makeSettings, parseSettings, type Settings } from "./parameters.ts";
