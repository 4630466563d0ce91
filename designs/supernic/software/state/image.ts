/** A chain's state as bytes: what is kept, and what goes to another sNIC (docs/supernic/state.md, "Image"). */
import {
  type Declared,
  keptOf,
  mostState,
  stateDigest,
  statePartAt,
  stateWidth,
  type StateWord,
} from "../../wire/index.ts";

/** State that could not be read or written, or cannot be some of this chain. */
export class StateFault extends Error {
  readonly kind: "refused" | "late" | "image";
  constructor(kind: "refused" | "late" | "image", what: string) {
    super(what);
    this.kind = kind;
  }
}
/** A word of the task of a slot. */
export interface ChainWord extends StateWord {
  readonly slot: number;
}
const magic = 0x31415453,
  headBytes = 12,
  wordBytes = 11,
  tailBytes = 4;

/** Whether software can read state of the chain. */
export const keepsState = (tasks: readonly Declared[]): boolean => tasks.some(t => keptOf(t) !== undefined);
/** Whether the chain has state that nobody can read: it is lost with its region. */
export const losesState = (tasks: readonly Declared[]): boolean =>
  tasks.some(t => t.state !== "none" && t.keeps === undefined);
/** The sum of Ethernet frames and of zip files, reflected, 0xedb88320. */
const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = (c & 1) === 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});
const crc32 = (bytes: Uint8Array): number =>
  ~bytes.reduce((c, b) => (c >>> 8) ^ (crcTable[(c ^ b) & 255] ?? 0), ~0) >>> 0;
const rank = ({ slot, at }: ChainWord): number => slot * 65_536 + at;

/** @param words in rising order of slot and place @throws StateFault `image` when they are more than may be sent */
export function encodeState(tasks: readonly Declared[], words: readonly ChainWord[]): Uint8Array {
  const length = headBytes + words.length * wordBytes + tailBytes;
  if (length > mostState)
    throw new StateFault("image", `state of ${length} bytes is more than ${mostState}; the task must keep less`);
  const bytes = new Uint8Array(length),
    view = new DataView(bytes.buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, stateDigest(tasks), true);
  view.setUint32(8, words.length, true);
  words.forEach(({ slot, at, data }, i) => {
    const from = headBytes + i * wordBytes;
    view.setUint8(from, slot);
    view.setUint16(from + 1, at, true);
    view.setBigUint64(from + 3, data, true);
  });
  view.setUint32(length - tailBytes, crc32(bytes.subarray(0, length - tailBytes)), true);
  return bytes;
}
/** @throws StateFault `image` for all that `encodeState` does not make of these tasks */
export function decodeState(tasks: readonly Declared[], bytes: Uint8Array): readonly ChainWord[] {
  const bad = (why: string): StateFault => new StateFault("image", `state is refused: ${why}`),
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < headBytes + tailBytes) throw bad(`${bytes.length} bytes are too few`);
  if (view.getUint32(0, true) !== magic) throw bad("it does not begin as state does");
  if (view.getUint32(4, true) !== stateDigest(tasks)) throw bad("it is another chain's");
  const count = view.getUint32(8, true);
  if (bytes.length !== headBytes + count * wordBytes + tailBytes)
    throw bad(`${count} words do not have ${bytes.length} bytes`);
  if (view.getUint32(bytes.length - tailBytes, true) !== crc32(bytes.subarray(0, bytes.length - tailBytes)))
    throw bad("its sum is wrong");
  let before = -1;
  return Array.from({ length: count }, (_, i) => {
    const from = headBytes + i * wordBytes;
    const word = {
      slot: view.getUint8(from),
      at: view.getUint16(from + 1, true),
      data: view.getBigUint64(from + 3, true),
    };
    const kept = keptOf(tasks[word.slot] ?? {}),
      part = kept && statePartAt(kept, word.at);
    if (part === undefined) throw bad(`slot ${word.slot} keeps nothing at ${word.at}`);
    if (word.data === 0n || word.data >> BigInt(stateWidth(part)) !== 0n)
      throw bad(`0x${word.data.toString(16)} is no word of ${part.name}`);
    if (rank(word) <= before) throw bad(`the word at ${word.at} is out of order`);
    before = rank(word);
    return word;
  });
}
