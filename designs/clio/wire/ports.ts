/** UDP ports of the node (wire-format.md "Stack"); the first two are defaults of node parameters. */
export const udpPorts = { native: 1200, published: 1234, publishedCount: 1024, monitor: 10000 } as const;
