/** Counters of the slow path itself, in the order in which QUERY_STAT gives them after the hardware's counters. */
export interface SoftwareCounter {
  readonly name: SoftwareCounterName;
  readonly doc: string;
}

const list = {
  processes: "processes there are",
  tableEntries: "page table entries in use",
  freeFrames: "frames that no page has, those in the hardware's free-page buffer not counted",
  allocations: "ALLOC done",
  allocationsRefused: "ALLOC refused",
  allocationRetries: "candidate ranges given up because a bucket would have overflowed (paper Fig. 4.13)",
  mostAllocationRetries: "the most of them for one ALLOC",
  lastAllocationRetries: "those of the last ALLOC",
  keys: "keys of Clio-KV",
  repliesRepeated: "repeated requests answered with the remembered reply",
  requestsUnderWay: "requests refused as BUSY: the same was under way, or no client could be forgotten for a new one",
  requestsExpired: "requests refused as EXPIRED: too late to tell whether they were done",
  offloadResets: "resets of offloads that were stuck",
  offloadsDown: "offloads kept in reset, since they were stuck too often",
} as const;
export type SoftwareCounterName = keyof typeof list;
export const softwareCounters: readonly SoftwareCounter[] = Object.entries(list).map(([name, doc]) => ({
  name: name as SoftwareCounterName,
  doc,
}));
export type SoftwareStatistics = Readonly<Record<SoftwareCounterName, number>>;
