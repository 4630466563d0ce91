/** The ExCache with what surrounds it. */
export { ExCacheRig, own, type ExCachePorts, type RigOptions, withExCache } from "./ex-cache-rig.ts";
export { firstRegion, type SystemOptions, withSystem } from "./system.ts";
export { type Played, playLocality, type PlayOptions } from "./play.ts";
export { runVerb } from "./run/verb.ts";
