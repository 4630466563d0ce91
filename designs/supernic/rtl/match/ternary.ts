/** Ternary tables in distributed memory: 5 bits of the key address a word with a bit for each entry. */
import { bit, node, ram, struct, uint, type UInt, type Val } from "../../../../hdl-dsl/index.ts";
import { ternaryChunkBits, ternaryChunks } from "../../wire/index.ts";

/** Bits of the number of a chunk. */
const chunkBits = (keyBits: number): number => Math.ceil(Math.log2(ternaryChunks(keyBits)));

/** One word, as `ternaryWords` makes it: taken at once. */
export const TernaryWrite = (entries: number, keyBits: number) =>
  struct({ en: bit, chunk: uint(chunkBits(keyBits)), at: uint(ternaryChunkBits), word: uint(entries) });

/** Parts of the answer: an entry matches when all have its bit. */
const parts = 4;

/**
 * The entries that match a key, in parts to be joined a cycle later, which keeps the path short. A word that is
 * written counts from the next cycle on. Words begin as 0. Reset leaves the words alone: `enabled` tells which
 * entries count.
 */
export function ternary(
  name: string,
  key: UInt,
  enabled: UInt,
  write: Val<ReturnType<typeof TernaryWrite>>,
): readonly UInt[] {
  const chunks = ternaryChunks(key.width),
    padded = key.zext(chunks * ternaryChunkBits);
  const words = Array.from({ length: chunks }, (_, i): UInt => {
    const memory = ram(uint(enabled.width), {
      depth: 2 ** ternaryChunkBits,
      collision: "old",
      style: "distributed",
      init: [0],
      name: `${name}_words_${i}`,
    });
    memory.write(write.en.and(write.chunk.eq(i)), write.at, write.word);
    return memory.readAsync(padded.bits(i * ternaryChunkBits, ternaryChunkBits));
  });
  return Array.from({ length: parts }, (_, part) =>
    node(allOf([...(part === 0 ? [enabled] : []), ...words.filter((_, i) => i % parts === part)]), {
      name: `${name}_matches_${part}`,
    }),
  );
}

/** What all of them have: a balanced tree. */
export function allOf(list: readonly UInt[]): UInt {
  const half = list.length >> 1,
    [only] = list;
  if (only === undefined) throw new RangeError("allOf: the list is empty");
  return half === 0 ? only : allOf(list.slice(0, half)).and(allOf(list.slice(half)));
}
