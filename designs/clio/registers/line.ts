/**
 * The slow path's registers of a node that has no processor beside it and whose slow path runs at the other end of its
 * line (board/serial-node.ts): words of 64 bits behind the page table, in the same page, written and read with the
 * node's own WRITE and READ.
 */

/**
 * The process whose virtual addresses are physical ones. The slow path gives processes numbers from 1 on, so it
 * is nobody else's.
 */
export const physicalPid = 0;

/**
 * Registers to be written, by word: a free page's number; a page to be forgotten (pid in bits 0 to 15, vpn above);
 * whether pages have run out (bit 0).
 */
export const lineRegister = { freePage: 0, shootdown: 1, outOfMemory: 2 } as const;

/**
 * What every word there reads as: pages in the free-page buffer (and on their way into it), and whether a shootdown
 * is under way.
 */
export const lineStatus = { pages: { lsb: 0, width: 16 }, shooting: { lsb: 16, width: 1 } } as const;
