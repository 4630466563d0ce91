/**
 * Configurations of the node that are linted beside the default one: every width, the smallest and largest pages, TLBs, slots, frames and buffers.
 * Each value occurs at least once with those that it takes part in a circuit with; all combinations would be thousands.
 */
export const matrix: readonly (readonly string[])[] = [
  ["dataWidth=64"],
  ["dataWidth=64", "pageSize=1GB", "physicalMemory=4TB", "mtuFrame=9018", "tlbEntries=32"],
  ["dataWidth=128", "pageSize=4KB", "tlbEntries=16", "requestSlots=8", "outstandingMisses=2", "mtuFrame=576", "slotsFactor=1", "clientPorts=1", "retryClients=4", "retryTimeout=100ns", "syncLanes=1", "fences=1"],
  ["dataWidth=128", "pageSize=2MB", "freePageBuffer=4", "slotsFactor=16"],
  ["dataWidth=256", "pageSize=4KB", "mtuFrame=9018"],
  ["dataWidth=256", "pageSize=64MB", "requestSlots=32", "outstandingMisses=4", "freePageBuffer=4096"],
  ["dataWidth=512", "pageSize=4KB", "mtuFrame=9018", "tlbEntries=128", "requestSlots=256", "outstandingMisses=64", "retryClients=256", "retryTimeout=20us", "syncLanes=16", "fences=16"],
  ["dataWidth=512", "pageSize=4MB", "tlbEntries=16", "requestSlots=16", "slotsFactor=8"],
  ["dataWidth=64", "transport=gbn", "gbnSessions=2", "gbnTimeout=4ms", "mtuFrame=576"],
  ["dataWidth=128", "transport=gbn", "gbnSessions=16", "mtuFrame=9018"],
  ["dataWidth=64", "offloads=all", "requestSlots=16"],
  ["dataWidth=256", "offloads=kv,mv", "mtuFrame=9018"],
  ["dataWidth=64", "transport=gbn", "gbnSessions=16", "offloads=all", "requestSlots=16"],
  ["partitions=2"],
  ["partitions=4", "pageSize=4KB", "mtuFrame=9018"],
];
