/**
 * The first five bytes of the MAC addresses of a node's own offloads, first byte highest; the sixth is the slot's
 * number. The group bit (bit 0 of the first byte) is set, which no sender's address may have: a frame from outside
 * whose sender has it is dropped, so nobody can pass for an offload.
 */
export const internalPrefix = 0x0343_4c49_4fn;
export const internalPrefixBits = 40;

/** UDP ports of the node (wire-format.md "Stack"); the first two are defaults of node parameters. */
export const udpPorts = { native: 1200, published: 1234, publishedCount: 1024, monitor: 10000 } as const;
