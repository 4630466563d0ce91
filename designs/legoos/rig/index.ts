/** The ExCache with what surrounds it. */
export { ExCacheRig, own, type ExCachePorts, type RigOptions, withExCache } from "./cache/ex-cache-rig.ts";
export { firstRegion, type SystemOptions, withSystem } from "./cache/system.ts";
export { type Played, playLocality, type PlayOptions } from "./cache/play.ts";
export { runVerb } from "./run/verb.ts";
