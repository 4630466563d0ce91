import type { MemoryAccess, MemoryAnswer, OffloadMemory } from "../../clio/model/index.ts";
import { opcode, status } from "../../clio/wire/index.ts";
import type { Access, AccessAnswer } from "../model/index.ts";
import { wordBytes } from "../wire/index.ts";

const opcodes: Readonly<Record<Access["kind"], number>> = {
  load: opcode.READ,
  store: opcode.WRITE,
  tas: opcode.ATOMIC_TAS,
  cas: opcode.ATOMIC_CAS,
  faa: opcode.ATOMIC_FAA,
  put: opcode.ATOMIC_STORE,
};

/** Words as bytes, the lowest first, and back. */
export function bytesOfWords(words: readonly bigint[]): Uint8Array {
  const out = new DataView(new ArrayBuffer(wordBytes * words.length));
  words.forEach((w, i) => out.setBigUint64(wordBytes * i, BigInt.asUintN(64, w), true));
  return new Uint8Array(out.buffer);
}
export function wordsOfBytes(bytes: Uint8Array): bigint[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.length / wordBytes }, (_, i) => view.getBigUint64(wordBytes * i, true));
}

/** An access of a WIC as a process's request to a Clio node. */
export const clioAccess = (a: Access, pid: number): MemoryAccess => ({
  opcode: opcodes[a.kind],
  pid,
  va: a.va,
  length: wordBytes * a.words,
  data: bytesOfWords(a.sent),
});
/** Memory of a Clio node as the interpreter sees it. */
export const clioMemory =
  (memory: OffloadMemory, pid: number) =>
  (a: Access): AccessAnswer => {
    const answer: MemoryAnswer = memory.access(clioAccess(a, pid));
    return { status: answer.status, words: answer.status === status.OK ? wordsOfBytes(answer.data) : [] };
  };
