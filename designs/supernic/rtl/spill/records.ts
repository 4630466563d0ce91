/** Sizes of the spill, and what its parts hand on. Page: docs/supernic/spill.md. */
import { type Axi4Parameters, bit, bitsFor, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { flowHashBits } from "../../wire/index.ts";
import { beatBytes, dagBits, type DeviceSizes, inlets, lengthBits, userBits } from "../inside/index.ts";

export interface RingSizes {
  /** Rings, 1 to 8: DAGs whose frames may lie in memory at once. */
  readonly rings: number;
  /** Bytes of a ring, a power of two, at least four chunks. */
  readonly ringBytes: number;
  /** Bytes of the board's memory, a power of two; the rings are its last bytes. */
  readonly memoryBytes: number;
}
export interface SpillParameters extends RingSizes, Pick<DeviceSizes, "ports" | "frameBytes" | "users"> {}

/** Beats of a burst at most: who shares the bus waits for no more. */
export const burstBeats = 16;
/** Beats of a chunk: it begins with a word that says where in it a record begins. No burst leaves its chunk. */
export const chunkBeats = 64;
export const chunkBits = Math.log2(chunkBeats);
/** Bursts of each kind that have not been answered, at most. */
export const mostBursts = 8;
/** Cycles for which a ring's frame is shown to the merge, until that class queue has its turn. */
export const showCycles = 256;
/** Cycles in which a head is not valid when another frame is shown in its place: the merge looks two cycles ahead. */
export const gapCycles = 2;

/** Beats of the longest frame. */
export const frameBeats = (p: Pick<SpillParameters, "frameBytes">): number => Math.ceil(p.frameBytes / beatBytes);
export const frameBeatBits = (p: Pick<SpillParameters, "frameBytes">): number => bitsFor(frameBeats(p));
/** Beats that wait for the memory, and those of each ring that wait for the merge: two of the longest records. */
export const keptBeats = (p: Pick<SpillParameters, "frameBytes">): number =>
  Math.max(2 * burstBeats, 2 ** Math.ceil(Math.log2(2 * (frameBeats(p) + 1))));
export const ringBeatBits = (p: Pick<SpillParameters, "ringBytes">): number => Math.log2(p.ringBytes / beatBytes);
export const ringBits = (p: Pick<SpillParameters, "rings">): number => Math.max(1, Math.ceil(Math.log2(p.rings)));
/** Bits of a frame's number in its ring: a record has two beats and more. */
export const sequenceBits = (p: Pick<SpillParameters, "ringBytes">): number => ringBeatBits(p);
/** Beats that a ring must have free to take a frame: all that may wait for the memory, and this one's record. */
export const marginBeats = (p: SpillParameters): number =>
  keptBeats(p) + frameBeats(p) + 1 + 2 + Math.ceil((2 * keptBeats(p)) / (chunkBeats - 1));
export const inletBits = (p: Pick<SpillParameters, "ports">): number => Math.ceil(Math.log2(inlets(p)));
export const busOf = (p: SpillParameters): Axi4Parameters => ({
  beatBytes,
  addressBits: Math.log2(p.memoryBytes),
  idBits: 1,
});
/** Number of the first ring, counted in rings from address 0 on. */
export const firstRing = (p: RingSizes): number => p.memoryBytes / p.ringBytes - p.rings;
/** The byte at which the rings begin. */
export const firstRingByte = (p: RingSizes): number => p.memoryBytes - p.rings * p.ringBytes;

/**
 * First beat of a record: the frame's place in its ring, where it came in, and its facts. It is always one for the
 * core.
 */
export const SpillRecord = (p: SpillParameters) =>
  struct({
    sequence: uint(sequenceBits(p)),
    beats: uint(frameBeatBits(p)),
    inlet: uint(inletBits(p)),
    class: uint(2),
    uid: uint(16),
    dag: uint(dagBits),
    user: uint(userBits),
    unordered: bit,
    length: uint(lengthBits),
    noL4: bit,
    flowHash: uint(flowHashBits),
    tagged: bit,
    tag: uint(16),
    shimmed: bit,
    ttl: uint(4),
  });

/**
 * What software asks of a ring. `fill`: a free ring takes the frames of this DAG; one that has them gives none out.
 * `drain`: they leave, and with the last one the ring is free and the DAG open. `discard`: they are dropped, and the
 * ring is free. The last two count only while the ring is this DAG's.
 */
export const RingAsk = enumOf("RingAsk", ["fill", "drain", "discard"]);
export const RingWrite = (p: SpillParameters) =>
  struct({ en: bit, ring: uint(ringBits(p)), ask: RingAsk, dag: uint(dagBits) });
/** A ring as software sees it. */
export const RingState = (p: SpillParameters) =>
  struct({
    /** It has a DAG, whose gate is closed. */
    held: bit,
    dag: uint(dagBits),
    drains: bit,
    discards: bit,
    /** Frames that were taken and have neither passed the merge nor been dropped. */
    inside: uint(sequenceBits(p) + 1),
    /** It has no room for the longest frame, or a write of it has failed. */
    full: bit,
  });
/** Since reset; the numbers wrap. */
export const SpillCounts = struct({
  /** Frames that went into rings; that passed the merge out of them. */
  spilled: uint(32),
  restored: uint(32),
  /** Dropped: read with an error, or lost behind one; and by `discard`, or behind a write that failed. */
  lost: uint(32),
  discarded: uint(32),
  /** Cycles in which a frame waited because its ring was full. */
  fullCycles: uint(32),
});
