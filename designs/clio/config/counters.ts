/**
 * The node's counters, in the order of QUERY_STAT and of the register map. One list for the hardware, the slow path,
 * the model and the statistics. Every frame that comes in ends in exactly one of: a reply, a hand-over to the slow
 * path, or one `drop` counter. `exact`: the reference model gives the same number; the others depend on timing (hits
 * and misses of a run with several requests in flight).
 */
export interface Counter {
  readonly name: string;
  readonly exact: boolean;
  readonly doc: string;
}

const exact = (name: string, doc: string) => ({ name, exact: true, doc }) as const;
const timed = (name: string, doc: string) => ({ name, exact: false, doc }) as const;

const list = {
  rxFrames: exact("rxFrames", "frames received"),
  txFrames: exact("txFrames", "frames sent, the slow path's too"),
  dropLong: exact("dropLong", "longer than mtuFrame"),
  dropFcs: exact("dropFcs", "marked bad by the MAC and no request that could be answered with NACK"),
  dropShort: exact("dropShort", "ends inside a header"),
  dropMac: exact("dropMac", "another destination MAC"),
  dropEtherType: exact("dropEtherType", "neither IPv4 nor ARP"),
  dropArp: exact("dropArp", "no ARP request for the node's address"),
  dropIpHeader: exact("dropIpHeader", "IPv4 version or header length wrong"),
  dropIpOptions: exact("dropIpOptions", "IPv4 options"),
  dropIpChecksum: exact("dropIpChecksum", "IPv4 header checksum wrong"),
  dropFragment: exact("dropFragment", "IPv4 fragment"),
  dropIp: exact("dropIp", "another destination IPv4 address"),
  dropLength: exact("dropLength", "IPv4 and UDP lengths contradict each other or the frame"),
  dropProtocol: exact("dropProtocol", "neither UDP nor ICMP"),
  dropIcmp: exact("dropIcmp", "ICMP other than an echo request"),
  dropPort: exact("dropPort", "a UDP port that is not the node's"),
  dropSource: exact(
    "dropSource",
    "a sender that is the node itself or no single station: own or group MAC address; own, broadcast, multicast or no IPv4 address",
  ),
  dropReply: exact(
    "dropReply",
    "a reply that is not for the slow path: a status, an opcode of replies, or one that both have from a port of a node's",
  ),
  dropRule: exact("dropRule", "the match-and-action table says so"),
  arpReplies: exact("arpReplies", "ARP requests answered"),
  icmpReplies: exact("icmpReplies", "ICMP echo requests answered"),
  nacks: exact("nacks", "requests that came corrupt"),
  malformed: exact("malformed", "requests refused as MALFORMED by the hardware"),
  invalid: exact("invalid", "accesses without a mapping"),
  writePermission: exact("writePermission", "writes to a page that is not writable"),
  readPermission: exact("readPermission", "reads of a page that is not readable"),
  outOfMemory: exact("outOfMemory", "accesses that found no free page"),
  busy: timed("busy", "requests refused because the way to the slow path was full"),
  unanswered: exact("unanswered", "requests without a reply (WRITE_NOREPLY) that failed; counted by reason too"),
  pingpongs: exact("pingpongs", "PINGPONG answered"),
  reads: exact("reads", "READ done"),
  writes: exact("writes", "WRITE done"),
  writesNoReply: exact("writesNoReply", "WRITE_NOREPLY done"),
  atomics: exact("atomics", "TAS, CAS, FAA and STORE done"),
  dereferences: exact("dereferences", "pointers fetched for DEREF_READ and DEREF_WRITE"),
  fences: timed("fences", "FENCE done"),
  readBytes: exact("readBytes", "bytes read"),
  writeBytes: exact("writeBytes", "bytes written"),
  slowRequests: exact("slowRequests", "requests handed to the slow path"),
  extendRequests: exact("extendRequests", "requests handed to the extend path"),
  pageFaults: exact("pageFaults", "pages that got their frame on first use"),
  tlbHits: timed("tlbHits", "translations found in the TLB"),
  tlbMisses: timed("tlbMisses", "translations that were not"),
  missesMerged: timed("missesMerged", "misses that waited for another's fetch of the same page"),
  bucketFetches: timed("bucketFetches", "page table buckets read"),
  tlbEvictions: timed("tlbEvictions", "TLB entries replaced"),
  retriesAnswered: timed("retriesAnswered", "repeated writes and atomics answered from the retry buffer"),
  retriesBusy: timed("retriesBusy", "repeated writes and atomics refused because the first is still under way"),
  retriesExpired: timed(
    "retriesExpired",
    "writes and atomics refused because it can no longer be told whether they were done",
  ),
  retryEvictions: timed("retryEvictions", "operations that the retry buffer has forgotten for newer ones"),
  retryClientsReplaced: timed("retryClientsReplaced", "idle clients that the retry buffer has forgotten for others"),
  shootdowns: exact("shootdowns", "TLB shootdowns acknowledged"),
  offload0Requests: timed("offload0Requests", "requests that the offload in slot 0 got"),
  offload1Requests: timed("offload1Requests", "requests that the offload in slot 1 got"),
  offload2Requests: timed("offload2Requests", "requests that the offload in slot 2 got"),
  offload3Requests: timed("offload3Requests", "requests that the offload in slot 3 got"),
  offload0Accesses: timed("offload0Accesses", "memory requests of the offload in slot 0"),
  offload1Accesses: timed("offload1Accesses", "memory requests of the offload in slot 1"),
  offload2Accesses: timed("offload2Accesses", "memory requests of the offload in slot 2"),
  offload3Accesses: timed("offload3Accesses", "memory requests of the offload in slot 3"),
  offloadBusy: timed(
    "offloadBusy",
    "requests for offloads refused because there was no room, or because the first of them was still being done",
  ),
  offloadRepeated: timed("offloadRepeated", "repeated requests for offloads answered as the first was"),
  tableWriteErrors: exact(
    "tableWriteErrors",
    "page table entries that the memory refused to take (AXI error), each try; they are written again",
  ),
} as const;
export type CounterName = keyof typeof list;
export const counters: readonly Counter[] = Object.values(list);
export const counterNames = Object.keys(list) as readonly CounterName[];
/** Why a frame is dropped. */
export type DropReason = Extract<CounterName, `drop${string}`>;
