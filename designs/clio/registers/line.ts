/**
 * The slow path's registers of a node without a processor, whose slow path runs at the other end of its line
 * (board/serial-node.ts). The registers are words of 64 bits behind the page table, in the same page, written and read
 * with the node's own WRITE and READ.
 */

/**
 * The process whose virtual addresses are physical ones. The slow path gives processes numbers from 1 on, so no other
 * process has it.
 */
export const physicalPid = 0;

/**
 * Registers to be written, by word. Word 0 takes a free page's number; word 1 a page to be forgotten (pid in bits 0 to
 * 15, vpn above). Bit 0 of word 2 is whether pages have run out.
 */
export const lineRegister = { freePage: 0, shootdown: 1, outOfMemory: 2 } as const;

/**
 * Read value of every word there: pages in the free-page buffer (and on their way into it), and whether a shootdown
 * is under way.
 */
export const lineStatus = { pages: { lsb: 0, width: 16 }, shooting: { lsb: 16, width: 1 } } as const;
