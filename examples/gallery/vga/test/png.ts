/** A picture as a PNG file (ISO/IEC 15948): eight bits of red, green and blue, no filter. */
import { crc32, deflateSync } from "node:zlib";

/** Rows of pixels, three bytes each. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

function chunk(name: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(8),
    tail = Buffer.alloc(4),
    named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  head.writeUInt32BE(content.length, 0);
  tail.writeUInt32BE(crc32(named), 0);
  return Buffer.concat([head.subarray(0, 4), named, tail]);
}

export function png({ width, height, bytes }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = 3 * width,
    rows = Buffer.alloc(height * (row + 1));
  for (let y = 0; y < height; y++) rows.set(bytes.subarray(y * row, (y + 1) * row), y * (row + 1) + 1);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}
