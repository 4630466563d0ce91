import { SimulationError } from "../errors.ts";
import {
  type CapturedFrame,
  FCS_BYTES,
  FCS_SHIFT,
  GLOBAL_HEADER,
  HAS_FCS,
  LINKTYPE_ETHERNET,
  MAGIC_MICROSECONDS,
  MAGIC_NANOSECONDS,
  MOST_BYTES,
  RECORD_HEADER,
  withoutFcs,
} from "./pcap-format.ts";

const PCAPNG = 0x0a0d0d0a;

/** A capture file that cannot be read: one sentence with file and remedy. */
export class CaptureError extends SimulationError {
  override readonly name = "CaptureError";
}

/**
 * The Ethernet frames of a capture file: microsecond or nanosecond times, either byte order.
 * @param name of the file, for messages. @throws CaptureError when it is not a capture, not of Ethernet, or cut short.
 */
export function readPcap(file: Uint8Array, name: string): CapturedFrame[] {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { little, nanoseconds } = fileFormat(view, name);
  const type = view.getUint32(20, little),
    link = type & 0x03ff_ffff,
    fcsBytes = (type & HAS_FCS) === 0 ? 0 : 2 * (type >>> FCS_SHIFT),
    hasFcs = fcsBytes === FCS_BYTES;
  if (link !== LINKTYPE_ETHERNET) {
    throw new CaptureError(
      `${name} holds frames of link type ${link}, not Ethernet (1); capture on an Ethernet interface`,
    );
  }
  if (fcsBytes !== 0 && !hasFcs)
    throw new CaptureError(
      `${name} tells of check sequences of ${fcsBytes} bytes, and Ethernet's have ${FCS_BYTES}; capture it again without check sequences`,
    );
  const frames: CapturedFrame[] = [];
  for (let at = GLOBAL_HEADER; at < file.length;) {
    const left = file.length - at;
    if (left < RECORD_HEADER)
      throw cut(name, frames.length, `${left} of the ${RECORD_HEADER} bytes of its header are there`);
    const seconds = view.getUint32(at, little),
      fraction = view.getUint32(at + 4, little);
    const length = view.getUint32(at + 8, little),
      originalLength = view.getUint32(at + 12, little);
    if (length > MOST_BYTES) {
      throw new CaptureError(`${name} is damaged: frame ${frames.length + 1} claims ${length} bytes; capture it again`);
    }
    if (left - RECORD_HEADER < length)
      throw cut(name, frames.length, `${left - RECORD_HEADER} of its ${length} bytes are there`);
    at += RECORD_HEADER;
    // A copy in plain bytes, also from a Buffer (whose slices would be Buffers and views).
    const record = new Uint8Array(file.subarray(at, at + length));
    frames.push({
      timeNs: BigInt(seconds) * 1_000_000_000n + BigInt(fraction) * (nanoseconds ? 1n : 1000n),
      ...(hasFcs ? withoutFcs(record, originalLength) : { bytes: record, originalLength }),
    });
    at += length;
  }
  return frames;
}

function fileFormat(view: DataView, name: string): { readonly little: boolean; readonly nanoseconds: boolean } {
  const hint = "give a pcap file as tcpdump or Wireshark writes it";
  if (view.byteLength < 4)
    throw new CaptureError(`${name} is not a capture file: it has only ${view.byteLength} bytes; ${hint}`);
  for (const little of [true, false]) {
    const magic = view.getUint32(0, little);
    if (magic === PCAPNG)
      throw new CaptureError(`${name} is in pcapng format; convert it: editcap -F nsecpcap ${name} converted.pcap`);
    if (magic !== MAGIC_MICROSECONDS && magic !== MAGIC_NANOSECONDS) continue;
    if (view.byteLength < GLOBAL_HEADER) {
      throw new CaptureError(
        `${name} is cut short: ${view.byteLength} of the ${GLOBAL_HEADER} bytes of the file header are there; copy it again`,
      );
    }
    return { little, nanoseconds: magic === MAGIC_NANOSECONDS };
  }
  throw new CaptureError(
    `${name} is not a capture file: it starts with 0x${view.getUint32(0).toString(16).padStart(8, "0")}; ${hint}`,
  );
}

function cut(name: string, whole: number, what: string): CaptureError {
  return new CaptureError(`${name} is cut short in frame ${whole + 1}: ${what}; copy or capture it again`);
}
