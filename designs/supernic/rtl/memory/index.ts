/** Virtual memory for network tasks: docs/supernic/memory.md. */
export { MemoryControl } from "./control.ts";
export { Memory, memorySoftwarePorts, memoryWayPorts } from "./memory.ts";
export { PageMover } from "./mover.ts";
export { PageTable, Write } from "./page-table.ts";
export * from "./records.ts";
export { MemoryWithControl } from "./with-control.ts";
export { MemoryWay } from "./way.ts";
/** Parts of a way, which its proofs take apart. */
export { accessOf, type Bounds } from "./way/access.ts";
export { readsBack, writesBack } from "./way/back.ts";
export { atBits, laneBits, levelBits, type WayIo } from "./way/ports.ts";
