/** Settings of a replicated commit. */
export { makeSettings, parseSettings, type Settings } from "./settings.ts";
