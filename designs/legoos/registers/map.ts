import { register, registerMap } from "../../../hdl-dsl/index.ts";

/** Bits of a byte address of the register space. */
export const registerAddressBits = 8;
/** What is counted, in the order of the registers: events of the look-up, then requests and answers. */
export const counterNames = [
  "hit",
  "miss",
  "merged",
  "waited",
  "refused",
  "dirtyEviction",
  "cleanEviction",
  "blocked",
  "read",
  "write",
  "compound",
  "repeat",
  "local",
  "ignored",
] as const;
export type CounterName = (typeof counterNames)[number];

const counterOf = <N extends CounterName>(name: N, i: number) =>
  register(0x80 + 4 * i, `count_${name}`, `count of the events ${name}`, {
    [`count_${name}`]: [0, 32, "live", "wraps"],
  } as Record<`count_${N}`, [number, number, "live", string]>);

/** The registers of an ExCache: who it is, where regions are, what memory is, what it has to tell, and its counts. */
export const exCacheMap = registerMap({
  name: "ExCache",
  doc: "settings, orders, events and counts",
  addressBits: registerAddressBits,
  registers: [
    register(0x00, "identification", "tells that this is an ExCache", {
      identification: [0, 32, "constant", "the letters EXCA, E lowest"],
    }),
    register(0x04, "version", "of the register map", { version: [0, 32, "constant", "1"] }),
    register(0x08, "build", "what the build has, as powers of two", {
      buildSets: [0, 5, "constant", "sets"],
      buildWays: [8, 4, "constant", "ways"],
      buildLine: [16, 4, "constant", "bytes of a line"],
      buildMisses: [24, 4, "constant", "misses under way"],
    }),
    register(0x0c, "state", "how it is", {
      isReady: [0, 1, "live", "it takes requests"],
      isIdle: [1, 1, "live", "nothing is under way"],
      hasFailed: [2, 1, "live", "the line memory has failed a write"],
      isEvicting: [3, 1, "live", "an eviction has not begun yet"],
      misses: [16, 16, "live", "misses under way, a bit each"],
    }),
    register(0x10, "macLow", "own MAC, low part", { macLow: [0, 32, "rw", "bits 0 to 31"] }),
    register(0x14, "macHigh", "own MAC, high part", { macHigh: [0, 16, "rw", "bits 32 to 47"] }),
    register(0x18, "ip", "own IPv4 address", { ip: [0, 32, "rw", "first number highest"] }),
    register(0x1c, "port", "own UDP port", { port: [0, 16, "rw", "port"] }),
    register(0x20, "firstId", "first number of a request", {
      firstId: [0, 32, "rw", "newer than all of a former life; set before the first request"],
    }),
    register(0x24, "peerMacLow", "a node's MAC, low part", { peerMacLow: [0, 32, "rw", "bits 0 to 31"] }),
    register(0x28, "peerMacHigh", "a node's MAC, high part", { peerMacHigh: [0, 16, "rw", "bits 32 to 47"] }),
    register(0x2c, "peerIp", "a node's IPv4 address", { peerIp: [0, 32, "rw", "first number highest"] }),
    register(0x30, "peer", "a node for setPeer", {
      peerPort: [0, 16, "rw", "its UDP port"],
      peerAt: [16, 4, "rw", "its number"],
    }),
    register(0x34, "regionSpace", "a region for setRegion: whose", { regionAsid: [0, 16, "rw", "ASID"] }),
    register(0x38, "region", "which one", { regionNumber: [0, 18, "rw", "address in units of 1 GB"] }),
    register(0x3c, "regionOwner", "where it is, and its entry", {
      regionAt: [0, 7, "rw", "number of the entry"],
      regionKeep: [8, 1, "rw", "0: the entry is empty"],
      regionNode: [12, 4, "rw", "its node"],
      regionReplicated: [16, 1, "rw", "what is flushed goes to a second node too"],
      regionSecondary: [20, 4, "rw", "that node"],
    }),
    register(0x40, "range", "memory for setRange: whose, of what kind, and its entry", {
      rangeAsid: [0, 16, "rw", "ASID"],
      rangeWritable: [16, 1, "rw", "may be written"],
      rangeAnonymous: [17, 1, "rw", "lines are zero until their first flush, and no node is asked"],
      rangeKeep: [18, 1, "rw", "0: the entry is empty"],
      rangeAt: [20, 3, "rw", "number of the entry"],
    }),
    register(0x44, "rangeFirstLow", "its first line, low part", { rangeFirstLow: [0, 32, "rw", "of its number"] }),
    register(0x48, "rangeFirstHigh", "its first line, high part", { rangeFirstHigh: [0, 9, "rw", "of its number"] }),
    register(0x4c, "rangeLastLow", "its last line, low part", { rangeLastLow: [0, 32, "rw", "of its number"] }),
    register(0x50, "rangeLastHigh", "its last line, high part", { rangeLastHigh: [0, 9, "rw", "of its number"] }),
    register(0x54, "rangeBase", "first of its marks", { rangeBase: [0, 20, "rw", "number of the mark"] }),
    register(0x58, "place", "a place for evict", {
      evictSet: [0, 16, "rw", "its set"],
      evictWay: [16, 9, "rw", "its way"],
    }),
    register(0x5c, "command", "what is done now", {
      setPeer: [0, 1, "pulse", "the node is written"],
      setRegion: [1, 1, "pulse", "the entry of the map of regions is written"],
      setRange: [2, 1, "pulse", "the entry of the ranges is written"],
      evict: [3, 1, "pulse", "the place's line leaves; only while isEvicting is 0"],
      eventSeen: [4, 1, "pulse", "the event has been read"],
    }),
    register(0x60, "event", "the oldest event", {
      eventValid: [0, 1, "live", "there is one"],
      eventKind: [1, 2, "live", "0 region without an owner, 1 flush refused, 2 line lost"],
      eventStatus: [4, 4, "live", "how its node or memory refused"],
      eventAsid: [16, 16, "live", "the line's ASID"],
    }),
    register(0x64, "eventPageLow", "its line, low part", { eventPageLow: [0, 32, "live", "of its number"] }),
    register(0x68, "eventPageHigh", "its line, high part", { eventPageHigh: [0, 9, "live", "of its number"] }),
    ...counterNames.map(counterOf),
  ],
});
