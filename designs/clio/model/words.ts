import { type Access, isAtomic, wordBytes, wordBytesOf } from "./access.ts";
import type { ByteHistory } from "./byte-history.ts";
import { WordHistory, type WordOperation } from "./word-history.ts";

/**
 * An operation's part in its word's history. `history` is undefined when the word's value at its start was not known,
 * so nothing can be said of it.
 */
export interface WordPart {
  readonly word: Word;
  readonly operation: WordOperation;
}
interface Word {
  readonly pid: number;
  readonly va: bigint;
  history: WordHistory | undefined;
  /** When its value may last have changed. */
  changed: number;
  /** Atomics and plain writes under way. */
  atomics: number;
  writes: number;
  /**
   * The two overlapped in time, in no order (rules.md, section 6). The word is unknown until a plain write has
   * it for itself.
   */
  mixed: boolean;
}
/** Bytes of an access, counted from its first. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The words that atomics work on, beside the bytes of reads and writes. While an atomic is under way, the word's
 * history alone has its value. When none is, the value goes to the page's bytes, so that plain reads are judged by it.
 * A plain write takes the word back.
 */
export class Words {
  private readonly words = new Map<number, Map<bigint, Word>>();

  /**
   * The part of an atomic, or of a READ of a whole word that atomics work on; undefined for every other access.
   * @param initial the word's value in the page's bytes, when it is known
   */
  begin({ kind, pid, va, length, operand, swap }: Access, initial: () => bigint | undefined): WordPart | undefined {
    const known = this.words.get(pid)?.get(va);
    if (!isAtomic(kind))
      return kind === "read" && length === wordBytes && known?.history
        ? this.part(known, { kind, operand, swap })
        : undefined;
    return this.part(known ?? this.add(pid, va, initial()), { kind, operand, swap });
  }
  private part(word: Word, operation: WordOperation): WordPart {
    if (word.writes > 0) mix(word);
    word.history?.issue(operation);
    word.atomics++;
    word.changed = Number.POSITIVE_INFINITY;
    return { word, operation };
  }
  private add(pid: number, va: bigint, value: bigint | undefined): Word {
    const word: Word = {
      pid,
      va,
      history: value === undefined ? undefined : new WordHistory(value),
      changed: Number.POSITIVE_INFINITY,
      atomics: 0,
      writes: 0,
      mixed: value === undefined,
    };
    const own = this.words.get(pid) ?? new Map<bigint, Word>();
    this.words.set(pid, own.set(va, word));
    return word;
  }

  /** An operation has ended. @param bytes the page's bytes, where the word stands from `start` on */
  end({ word, operation }: WordPart, ok: boolean, time: number, bytes: ByteHistory | undefined, start: number): void {
    word.atomics--;
    if (!ok) word.history?.fail(operation);
    if (!word.history || word.history.open > 0 || this.words.get(word.pid)?.get(word.va) !== word) return;
    word.changed = time;
    for (const value of word.history.values)
      bytes?.add({ start, data: wordBytesOf(value), issued: time, replied: time });
  }

  /** A plain write is under way: with atomics on the same word it is in no order. */
  writing(pid: number, va: bigint, length: number): void {
    for (const w of this.overlapping(pid, va, length)) {
      // A write that covers a part of an unknown word leaves the rest unknown.
      const whole = va <= w.va && w.va + BigInt(wordBytes) <= va + BigInt(length);
      if (w.atomics > 0) mix(w);
      else if (w.writes === 0 && whole) w.mixed = false;
      w.writes++;
    }
  }

  /** A plain write has ended: when it had a word for itself, and was done, that is known by the bytes alone. */
  written(pid: number, va: bigint, length: number, done: boolean): void {
    for (const w of this.overlapping(pid, va, length)) {
      w.writes = Math.max(0, w.writes - 1);
      if (done && !w.mixed) this.words.get(pid)?.delete(w.va);
    }
  }

  /** Some unknown word of the process is written. */
  lose(pid: number): void {
    for (const w of this.words.get(pid)?.values() ?? []) mix(w);
  }

  /** The memory is gone: nothing is known of its words. */
  forget(pid: number, va: bigint, length: number): void {
    for (const w of this.overlapping(pid, va, length)) this.words.get(pid)?.delete(w.va);
  }

  /** Parts of an access issued at `issued` whose value the bytes do not give, in order. */
  unsettled(pid: number, va: bigint, length: number, issued: number): Span[] {
    return this.overlapping(pid, va, length)
      .filter(w => w.changed >= issued)
      .map(w => ({ from: Math.max(0, Number(w.va - va)), to: Math.min(length, Number(w.va - va) + wordBytes) }))
      .sort((a, b) => a.from - b.from);
  }

  private overlapping(pid: number, va: bigint, length: number): Word[] {
    const own = this.words.get(pid);
    if (!own) return [];
    const end = va + BigInt(length),
      first = va - BigInt(wordBytes) + 1n;
    // Few words and long accesses, or the other way round.
    if (own.size < length) return [...own.values()].filter(w => w.va >= first && w.va < end);
    const out: Word[] = [];
    for (let at = first; at < end; at++) {
      const w = own.get(at);
      if (w) out.push(w);
    }
    return out;
  }
}

function mix(word: Word): void {
  word.mixed = true;
  word.history = undefined;
  word.changed = Number.POSITIVE_INFINITY;
}

/** The parts of 0 .. length that lie outside the spans. */
export function outside(length: number, spans: readonly Span[]): Span[] {
  const out: Span[] = [];
  let from = 0;
  for (const s of spans) {
    if (s.from > from) out.push({ from, to: s.from });
    from = Math.max(from, s.to);
  }
  if (from < length) out.push({ from, to: length });
  return out;
}
