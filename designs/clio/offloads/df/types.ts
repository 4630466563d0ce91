/** The records that pass between the blocks of Clio-DF, and their widths. */
import { bit, bitsFor, struct, uint } from "../../../../hdl-dsl/index.ts";
import { accessBody } from "../../wire/index.ts";
import { bodyLengthBits, type OffloadParameters } from "../../offload/index.ts";

export interface DataFrameParameters extends OffloadParameters {
  /** READs in flight, a power of two; each has a buffer of `maxData` bytes. */
  readonly reads: number;
}

/** Rows of one READ at most, a power of two: bounds how long a turn of a request with short rows takes. */
export const mostRows = 128;
/** Bytes of a field at most, and of the header of a reply: table and length. */
export const mostFieldBytes = 8,
  replyHeaderBytes = accessBody.bytes;
/** Bits of a count of bytes within one READ or one reply. */
export const sizeBits = bodyLengthBits;
/** Bits of a count of all bytes of a table. */
export const tableBits = (p: { readonly maxData: number }): number => 32 + bitsFor(p.maxData);
export const contextBits = (p: { readonly contexts: number }): number => Math.log2(p.contexts);
export const laneBits = (p: { readonly beatBytes: number }): number => Math.log2(p.beatBytes);
export const readBits = (p: { readonly reads: number }): number => Math.max(1, Math.log2(p.reads));
/** Beats kept for `bytes` bytes: a power of two, 2 or more, so that two memories hold every other beat. */
export const beatsFor = (bytes: number, p: { readonly beatBytes: number }): number =>
  Math.max(2, 2 ** Math.ceil(Math.log2(bytes / p.beatBytes)));
export const readBeats = (p: DataFrameParameters): number => beatsFor(p.maxData, p);
export const frameBeats = (p: DataFrameParameters): number => beatsFor(p.maxData + replyHeaderBytes, p);

/** A request as it will be done: `status` 0, or MALFORMED, and then nothing else counts but `context` and `opcode`. */
export const Query = (p: DataFrameParameters) =>
  struct({
    context: uint(contextBits(p)),
    status: uint(4),
    opcode: uint(8),
    aggregate: bit,
    table: uint(64),
    /** Bytes of the table, and of as many whole rows as one READ brings: all that fit, `mostRows` at most. */
    total: uint(tableBits(p)),
    chunk: uint(sizeBits),
    rowBytes: uint(sizeBits),
    fieldOffset: uint(sizeBits),
    fieldBytes: uint(4),
    predicate: uint(3),
    operand: uint(64),
    valueOffset: uint(sizeBits),
    valueBytes: uint(4),
  });

/**
 * Rows of one READ, which stand in buffer `read` from lane 0 of its first beat. `status`: of the READ, and then there
 * are no rows.
 */
export const Slice = (p: DataFrameParameters) =>
  struct({
    context: uint(contextBits(p)),
    read: uint(readBits(p)),
    length: uint(sizeBits),
    status: uint(4),
    /** The first, and the final one, of its request. */
    first: bit,
    final: bit,
  });

/** Action on `beatBytes` bytes from byte `at` of a READ's buffer. */
export const Step = (p: DataFrameParameters) =>
  struct({
    context: uint(contextBits(p)),
    read: uint(readBits(p)),
    at: uint(sizeBits),
    /** The request's first step. */
    opens: bit,
    /**
     * The field stands `field` bytes behind `at`: it decides whether this row matches, for the row's later steps too.
     */
    test: bit,
    field: uint(laneBits(p)),
    /** The same for the value of an aggregate. */
    value: bit,
    valueAt: uint(laneBits(p)),
    /** The first `bytes` of them are the row's next bytes, for the result of a select; `begins`: its first. */
    piece: bit,
    begins: bit,
    bytes: uint(laneBits(p) + 1),
    /**
     * The next bytes of an aggregate's result, which come instead of bytes from the buffer: `bytes` of them
     * from byte `at`.
     */
    result: bit,
    /** The request has been done, with this status. */
    ends: bit,
    status: uint(4),
  });

/** A step with its findings: whether the field fits the predicate, and the value. */
export const Found = (p: DataFrameParameters) =>
  struct({ step: Step(p), data: uint(p.beatBytes * 8), hit: bit, value: uint(64) });

/** A frame of the result: `bytes` of rows (or of an aggregate) in half `half` of the context's buffer. */
export const Frame = (p: DataFrameParameters) =>
  struct({
    context: uint(contextBits(p)),
    half: bit,
    bytes: uint(sizeBits),
    more: bit,
    status: uint(4),
  });
