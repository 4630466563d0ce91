/** Settings of a machine that swaps objects with a memory node. */
export { ConfigError, makeSettings, parseSettings, type Settings, settingsSchema } from "./settings.ts";
