/** The ExCache's hardware. */
export { ExCache } from "./ex-cache.ts";
export { Splitter } from "./splitter.ts";
export { VRegionRouter } from "./miss/router.ts";
export { Lookup } from "./lookup/lookup.ts";
