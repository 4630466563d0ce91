import { readFileSync } from "node:fs";

/** One frame of a capture. */
export interface CapturedFrame {
  readonly seconds: number;
  readonly bytes: Uint8Array;
}

/** Read a classic little-endian pcap (what `test/data` holds); a plain reader for tests of layers below `sim`. */
export function readCapture(path: string): CapturedFrame[] {
  const file = readFileSync(path),
    out: CapturedFrame[] = [];
  if (file.readUInt32LE(0) !== 0xa1b2c3d4) throw new Error(`${path} is not a little-endian pcap file`);
  for (let at = 24; at < file.length;) {
    const length = file.readUInt32LE(at + 8);
    out.push({
      seconds: file.readUInt32LE(at) + file.readUInt32LE(at + 4) / 1e6,
      bytes: new Uint8Array(file.subarray(at + 16, at + 16 + length)),
    });
    at += 16 + length;
  }
  return out;
}

/** The frames that the published Clio client really sent, with a stub's replies between (see shared/captures). */
export function publishedCapture(name: "kv" | "read-write" | "context"): CapturedFrame[] {
  return readCapture(new URL(`../data/published-client-${name}.pcap`, import.meta.url).pathname);
}
