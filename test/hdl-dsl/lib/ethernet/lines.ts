/** Lines as IEEE 802.3 tells them: frames to what stands on a line in each cycle, and back. */
import type { Random } from "../../../../hdl-dsl/index.ts";
import { crc32 } from "../reference.ts";

/** What is wrong with a frame on the line; nothing: it is good. */
export type Damage = "none" | "check" | "code" | "start" | "cut";
const IDLE = 0x07,
  START = 0xfb,
  TERMINATE = 0xfd,
  ERROR = 0xfe;
/** A byte or a control character. */
export interface Character {
  readonly value: number;
  readonly control: boolean;
}
const data = (value: number): Character => ({ value, control: false });
const code = (value: number): Character => ({ value, control: true });

/** A frame with its check sequence, as it should be. */
export function sealed(frame: Uint8Array): number[] {
  const crc = crc32(frame);
  return [...frame, ...[0, 8, 16, 24].map(s => (crc >>> s) & 255)];
}
/** The same, damaged. */
export function spoil(bytes: readonly number[], damage: Damage, r: Random): number[] {
  const out = [...bytes];
  if (damage === "check") {
    const at = r.below(out.length);
    out[at] = out[at]! ^ (1 << r.below(8));
  }
  return out;
}

/** Characters of XGMII: start, preamble, the bytes, end. A start is in lane 0 or 4; `gap` counts from the end on. */
export function toXgmii(
  frames: readonly { readonly bytes: readonly number[]; readonly damage: Damage; readonly gap: number }[],
  r: Random,
) {
  const line: Character[] = Array.from({ length: 16 }, () => code(IDLE));
  for (const { bytes, damage, gap } of frames) {
    line.push(code(START), ...Array.from({ length: 6 }, () => data(0x55)), data(damage === "start" ? 0x5d : 0xd5));
    const at = r.below(bytes.length);
    bytes.forEach((v, i) => line.push(damage === "code" && i === at ? code(ERROR) : data(v)));
    // A cut frame has no end: the line is idle all at once.
    line.push(code(damage === "cut" ? IDLE : TERMINATE));
    for (let i = 1; i < gap || line.length % 4 !== 0; i++) line.push(code(IDLE));
  }
  while (line.length % 8 !== 0) line.push(code(IDLE));
  return line;
}
/** A word of eight lanes. */
export function wordOf(c: readonly Character[]): { readonly data: bigint; readonly control: number } {
  return {
    data: c.reduceRight((v, x) => v * 256n + BigInt(x.value), 0n),
    control: c.reduceRight((v, x) => v * 2 + (x.control ? 1 : 0), 0),
  };
}

/** The frames of a line of XGMII; anything that the standard does not have is thrown. */
export function fromXgmii(line: readonly Character[]) {
  const frames: { readonly bytes: number[]; readonly start: number; readonly gap: number }[] = [];
  let end = -1;
  for (let i = 0; i < line.length;) {
    const c = line[i]!;
    if (c.control && c.value === IDLE) {
      i++;
      continue;
    }
    if (!c.control || c.value !== START || i % 4 !== 0)
      throw new Error(`character ${i} is ${c.value.toString(16)}, neither idle nor a start in lane 0 or 4`);
    const head = line.slice(i + 1, i + 8);
    if (head.some((h, k) => h.control || h.value !== (k === 6 ? 0xd5 : 0x55))) throw new Error(`preamble at ${i}`);
    const start = i,
      bytes: number[] = [];
    for (i += 8; i < line.length && !line[i]!.control; i++) bytes.push(line[i]!.value);
    // The frame has not ended yet.
    if (i >= line.length) break;
    if (line[i]?.value !== TERMINATE) throw new Error(`the frame at ${start} ends without its end, at ${i}`);
    frames.push({ bytes, start, gap: end < 0 ? 0 : start - end });
    end = i++;
  }
  return frames;
}

/** Bytes of GMII with their errors; `en` is 0 between frames. */
export interface GmiiByte {
  readonly en: number;
  readonly er: number;
  readonly data: number;
}
const quiet: GmiiByte = { en: 0, er: 0, data: 0 };
export function toGmii(
  frames: readonly {
    readonly bytes: readonly number[];
    readonly damage: Damage;
    readonly gap: number;
    readonly preamble: number;
  }[],
  r: Random,
): GmiiByte[] {
  const line: GmiiByte[] = Array.from({ length: 8 }, () => quiet);
  for (const { bytes, damage, gap, preamble } of frames) {
    for (let i = 0; i < preamble; i++) line.push({ en: 1, er: 0, data: 0x55 });
    line.push({ en: 1, er: 0, data: damage === "start" ? 0x5d : 0xd5 });
    const at = r.below(bytes.length);
    bytes.forEach((v, i) => line.push({ en: 1, er: damage === "code" && i === at ? 1 : 0, data: v }));
    for (let i = 0; i < gap; i++) line.push(quiet);
  }
  return line;
}
export function fromGmii(line: readonly GmiiByte[]) {
  const frames: { readonly bytes: number[]; readonly start: number; readonly gap: number }[] = [];
  let end = -1;
  for (let i = 0; i < line.length; i++) {
    if (line[i]!.en === 0) continue;
    const start = i,
      all: GmiiByte[] = [];
    for (; i < line.length && line[i]!.en === 1; i++) all.push(line[i]!);
    if (i >= line.length) break;
    if (all.some(b => b.er === 1)) throw new Error(`an error is sent in the frame at ${start}`);
    const head = all.slice(0, 8).map(b => b.data);
    if (head.some((h, k) => h !== (k === 7 ? 0xd5 : 0x55))) throw new Error(`preamble at ${start}`);
    frames.push({ bytes: all.slice(8).map(b => b.data), start, gap: end < 0 ? 0 : start - end });
    end = i;
  }
  return frames;
}

/** The frame that a MAC must put on the line for one of the user. */
export function onLine(frame: Uint8Array): number[] {
  const padded = new Uint8Array(Math.max(60, frame.length));
  padded.set(frame);
  return sealed(padded);
}
