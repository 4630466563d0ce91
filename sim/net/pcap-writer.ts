import {
  type CapturedFrame,
  FCS_BYTES,
  FCS_SHIFT,
  frameCheckSequence,
  GLOBAL_HEADER,
  HAS_FCS,
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

/** The same with frame check sequences, so that the file can tell which frames are damaged. */
export function writePcapWithFcs(frames: readonly Pick<CapturedFrame, "timeNs" | "bytes" | "damaged">[]): Uint8Array {
  const file = writePcap(
    frames.map(({ timeNs, bytes, damaged }) => {
      const whole = new Uint8Array(bytes.length + FCS_BYTES),
        fcs = frameCheckSequence(bytes);
      whole.set(bytes);
      new DataView(whole.buffer).setUint32(bytes.length, damaged === true ? ~fcs >>> 0 : fcs, true);
      return { timeNs, bytes: whole };
    }),
  );
  const type = (LINKTYPE_ETHERNET | HAS_FCS | ((FCS_BYTES / 2) << FCS_SHIFT)) >>> 0;
  new DataView(file.buffer).setUint32(20, type, true);
  return file;
}
