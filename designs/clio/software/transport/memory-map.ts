/** A value now, or when a bus has brought it. */
export type Soon<T> = T | Promise<T>;

/**
 * Part of a processor's address space: registers, or memory. Byte offsets from its start, numbers little-endian. A load
 * or store of 32 or 64 bits is one access of that width, at an offset that is a multiple of it. Accesses take place in
 * the order of the calls. On a board it is mapped into the process (UIO, /dev/mem) and answers at once.
 */
export interface MemoryMap {
  load32(offset: number): Soon<number>;
  store32(offset: number, value: number): Soon<void>;
  load64(offset: number): Soon<bigint>;
  store64(offset: number, value: bigint): Soon<void>;
}

/**
 * Bytes out of a map by loads of 64 bits; the words around them are read too, so it is for memory, not for registers.
 */
export async function loadBytes(map: MemoryMap, offset: number, length: number): Promise<Uint8Array> {
  const from = offset - (offset % 8),
    words = new BigUint64Array(Math.ceil((offset + length - from) / 8));
  for (let i = 0; i < words.length; i++) words[i] = await map.load64(from + 8 * i);
  return new Uint8Array(words.buffer).slice(offset - from, offset - from + length);
}

/**
 * Bytes into a map by stores of 64 bits. At the ends the bytes beside them are read and stored again, so this is for
 * memory without another writer.
 */
export async function storeBytes(map: MemoryMap, offset: number, bytes: Uint8Array): Promise<void> {
  const from = offset - (offset % 8),
    words = new BigUint64Array(Math.ceil((offset + bytes.length - from) / 8)),
    all = new Uint8Array(words.buffer);
  if (words.length === 0) return;
  const end = from + 8 * (words.length - 1);
  if (from !== offset) words[0] = await map.load64(from);
  if ((offset + bytes.length) % 8 !== 0 && (end !== from || from === offset))
    words[words.length - 1] = await map.load64(end);
  all.set(bytes, offset - from);
  for (const [i, w] of words.entries()) await map.store64(from + 8 * i, w);
}
