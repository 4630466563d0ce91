/** The machine whose memory is far: units that are fetched and written back, and cores that poll for them. */
export { type CoreTimes, type CoreUse, Cores, type Stage, stages } from "./cores.ts";
export { type FarBytes, FarStore, type FarStoreOptions } from "./far-store.ts";
