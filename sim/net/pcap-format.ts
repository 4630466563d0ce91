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
  /** Its frame check sequence, which only some captures keep, is wrong. */
  readonly damaged?: true;
}

/** Of a link type: frames end in check sequences, of so many 16-bit words as the highest bits say. */
export const HAS_FCS = 0x0400_0000;
export const FCS_SHIFT = 28;
export const FCS_BYTES = 4;

/** CRC-32 of Ethernet (IEEE 802.3), as it stands behind a frame, the lowest byte first. */
export function frameCheckSequence(frame: Uint8Array): number {
  let crc = 0xffff_ffff;
  for (const byte of frame) {
    crc ^= byte;
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

/** A record that ends in its check sequence: the frame, and whether that is wrong. One cut short has none to tell. */
export function withoutFcs(record: Uint8Array, onLine: number): Omit<CapturedFrame, "timeNs"> {
  const end = onLine - FCS_BYTES,
    bytes = record.slice(0, Math.max(0, end)),
    isWhole = record.length === onLine && end >= 0;
  const sent = isWhole ? new DataView(record.buffer, record.byteOffset + end).getUint32(0, true) : undefined;
  const damaged = sent !== undefined && sent !== frameCheckSequence(bytes);
  return { bytes, originalLength: Math.max(0, end), ...(damaged && { damaged }) };
}
