/** What a cache of values must hold. */
export { CacheModel, cachePolicies, type CachePolicy } from "./cache.ts";
