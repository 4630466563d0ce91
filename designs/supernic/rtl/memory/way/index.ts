/** Parts of a task's way to memory, as `MemoryWay` joins them and proofs take them apart. */
export { type Access, accessOf, type Bounds } from "./access.ts";
export { readsBack, writesBack } from "./back.ts";
export { atBits, laneBits, levelBits, type WayIo } from "./ports.ts";
