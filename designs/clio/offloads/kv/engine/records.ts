/** How far a request is, and what the engine asks of memory. */
import { bit, bitsFor, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { memoryTagBits } from "../../../offload/index.ts";
import { blockBits, entriesPerSlot, type KvParameters, sizeBits } from "../parameters.ts";
import { purpose } from "../replies.ts";

/** Events of the engine: memory's answers by their purpose, and two more. */
export const what = { ...purpose, spare: 6, start: 7 } as const;
export const indexBits = 3;
/** The link stands behind the entries. */
export const linkIndex = entriesPerSlot;

/** How far a request is. */
export const Progress = (p: KvParameters) =>
  struct({
    /** Slots and pairs that the search has looked at. */
    looks: uint(bitsFor(p.mostLooks)),
    /**
     * The slot that is looked at, and the entry: the first to be considered, the one that matched, or the one
     * to be written.
     */
    slot: uint(blockBits),
    index: uint(indexBits),
    /** Of a create: the first empty entry on the way, then the new slot. Of a delete: the slot in front. */
    other: struct({ valid: bit, slot: uint(blockBits), index: uint(indexBits) }),
    /** The entry that matched; whether another one of its slot does; whether it is the only one there. */
    found: struct({ block: uint(blockBits), size: uint(sizeBits) }),
    more: bit,
    alone: bit,
    /** The link of that slot. */
    link: struct({ block: uint(blockBits), valid: bit }),
    /** Of a create or update: how the search ended, and whether a slot must be added. */
    verdict: uint(4),
    grows: bit,
  });

/** A memory request on its way out. `word`: the written data, the first 8 bytes of `length`; the others are 0. */
export const Access = struct({
  tag: uint(memoryTagBits),
  write: bit,
  whole: bit,
  block: uint(blockBits),
  index: uint(indexBits),
  length: uint(sizeBits + 1),
  word: uint(64),
});
/** Where an access goes, and what it writes. */
export const place = { slot: 0, found: 1, other: 2 } as const;
export const content = { nothing: 0, entry: 1, link: 2, newLink: 3 } as const;
