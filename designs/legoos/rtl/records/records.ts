/** What the blocks of the ExCache hand on. */
import { bit, cat, enumOf, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { asidBits, beatBytes, derived, type Parameters, vaBits } from "../../config/index.ts";

/** Bits of a status of Clio. */
export const statusWidth = 4;

/** An access of 64 B by a processor; `strb` marks the bytes of a write. `id` is the asker's own. */
export const Request = (p: Parameters) =>
  struct({
    id: uint(p.idBits),
    asid: uint(asidBits),
    va: uint(vaBits),
    write: bit,
    strb: uint(beatBytes),
    data: uint(8 * beatBytes),
  });
/** Its answer, by `id`: answers of different lines pass each other. `status` is one of Clio's. */
export const Response = (p: Parameters) =>
  struct({ id: uint(p.idBits), status: uint(statusWidth), data: uint(8 * beatBytes) });

/** A line of virtual memory. */
export const Line = (p: Parameters) => struct({ asid: uint(asidBits), page: uint(derived(p).pageBits) });

/** A place in the cache. */
export const Place = (p: Parameters) => struct({ index: uint(derived(p).setBits), way: uint(derived(p).wayBits) });

/** A hit, or a request that is answered without the line (`status`). */
export const Access = (p: Parameters) =>
  struct({
    id: uint(p.idBits),
    status: uint(statusWidth),
    write: bit,
    address: uint(derived(p).placeBits + derived(p).beatBits),
    strb: uint(beatBytes),
    data: uint(8 * beatBytes),
  });

/** A miss with its victim: `fetch` 0 for a line that leaves by software's order. */
export const Job = (p: Parameters) =>
  struct({
    miss: uint(derived(p).missBits),
    place: uint(derived(p).placeBits),
    fetch: bit,
    line: Line(p),
    dirty: bit,
    victim: Line(p),
  });

/** A miss has its line (`fill`), its victim is safe (`release`), or both. */
export const Finish = (p: Parameters) =>
  struct({ miss: uint(derived(p).missBits), fill: bit, release: bit, status: uint(statusWidth), writable: bit });

/** Who asked the line memory. */
export const Owner = enumOf("Owner", ["access", "copy", "fill"]);
/** Bits of what a command of the line memory is told by: an asker's number, or a miss's. */
export const lineIdBits = (p: Parameters): number => Math.max(p.idBits, derived(p).missBits);
/** A beat of the line memory. `id` is the asker's of an access, and the miss of a beat that fills a line. */
export const LineCommand = (p: Parameters) =>
  struct({
    owner: Owner,
    id: uint(lineIdBits(p)),
    write: bit,
    address: uint(derived(p).placeBits + derived(p).beatBits),
    strb: uint(beatBytes),
    data: uint(8 * beatBytes),
  });
/** What it answers, to each command in their order. `bad`: the memory failed, and a write may not have been done. */
export const LineAnswer = (p: Parameters) =>
  struct({ owner: Owner, id: uint(lineIdBits(p)), data: uint(8 * beatBytes), bad: bit });

/** What happened in a cycle, a bit each. */
export const Events = struct({
  hit: bit,
  miss: bit,
  merged: bit,
  waited: bit,
  refused: bit,
  dirtyEviction: bit,
  cleanEviction: bit,
  blocked: bit,
});

/** Set and tag of a line, and back. */
export function placed(p: Parameters, asid: UInt, page: UInt): { readonly set: UInt; readonly tag: UInt } {
  const { setBits, pageBits, tagBits } = derived(p);
  return { set: page.bits(0, setBits), tag: cat(asid, page.bits(setBits, pageBits - setBits)).is(tagBits) };
}
export function lineOf(p: Parameters, set: UInt, tag: UInt): { readonly asid: UInt; readonly page: UInt } {
  const { tagBits, pageBits } = derived(p);
  return {
    asid: tag.bits(tagBits - asidBits, asidBits),
    page: cat(tag.bits(0, tagBits - asidBits), set).is(pageBits),
  };
}
