/** Reads the PNG files that a browser writes: 8 bits of red, green and blue, with or without alpha, not interlaced. */
import { inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** #rrggbb */ readonly at: (x: number, y: number) => string;
}

/** The nearest of a, b and c to a + b - c (PNG's filter 4). */
function paeth(a: number, b: number, c: number): number {
  const p = a + b - c,
    [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** @throws RangeError when it is no such PNG */
export function picture(file: Buffer): Picture {
  const parts = new Map<string, Buffer[]>();
  for (let at = 8; at + 8 <= file.length;) {
    const length = file.readUInt32BE(at),
      name = file.toString("latin1", at + 4, at + 8);
    parts.set(name, [...(parts.get(name) ?? []), file.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  const head = parts.get("IHDR")?.[0];
  if (head === undefined || head[8] !== 8 || (head[9] !== 2 && head[9] !== 6) || head[12] !== 0)
    throw new RangeError("no PNG of 8 bits of red, green and blue");
  const width = head.readUInt32BE(0),
    height = head.readUInt32BE(4),
    size = head[9] === 6 ? 4 : 3,
    line = width * size,
    raw = inflateSync(Buffer.concat(parts.get("IDAT") ?? []));
  const pixels = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < line; x++) {
      const a = x < size ? 0 : (pixels[y * line + x - size] ?? 0),
        b = y === 0 ? 0 : (pixels[(y - 1) * line + x] ?? 0),
        c = x < size || y === 0 ? 0 : (pixels[(y - 1) * line + x - size] ?? 0);
      const filter = raw[y * (line + 1)] ?? 0,
        guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter] ?? 0;
      pixels[y * line + x] = (raw[y * (line + 1) + 1 + x] ?? 0) + guess;
    }
  return { width, height, at: (x, y) => `#${pixels.toString("hex", y * line + x * size, y * line + x * size + 3)}` };
}
