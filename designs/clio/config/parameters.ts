import * as z from "zod";
import { accessBody, frameOffsets, udpPorts } from "../wire/index.ts";
import { gbnHeader } from "../../shared/go-back-n/wire/index.ts";
import {
  bytesOneOf,
  bytesPowerOfTwo,
  nanoseconds,
  oneOf,
  powerOfTwo,
  range,
  word,
  words,
} from "../../shared/settings/index.ts";
import { TableError, type TableGeometry } from "../../shared/virtual-memory/table/index.ts";
import { tableOf } from "./address-space.ts";
import { clockPeriod } from "./clock.ts";
import { ConfigError } from "./errors.ts";

const MB = 2 ** 20,
  GB = 2 ** 30,
  TB = 2 ** 40;

/**
 * Offloads that a build can have, in the paper's order (§4.6): pointer chase, key-value store, multi-version
 * objects, data analytics.
 */
export const offloadNames = ["chase", "kv", "mv", "df"] as const;
export type OffloadName = (typeof offloadNames)[number];

/** Transports of a build, and the most sessions that the wire format can name. */
/** Nanoseconds: 8,192 cycles. */
const gbnTimeoutDefault = 32_768;
const transports = ["none", "gbn"] as const,
  mostSessions = 2 ** gbnHeader.fields.srcSlot.bits;

/**
 * Build parameters of the node (clio.md "Parameters"); every default is the paper's. A build is a different Verilog.
 */
export const parametersSchema = z.strictObject({
  /** Bits of the data path: one beat of the network and of the memory. */
  dataWidth: oneOf([64, 128, 256, 512]).default(512),
  /** Bytes of a page. */
  pageSize: bytesOneOf([4096, 2 * MB, 4 * MB, 64 * MB, GB]).default(4 * MB),
  /** Bytes of DRAM, the page table's included. */
  physicalMemory: bytesPowerOfTwo(MB, 4 * TB).default(2 * GB),
  /** Page table slots per physical page. */
  slotsFactor: oneOf([1, 2, 4, 8, 16]).default(4),
  /** Entries of the TLB (a CAM with true LRU). */
  tlbEntries: powerOfTwo(16, 128).default(64),
  /** Misses to different pages in flight. */
  outstandingMisses: powerOfTwo(2, 64).default(16),
  /** Zeroed frames kept ready for page faults. */
  freePageBuffer: powerOfTwo(4, 4096).default(64),
  /** Bytes of the largest frame, without FCS. */
  mtuFrame: range(576, 9018, " bytes").default(1536),
  /** Requests in flight in the fast path. */
  requestSlots: powerOfTwo(8, 256).default(64),
  /** Clients whose writes and atomics are distinguished from their retries at a time. */
  retryClients: powerOfTwo(4, 256).default(64),
  /** Nanoseconds after which a client repeats a request, for which the retry buffer is sized (paper §4.4.5). */
  retryTimeout: nanoseconds(100, 1e6).default(4000),
  /** Atomics and pointer fetches in flight. */
  syncLanes: powerOfTwo(1, 16).default(4),
  /** Fences that wait at a time. */
  fences: powerOfTwo(1, 16).default(4),
  /** Frames that can wait on their way to the slow path. */
  slowPathRing: powerOfTwo(4, 256).default(16),
  /** Consecutive UDP ports of the published client's sessions. */
  clientPorts: range(1, udpPorts.publishedCount).default(udpPorts.publishedCount),
  /** Reliability of the network: none (CLib repeats requests, as in the paper), or Go-Back-N sessions in the node. */
  transport: word(transports).default("none"),
  /** Go-Back-N sessions, number 0 (management, which has no state) among them. */
  gbnSessions: powerOfTwo(2, mostSessions).default(mostSessions),
  /**
   * After this without an ACK a session's frames go out again. Peers that acknowledge every 100th packet and without a
   * timer, as the published library does, want as much as the published board has: 4 ms.
   */
  gbnTimeout: nanoseconds(gbnTimeoutDefault, 16e6).default(gbnTimeoutDefault),
  /** Offloads on the extend path, slot 0 first; requests of no offload go to the software. */
  offloads: words(offloadNames).default("none"),
  /**
   * Number of partitions of the node. Partitions share nothing of the fast path but the line and the memory, and those
   * in fixed turns. Processes in different partitions do not change each other's timing. 1: one node for all.
   */
  partitions: oneOf([1, 2, 4]).default(1),
  /**
   * Process IDs below it can have a key, without which nobody acts for the process (docs/clio/process-keys.md). 0: the
   * build has no keys, as in the paper.
   */
  processKeys: oneOf([0, 256, 1024, 4096, 16384, 65536]).default(0),
  /**
   * Entries of the table of when each region was written last (docs/valet.md). 0: the build has no such table, and the
   * slow path looks for what changes, as without it.
   */
  activityRegions: oneOf([0, 64, 256, 1024, 4096]).default(0),
});
/**
 * `partitions`, `gbnTimeout`, `processKeys` and `activityRegions` are present only in a build whose value is not the
 * default. So the Verilog of a default build does not change by a letter.
 */
export type Parameters = Omit<
  z.output<typeof parametersSchema>,
  "partitions" | "gbnTimeout" | "processKeys" | "activityRegions"
> & {
  readonly partitions?: number;
  readonly gbnTimeout?: number;
  readonly processKeys?: number;
  readonly activityRegions?: number;
};
/**
 * Cycles after which a Go-Back-N session's frames go out again: `gbnTimeout`, rounded up to whole rounds of the timer
 * over all sessions.
 */
export const gbnTimeoutCycles = (p: Pick<Parameters, "gbnTimeout" | "gbnSessions">): number =>
  Math.ceil((p.gbnTimeout ?? gbnTimeoutDefault) / clockPeriod / p.gbnSessions) * p.gbnSessions;
/** Partitions of a build: 1, 2 or 4. */
export const partitionsOf = (p: Pick<Parameters, "partitions">): number => p.partitions ?? 1;

/** Process IDs of a build that can have a key: those below this number. */
export const processKeysOf = (p: Pick<Parameters, "processKeys">): number => p.processKeys ?? 0;

/** Entries of a build's table of written regions; 0: it has none. */
export const activityRegionsOf = (p: Pick<Parameters, "activityRegions">): number => p.activityRegions ?? 0;

/** Bytes that a frame takes on the wire beside its own: preamble 8, FCS 4, gap 12. */
const wireOverhead = 24;
/** Bounds of the retry buffer, entries. */
const fewestRetryEntries = 64,
  mostRetryEntries = 65536;

/**
 * Operations to remember (paper §4.4.5: 3 x TIMEOUT x bandwidth). That is the number of one-byte writes that the data
 * path takes in three timeouts, rounded up to a power of two. The default: 3 x 4 us x 128 Gbit/s / 95 bytes = 2,021,
 * so 2,048 entries.
 */
function retryEntries({ retryTimeout, dataWidth }: Pick<Parameters, "retryTimeout" | "dataWidth">): number {
  const smallestWrite = frameOffsets.body + accessBody.bytes + 1 + wireOverhead;
  const frames = (((3 * retryTimeout) / clockPeriod) * dataWidth) / 8 / smallestWrite;
  return Math.min(mostRetryEntries, Math.max(fewestRetryEntries, 2 ** Math.ceil(Math.log2(frames))));
}

/** Bytes of the transport's header in a frame. */
const transportBytes = (p: Pick<Parameters, "transport">): number => (p.transport === "gbn" ? gbnHeader.bytes : 0);

/**
 * The node behind its transport: it sees frames without the transport's header. Without a transport it is
 * the node itself.
 */
export function behindTransport(p: Parameters): Parameters {
  if (p.transport === "none") return p;
  const { gbnTimeout: _, ...node } = p;
  return { ...node, mtuFrame: p.mtuFrame - transportBytes(p), transport: "none", gbnSessions: mostSessions };
}

/** Resources that partitions divide among them, with the least that a node can have. */
const divided = { requestSlots: 8, tlbEntries: 16, outstandingMisses: 2, freePageBuffer: 4 } as const;
/**
 * The node that stands in each partition, with its share of slots, TLB entries, misses and free pages. The share of
 * sync lanes and fences is at least one of each. Without partitions it is the node itself.
 */
export function ofPartition(p: Parameters): Parameters {
  const { partitions: _, ...node } = p,
    n = partitionsOf(p),
    share = (of: number): number => Math.max(1, of / n);
  return {
    ...node,
    requestSlots: share(p.requestSlots),
    tlbEntries: share(p.tlbEntries),
    outstandingMisses: share(p.outstandingMisses),
    freePageBuffer: share(p.freePageBuffer),
    syncLanes: share(p.syncLanes),
    fences: share(p.fences),
  };
}
/**
 * The partition of a process is the low bits of its PID, so the choice of the PID places the process. Frames without a
 * PID (ARP, ICMP and what is no request) are partition 0's.
 */
export const partitionOfProcess = (p: Pick<Parameters, "partitions">, pid: number): number => pid % partitionsOf(p);

function checkPartitions(p: Parameters): void {
  const n = partitionsOf(p);
  if (n === 1) return;
  if (processKeysOf(p) > 0)
    throw new ConfigError(
      `partitions = ${n} with processKeys = ${processKeysOf(p)} is not built yet; set partitions = 1 or processKeys = 0`,
    );
  if (p.dataWidth !== 512)
    throw new ConfigError(
      `partitions = ${n} needs a frame's process ID in its first beat, and dataWidth = ${p.dataWidth} is too narrow for that; set dataWidth = 512, or partitions = 1`,
    );
  if (p.transport !== "none")
    throw new ConfigError(
      `partitions = ${n} with transport = ${p.transport} is not built yet; set partitions = 1 or transport = none`,
    );
  if (p.offloads !== "none")
    throw new ConfigError(
      `partitions = ${n} with offloads = ${p.offloads} is not built yet; set partitions = 1 or offloads = none`,
    );
  for (const [name, least] of Object.entries(divided) as [keyof typeof divided, number][]) {
    if (p[name] / n < least) {
      throw new ConfigError(
        `${name} = ${p[name]} leaves less than ${least} for each of partitions = ${n}; the nearest is ${name} = ${least * n}`,
      );
    }
  }
}

/** The table's ports are those of a plain node: what stands around one does not hand them through. */
function checkActivity(p: Parameters): void {
  if (activityRegionsOf(p) === 0) return;
  for (const [name, value, plain] of [
    ["partitions", partitionsOf(p), 1],
    ["transport", p.transport, "none"],
    ["offloads", p.offloads, "none"],
  ] as const)
    if (value !== plain)
      throw new ConfigError(
        `activityRegions = ${activityRegionsOf(p)} with ${name} = ${value} is not built yet; set ${name} = ${plain} or activityRegions = 0`,
      );
}

/** A build: its parameters and all that follows from them. */
export interface NodeConfig extends Parameters {
  readonly partitions: number;
  readonly gbnTimeout: number;
  readonly processKeys: number;
  readonly activityRegions: number;
  readonly vaBits: number;
  readonly vpnBits: number;
  readonly ppnBits: number;
  readonly pageShift: number;
  readonly physAddrBits: number;
  /** Bytes of a beat, and bits that select a byte in it. */
  readonly beatBytes: number;
  readonly beatShift: number;
  /** Beats of the largest frame (with the transport's header). */
  readonly frameBeats: number;
  /** Largest `length` of a READ or WRITE, bytes: the room of the largest frame after its headers. */
  readonly maxData: number;
  /** Pages that one access can touch. */
  readonly maxPagesPerRequest: number;
  readonly table: TableGeometry;
  readonly tableBase: number;
  readonly tableBytes: number;
  /** Frames that pages can have: `firstPpn` to `firstPpn + usablePages - 1`. */
  readonly firstPpn: number;
  readonly usablePages: number;
  /** Operations that the retry buffer remembers, and cycles of `retryTimeout`. */
  readonly retryEntries: number;
  readonly retryCycles: number;
  /** The free-page buffer requests more pages when it holds this many or fewer. */
  readonly freePageLowWater: number;
}

/** Process IDs from here up are those of offloads, by slot: the slow path gives them to no other process. */
export const firstOffloadPid = 0xff00;
/**
 * Process IDs from here up to `firstOffloadPid` are a monitor's to give, where there is one; those below, the node's
 * own. One ID is one protection domain.
 */
export const firstMonitorPid = 0x8000;
/** The offloads of a build, slot 0 first. */
export const offloadsOf = ({ offloads }: Pick<Parameters, "offloads">): readonly OffloadName[] =>
  offloads === "none" ? [] : (offloads.split(",") as OffloadName[]);

/** Just the parameters of a build. */
export function parametersOf(c: NodeConfig): Parameters {
  const absent: Readonly<Record<string, boolean>> = {
    partitions: c.partitions === 1,
    gbnTimeout: c.gbnTimeout === gbnTimeoutDefault,
    processKeys: c.processKeys === 0,
    activityRegions: c.activityRegions === 0,
  };
  const names = Object.keys(parametersSchema.shape).filter(k => absent[k] !== true);
  // In two steps: that the names are all of the parameters is what the schema says, not a type.
  return Object.fromEntries(names.map(k => [k, c[k as keyof Parameters]])) as Partial<Parameters> as Parameters;
}

/**
 * Work out what follows from the parameters.
 * @throws ConfigError when they contradict each other: one sentence naming the fields and the nearest legal value.
 */
export function deriveConfig(p: Parameters): NodeConfig {
  let table: TableGeometry;
  try {
    table = tableOf(p);
  } catch (e) {
    if (e instanceof TableError) throw new ConfigError(e.message);
    throw e;
  }
  const beatBytes = p.dataWidth / 8,
    maxData = p.mtuFrame - frameOffsets.body - accessBody.bytes - transportBytes(p);
  if (p.transport === "none" && p.gbnSessions !== mostSessions) {
    throw new ConfigError(
      `gbnSessions = ${p.gbnSessions} has no meaning with transport = none; set transport = gbn too, or leave gbnSessions = ${mostSessions}`,
    );
  }
  if (p.transport === "none" && (p.gbnTimeout ?? gbnTimeoutDefault) !== gbnTimeoutDefault) {
    throw new ConfigError(
      `gbnTimeout = ${p.gbnTimeout} has no meaning with transport = none; set transport = gbn too, or leave gbnTimeout = ${gbnTimeoutDefault}`,
    );
  }
  checkPartitions(p);
  checkActivity(p);
  if (p.outstandingMisses > p.requestSlots) {
    throw new ConfigError(
      `outstandingMisses = ${p.outstandingMisses} is more than requestSlots = ${p.requestSlots} requests can need; the nearest is outstandingMisses = ${p.requestSlots}`,
    );
  }
  if (p.outstandingMisses > p.tlbEntries) {
    throw new ConfigError(
      `outstandingMisses = ${p.outstandingMisses} is more than tlbEntries = ${p.tlbEntries} can take in; the nearest is outstandingMisses = ${p.tlbEntries}`,
    );
  }
  return {
    ...p,
    partitions: partitionsOf(p),
    gbnTimeout: p.gbnTimeout ?? gbnTimeoutDefault,
    processKeys: processKeysOf(p),
    activityRegions: activityRegionsOf(p),
    vaBits: table.vaBits,
    vpnBits: table.vpnBits,
    ppnBits: table.ppnBits,
    pageShift: table.pageShift,
    physAddrBits: Math.log2(p.physicalMemory),
    beatBytes,
    beatShift: Math.log2(beatBytes),
    frameBeats: Math.ceil(p.mtuFrame / beatBytes),
    maxData,
    maxPagesPerRequest: 1 + Math.ceil((maxData - 1) / p.pageSize),
    table,
    tableBase: table.tableBase,
    tableBytes: table.tableBytes,
    firstPpn: table.firstPpn,
    usablePages: table.usablePages,
    retryEntries: retryEntries(p),
    retryCycles: Math.ceil(p.retryTimeout / clockPeriod),
    freePageLowWater: p.freePageBuffer / 2,
  };
}
