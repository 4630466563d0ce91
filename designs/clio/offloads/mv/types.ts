/** The records that pass between the blocks of Clio-MV, what it keeps in memory, and the widths. */
import { bit, struct, uint } from "../../../../hdl-dsl/index.ts";
import { big, layout, num } from "../../../shared/wire/index.ts";
import { mvBody } from "../../wire/index.ts";
import { bodyLengthBits, type OffloadParameters } from "../../offload/index.ts";

export interface MultiVersionParameters extends OffloadParameters {
  /** Bits of an object's number: numbers are 1 to 2^idBits - 1. */
  readonly idBits: number;
  /** Versions of an object at most, a power of two. */
  readonly versions: number;
  /** Bytes of one ALLOC: the map of all objects and at least one of the largest arrays. */
  readonly arenaBytes: number;
}

/**
 * An object in the map. `number`: of a live object its latest version (0: none yet), of a deleted one the object that
 * was deleted before it (0: none). The array stays an object's for ever: an object made under a deleted number has
 * that number's array.
 */
export const entryLayout = layout("mvEntry", "Clio-MV's map entry", "le", {
  array: big(64, "address of the array of versions"),
  number: num(32, "latest version, or next deleted object"),
  size: num(16, "bytes of a value"),
  live: num(8, "1: there is such an object"),
  unused: num(8, "0"),
});

/** Bytes of object and version, which stand in front of every value. */
export const headBytes = mvBody.bytes;
/**
 * Sizes of array elements: powers of two from 8 bytes up to the first that holds `maxData`. An array belongs to objects
 * of its size class for ever.
 */
export const leastClass = 3;
export const mostClass = (p: { readonly maxData: number }): number =>
  Math.max(leastClass, Math.ceil(Math.log2(p.maxData)));
export const classCount = (p: { readonly maxData: number }): number => mostClass(p) - leastClass + 1;

/** The order of its requests is that of their objects. */
export const orderOf = (p: { readonly contexts: number }) => ({ contexts: p.contexts, keyBits: 32 });
export const contextBits = (p: { readonly contexts: number }): number => Math.log2(p.contexts);
/** Beats kept for a request's body, a power of two. */
export const bodyBeats = (p: { readonly beatBytes: number; readonly maxData: number }): number =>
  Math.max(2, 2 ** Math.ceil(Math.log2((p.maxData + headBytes) / p.beatBytes)));
export const versionBits = (p: { readonly versions: number }): number => Math.log2(p.versions) + 1;

/** Kind of a request. */
export const kind = { create: 0, append: 1, read: 2, latest: 3, remove: 4 } as const;
export const kindBits = 3;

/** A request whose body is in its context's buffer. `version`: of a create the bytes of a value. */
const askedFields = {
  opcode: uint(8),
  kind: uint(kindBits),
  malformed: bit,
  object: uint(32),
  version: uint(32),
  length: uint(bodyLengthBits),
};
export const Asked = (p: MultiVersionParameters) => struct({ context: uint(contextBits(p)), ...askedFields });
/** The same, kept by its context. */
export const Kept = struct(askedFields);

/** Events of the engine: the start of a request, or the reply to one of its memory requests. */
export const event = {
  start: 0,
  entry: 1,
  value: 2,
  entryWritten: 3,
  valueWritten: 4,
  allocated: 5,
  restored: 6,
} as const;
export const eventBits = 3;

/** Bytes that a memory request writes: none, the context's map entry, its request's value, or the rest of an ALLOC. */
export const source = { none: 0, entry: 1, value: 2, allocation: 3 } as const;
export const Wanted = (p: MultiVersionParameters) =>
  struct({
    event: uint(eventBits),
    context: uint(contextBits(p)),
    source: uint(2),
    va: uint(64),
    length: uint(bodyLengthBits),
    region: uint(32),
  });
/** A map entry in hardware. */
export const Entry = (p: MultiVersionParameters) =>
  struct({ array: uint(64), number: uint(Math.max(p.idBits, versionBits(p))), size: uint(bodyLengthBits), live: bit });

/**
 * The one reply to a request. `value`: `length` - 8 bytes behind object and version come from memory, and follow as the
 * next of its data.
 */
export const MvAnswer = (p: MultiVersionParameters) =>
  struct({
    context: uint(contextBits(p)),
    status: uint(4),
    opcode: uint(8),
    length: uint(bodyLengthBits),
    object: uint(32),
    version: uint(32),
    value: bit,
  });
