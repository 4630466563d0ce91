/**
 * Capture files (libpcap format): magic numbers by resolution; the file's byte order is that in which the
 * magic reads right.
 */
export const MAGIC_MICROSECONDS = 0xa1b2c3d4;
export const MAGIC_NANOSECONDS = 0xa1b23c4d;
export const GLOBAL_HEADER = 24;
export const RECORD_HEADER = 16;
/** Link type of Ethernet frames. */
export const LINKTYPE_ETHERNET = 1;
/** Longest record that is believed; longer ones mean that the file is damaged. */
export const MOST_BYTES = 262_144;

/** A captured frame. */
export interface CapturedFrame {
  /** Nanoseconds since 1970. */
  readonly timeNs: bigint;
  readonly bytes: Uint8Array;
  /** Bytes on the wire, when the capture kept fewer. */
  readonly originalLength: number;
}
