import {
  type Bit,
  cat,
  constant,
  decode,
  node,
  onehotMux,
  ram,
  reg,
  uint,
  type UInt,
} from "../../../../hdl-dsl/index.ts";

/** Slot numbers side by side in a word. */
const perWord = 8;

export interface Hints {
  /** The hint at an address, one cycle later. */
  read(address: UInt): UInt;
  write(en: Bit, address: UInt, slot: UInt): void;
}

/**
 * A memory of `depth` slot numbers (a power of two, 8 or more), 8 to a word so that a large one fills block memories of
 * 64 bits (or 72, with more than 256 slots). Never initialized nor cleared: a hint says where to look, and whoever
 * follows it looks whether what he wants is there. Nothing reads an address that is just being written.
 */
export function hintTable(depth: number, slotBits: number): Hints {
  const lane = Math.max(8, slotBits),
    laneBits = Math.log2(perWord),
    words = depth / perWord;
  const hints = ram(uint(perWord * lane), {
    depth: words,
    collision: "undefined",
    style: words >= 4096 ? "ultra" : "block",
    name: "hints",
  });
  const wordOf = (address: UInt): UInt => address.shr(laneBits).trunc(Math.log2(words));
  return {
    read: address => {
      const word = hints.readSync(wordOf(address), { name: "hint_word" });
      const one = reg(uint(perWord), { name: "hint_lane" });
      one.set(decode(address.trunc(laneBits), perWord));
      return node(
        onehotMux(
          Array.from({ length: perWord }, (_, i) => one.bit(i)),
          Array.from({ length: perWord }, (_, i) => word.bits(lane * i, slotBits)),
        ),
        { name: "hint" },
      );
    },
    write: (en, address, slot) => {
      const padded = lane === slotBits ? slot : cat(constant(0, lane - slotBits), slot);
      hints.write(
        en,
        wordOf(address),
        cat(...Array.from({ length: perWord }, () => padded)),
        decode(address.trunc(laneBits), perWord),
      );
    },
  };
}
