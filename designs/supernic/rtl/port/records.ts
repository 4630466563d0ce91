/** Sizes of a port's class queues, and what goes between their parts. */
import { bit, enumOf, struct, uint } from "../../../../hdl-dsl/index.ts";
import { refusals } from "../../wire/index.ts";
import {
  beatBytes,
  classBits,
  type DeviceSizes,
  FrameFacts,
  type PeerClasses,
  queueClasses,
  softwareClass,
} from "../inside/index.ts";

export interface QueueParameters extends Pick<DeviceSizes, "ports" | "frameBytes">, PeerClasses {
  /** Beats of a port's buffer, a power of two: 4,096 are 256 KB. */
  readonly beats: number;
  /** Of them for frames that wait for software. */
  readonly softwareBeats: number;
  /** Beats of a class from which on its senders must pause, and below which they may send again. */
  readonly pauseAt: number;
  readonly resumeAt: number;
}
/** As the device has them, for its longest frame: docs/supernic/port.md has the arithmetic. */
export const queueSizes = (frameBytes: number) => ({
  frameBytes,
  beats: frameBytes > 1536 ? 8192 : 4096,
  softwareBeats: 256,
  pauseAt: 72,
  resumeAt: 36,
});

/** Beats of the longest frame that is accepted, and one more: of a frame that is too long so much is kept. */
export const mostBeats = (p: Pick<QueueParameters, "frameBytes">): number =>
  Math.ceil((p.frameBytes + enclosedExtra) / beatBytes) + 1;
/** What a redirect, of either kind, has in front of its inner frame, and what that one may have of tag and shim. */
const enclosedExtra = 14 + 4 + 8;
/** Frames between their last beat and their outcome. */
export const judgedFrames = 8;
/**
 * Beats of each class. Together they leave room for a frame that comes in, one that is given out, one that is dropped,
 * those that are being judged, and the beat behind: so a class that has room can always use it, and every beat that
 * comes has a place.
 */
export const classBeats = (p: QueueParameters): readonly number[] => {
  const spare = 3 * mostBeats(p) + 2 * judgedFrames + 1,
    each = Math.floor((p.beats - p.softwareBeats - spare) / (queueClasses - 1));
  return Array.from({ length: queueClasses }, (_, c) => (c === softwareClass ? p.softwareBeats : each));
};
export const beatIndexBits = (p: QueueParameters): number => Math.log2(p.beats);
export const frameBeatBits = (p: QueueParameters): number => Math.ceil(Math.log2(mostBeats(p) + 1));

/** A frame in the buffer: where it begins, and its beats. */
export const Stored = (p: QueueParameters) => struct({ first: uint(beatIndexBits(p)), beats: uint(frameBeatBits(p)) });
/** A frame in a class queue. */
export const Queued = (p: QueueParameters) => struct({ at: Stored(p), facts: FrameFacts(p) });
/** A beat that is free again. */
export const FreedBeat = (p: QueueParameters) => struct({ valid: bit, beat: uint(beatIndexBits(p)) });
/** A frame whose outcome is known, in the order in which frames came. */
export const Decided = (p: QueueParameters) => struct({ valid: bit, class: uint(classBits), facts: FrameFacts(p) });

/** What becomes of a frame that comes in: one of these for each. */
export const fates = [
  ...refusals,
  "stranger",
  "control",
  "rule",
  "uid",
  "nowhere",
  "forLink",
  "unlinked",
  "full0",
  "full1",
  "full2",
  "full3",
  "full4",
  "full5",
  "queued0",
  "queued1",
  "queued2",
  "queued3",
  "queued4",
  "queued5",
] as const;
export type FateName = (typeof fates)[number];
export const Fate = enumOf("Fate", [...fates]);
