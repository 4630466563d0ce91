import {
  type CapturedFrame,
  GLOBAL_HEADER,
  LINKTYPE_ETHERNET,
  MAGIC_NANOSECONDS,
  MOST_BYTES,
  RECORD_HEADER,
} from "./pcap-format.ts";

/**
 * A capture file of Ethernet frames, little-endian with nanosecond times, as Wireshark reads it. Times from
 * 1970 to 2106.
 */
export function writePcap(frames: readonly Pick<CapturedFrame, "timeNs" | "bytes">[]): Uint8Array {
  const size = frames.reduce((n, f) => n + RECORD_HEADER + f.bytes.length, GLOBAL_HEADER);
  const file = new Uint8Array(size),
    view = new DataView(file.buffer);
  view.setUint32(0, MAGIC_NANOSECONDS, true);
  view.setUint16(4, 2, true);
  view.setUint16(6, 4, true);
  view.setUint32(16, MOST_BYTES, true);
  view.setUint32(20, LINKTYPE_ETHERNET, true);
  let at = GLOBAL_HEADER;
  for (const { timeNs, bytes } of frames) {
    view.setUint32(at, Number(timeNs / 1_000_000_000n), true);
    view.setUint32(at + 4, Number(timeNs % 1_000_000_000n), true);
    view.setUint32(at + 8, bytes.length, true);
    view.setUint32(at + 12, bytes.length, true);
    file.set(bytes, at + RECORD_HEADER);
    at += RECORD_HEADER + bytes.length;
  }
  return file;
}
