/** The ExCache's hardware. */
export { ExCache } from "./ex-cache.ts";
export { Splitter } from "./splitter.ts";
export { CompoundNode } from "./compound-node.ts";
export { VRegionRouter } from "./miss/router.ts";
export { Lookup } from "./lookup/lookup.ts";
