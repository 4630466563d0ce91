import * as z from "zod";
import {
  bytesPowerOfTwo,
  checkSettings,
  keyValues,
  powerOfTwo,
  range,
  refuseUnknown,
  word,
} from "../../shared/settings/index.ts";
import { UsageError } from "../../shared/errors/index.ts";

/** How an ExCache is built (docs/legoos.md, "Settings"). */
export const parametersSchema = z.strictObject({
  /** Sets; with `ways` and `lineBytes` the size. */
  sets: powerOfTwo(2, 65536).default(1024),
  ways: powerOfTwo(2, 512).default(64),
  /** Bytes of a line (LegoOS §3.5.3: 4 KB). */
  lineBytes: bytesPowerOfTwo(128, 4096).default(4096),
  /** Where the lines are: in memory on chip, or behind an AXI4 port. */
  lines: word(["chip", "axi"]).default("chip"),
  /** Misses under way. */
  misses: powerOfTwo(2, 16).default(4),
  /** Requests that wait for misses. */
  waiting: powerOfTwo(2, 64).default(16),
  /** Who leaves a full set: the oldest line, or one that no sweep has seen used. */
  policy: word(["fifo", "lru"]).default("fifo"),
  /**
   * A dirty victim and the fetch: one after the other, at once as two requests, or one request where one node has
   * both.
   */
  flush: word(["serial", "parallel", "piggyback"]).default("piggyback"),
  /** The two copies of a replicated flush: the secondary's first, or both at once. */
  replicas: word(["serial", "parallel"]).default("parallel"),
  /** A region without an owner: its requests wait for software, or are refused. */
  unknown: word(["wait", "refuse"]).default("wait"),
  /** Entries of the map of regions. */
  regions: powerOfTwo(2, 128).default(32),
  nodes: powerOfTwo(2, 16).default(4),
  /** Ranges of anonymous memory, and the lines that all of them have. */
  ranges: powerOfTwo(1, 8).default(4),
  localLines: powerOfTwo(16, 1 << 20).default(65536),
  /** Cycles without an answer before a request is repeated, and how often. */
  timeoutCycles: range(64, 1e6, " cycles").default(4096),
  tries: range(1, 15).default(8),
  /** Cycles between two sets of the sweep that forgets use. */
  sweepCycles: powerOfTwo(2, 65536).default(64),
  /** Bits of an asker's number for a request. */
  idBits: range(1, 16, " bits").default(4),
});
export type Parameters = z.output<typeof parametersSchema>;

/** Bits of a virtual address, of an ASID, and of the region in an address (1 GB, LegoOS §3.4.4). */
export const vaBits = 48,
  asidBits = 16,
  regionShift = 30,
  /** Bytes of a beat: of an access, of the line memory, and of the network. */
  beatBytes = 64;

/** @throws UsageError in one sentence for what cannot be */
export function makeParameters(given: Readonly<Record<string, unknown>> = {}): Parameters {
  refuseUnknown(Object.keys(given), Object.keys(parametersSchema.shape), UsageError);
  return checkSettings(parametersSchema, given, UsageError);
}

/** Parameters from `--set key=value` arguments. @throws UsageError */
export const parseSettings = (args: readonly string[], before: Readonly<Record<string, unknown>> = {}): Parameters =>
  makeParameters({ ...before, ...keyValues(args, "ways=64", UsageError) });

/** What follows from the parameters. */
export function derived(p: Parameters) {
  const lineBits = Math.log2(p.lineBytes),
    setBits = Math.log2(p.sets),
    wayBits = Math.log2(p.ways);
  return {
    lineBits,
    setBits,
    wayBits,
    /** Beats of a line, and bits of a beat's number in it. */
    beats: p.lineBytes / beatBytes,
    beatBits: lineBits - Math.log2(beatBytes),
    /** Bits of a line's number in virtual memory. */
    pageBits: vaBits - lineBits,
    /** Bits of a tag: the ASID, and the line's number above the set. */
    tagBits: asidBits + vaBits - lineBits - setBits,
    /** Bits of a place in the cache. */
    placeBits: setBits + wayBits,
    missBits: Math.log2(p.misses),
    waitBits: Math.log2(p.waiting),
    nodeBits: Math.log2(p.nodes),
  };
}
