/**
 * The operations of the sync unit: their codes, the records that pass in and out of it, and their effect on the
 * word in memory.
 */
import { bit, type Bit, constant, mux, node, priority, struct, uint, type UInt } from "../../../../hdl-dsl/index.ts";
import { firstPointerOp, operandBits, syncOpBits } from "../records/records.ts";
import { lengthBits, slotBits } from "../../../shared/frame/index.ts";

/** `op` of an access: 0 is a plain read or write, which never comes to the sync unit. */
export const syncOp = {
  tas: 1,
  cas: 2,
  faa: 3,
  store: 4,
  derefRead: firstPointerOp,
  derefWrite: firstPointerOp + 1,
} as const;

/** Bits and bytes of the word that all operations work on. */
export const wordBits = 64,
  wordBytes = 8;

/**
 * An operation on the aligned 8 bytes at a physical address. `length` is that of the data behind a pointer; the
 * operands stand by slot.
 */
export const SyncRequest = (p: { readonly slots: number; readonly addressBits: number }) =>
  struct({
    slot: uint(slotBits(p)),
    op: uint(syncOpBits),
    address: uint(p.addressBits),
    pid: uint(16),
    length: uint(lengthBits),
    silent: bit,
    replyOpcode: uint(8),
  });

/**
 * Word that was read: the old value of an atomic, or the pointer. A pulse, 1 cycle or more ahead of the reply or the
 * access of its slot.
 */
export const SyncResult = (p: { readonly slots: number }) =>
  struct({ valid: bit, slot: uint(slotBits(p)), word: uint(wordBits) });

/**
 * The end of an operation: OK, or FAIL when the memory answered with an error. `silent`: the slot is free again
 * without a reply.
 */
export const SyncReply = (p: { readonly slots: number }) =>
  struct({ slot: uint(slotBits(p)), op: uint(syncOpBits), status: uint(4), silent: bit, replyOpcode: uint(8) });

/** Whether an operation fetches a pointer. */
export const fetchesPointer = (op: UInt): Bit => op.ge(firstPointerOp);

/**
 * New value of the word `old` after an atomic. TAS stores 1 where 0 was, CAS stores swap where compare was, FAA adds
 * modulo 2^64, STORE stores its value. Combinational. @returns whether the word is written, and with what
 */
export function newWord(op: UInt, old: UInt, operands: UInt): { readonly writes: Bit; readonly word: UInt } {
  const low = operands.bits(0, wordBits),
    swap = operands.bits(operandBits - wordBits, wordBits);
  const tas = node(op.eq(syncOp.tas), { name: "is_tas" });
  const expected = mux(tas, constant(0, wordBits), low);
  const found = node(old.eq(expected), { name: "found_expected" });
  const sum = node(old.add(low), { name: "sum" });
  const word = priority([tas, 1], [op.eq(syncOp.cas), swap], [op.eq(syncOp.faa), sum], low);
  return {
    writes: fetchesPointer(op)
      .not()
      .and(found.or(op.eq(syncOp.faa)).or(op.eq(syncOp.store))),
    word,
  };
}
