/** The smallest page table that its geometry allows, for proofs in which its content does not count. */
export const table = { pageSize: 64, physicalMemory: 2 ** 10, slotsFactor: 1, vaBits: 12, pidBits: 1 } as const;
