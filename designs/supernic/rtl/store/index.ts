/** The packet store: payloads in cells, in four banks. */
export { BackList } from "./back-list.ts";
export { CellList } from "./cell-list.ts";
export { PacketStore } from "./packet-store.ts";
export { Reaper } from "./reaper.ts";
export { BackBeat, FirstCell, ownersBits, StoreBeat, StoreEvents, StoreJob, type StoreParameters } from "./records.ts";
