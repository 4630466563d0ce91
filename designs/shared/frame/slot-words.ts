import { bit, input, module, output, ram, struct, uint } from "../../../hdl-dsl/index.ts";
import { slotBits } from "./slots.ts";

export interface SlotWordsParameters {
  readonly slots: number;
  readonly width: number;
}

/** A word to be kept for a slot: always taken. */
export const WordWrite = (p: SlotWordsParameters) => struct({ en: bit, slot: uint(slotBits(p)), value: uint(p.width) });

/**
 * A word of `width` bits for each slot in distributed memory: what one block leaves for another that handles the slot
 * later (operands of an atomic, the number that it found). Read in the same cycle; a word that is written shows from
 * the next cycle on. One write and one read per cycle, neither ever waits. Reset leaves the words alone: a slot's word
 * counts only after it has been written for the request that holds the slot.
 */
export const SlotWords = module(
  "SlotWords",
  (p: SlotWordsParameters) => ({
    write: input(WordWrite(p)),
    slot: input(uint(slotBits(p))),
    value: output(uint(p.width)),
  }),
  (io, p) => {
    const words = ram(uint(p.width), { depth: p.slots, collision: "old", style: "distributed" });
    words.write(io.write.en, io.write.slot, io.write.value);
    io.value.set(words.readAsync(io.slot));
  },
);
