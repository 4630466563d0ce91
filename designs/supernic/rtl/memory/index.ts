/** Virtual memory for network tasks: docs/supernic/memory.md. */
export { MemoryControl } from "./control.ts";
export { Memory, memorySoftwarePorts, memoryWayPorts } from "./memory.ts";
export { PageMover } from "./mover.ts";
export { PageTable, Write } from "./page-table.ts";
export * from "./records.ts";
export { MemoryWithControl } from "./with-control.ts";
export { MemoryWay } from "./way.ts";
export * from "./way/index.ts";
