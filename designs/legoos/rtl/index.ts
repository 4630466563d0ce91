/** The ExCache's hardware. */
export { ExCache } from "./top/ex-cache.ts";
export { Splitter } from "./split/splitter.ts";
export { CompoundNode } from "./top/compound-node.ts";
export { VRegionRouter } from "./miss/router.ts";
export { Ranges } from "./miss/ranges.ts";
export { Receiver } from "./miss/receive.ts";
export { Lookup } from "./lookup/lookup.ts";
export { legoosProofs } from "./proofs.ts";
export { ExCacheControl } from "./top/control.ts";
export { ExCacheDevice } from "./top/device.ts";
