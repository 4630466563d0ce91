/** Settings of a stage before two memory nodes. */
export { ConfigError } from "./errors.ts";
export { makeSettings, parseSettings, type Settings } from "./settings.ts";
