import { type AtomicKind, atomicResult } from "./atomics.ts";

/** An operation on a word: an atomic, or a READ of the whole word. */
export interface WordOperation {
  readonly kind: AtomicKind | "read";
  readonly operand: bigint;
  readonly swap: bigint;
}

/**
 * One order in which the operations so far can have happened: the word after it, and what those found that have not
 * been answered yet.
 */
interface Order {
  readonly value: bigint;
  readonly found: ReadonlyMap<WordOperation, bigint>;
}

/**
 * Judges the atomics on one word: whether their outputs fit some order in which none comes before its issue or after
 * its reply. This is linearizability, judged while the run goes on, as in Lowe's "Testing for linearizability", 2017.
 * Keeps every order that is still possible; there are few, since each reply carries a value.
 */
export class WordHistory {
  private readonly pending = new Set<WordOperation>();
  private orders: readonly Order[];

  /** @param value the word before the first operation */
  constructor(value: bigint) {
    this.orders = [{ value, found: new Map() }];
  }

  /** Values that the word can have now, when nothing is under way. */
  get values(): readonly bigint[] {
    return [...new Set(this.orders.map(o => o.value))];
  }
  /** Operations under way. */
  get open(): number {
    return this.pending.size;
  }

  /** An operation is under way from now on. */
  issue(op: WordOperation): void {
    this.pending.add(op);
  }

  /**
   * An operation has been answered.
   * @param found the number that it found; undefined for a STORE, which does not tell
   * @returns false when no order of the operations explains it; the history then goes on as if it had not been
   */
  reply(op: WordOperation, found: bigint | undefined): boolean {
    const next = new Map<string, Order>(),
      seen = new Set<string>();
    const explore = (order: Order): void => {
      const key = this.keyOf(order);
      if (seen.has(key)) return;
      seen.add(key);
      const already = order.found.get(op);
      if (already !== undefined) {
        if (found !== undefined && already !== found) return;
        const left: Order = { value: order.value, found: new Map([...order.found].filter(([o]) => o !== op)) };
        next.set(this.keyOf(left), left);
        return;
      }
      for (const o of this.pending) if (!order.found.has(o)) explore(after(order, o));
    };
    for (const order of this.orders) explore(order);
    this.pending.delete(op);
    if (next.size === 0) {
      this.orders = this.without(op);
      return false;
    }
    this.orders = [...next.values()];
    return true;
  }

  /** An operation was answered that it failed: it has not been done in any order. */
  fail(op: WordOperation): void {
    this.pending.delete(op);
    const left = this.orders.filter(o => !o.found.has(op));
    this.orders = left.length > 0 ? left : this.without(op);
  }

  private without(op: WordOperation): readonly Order[] {
    return this.orders.map(o => ({ value: o.value, found: new Map([...o.found].filter(([k]) => k !== op)) }));
  }

  /** Operations by their number among those under way: equal keys are equal orders. */
  private keyOf({ value, found }: Order): string {
    return `${value} ${[...this.pending].map(o => found.get(o)?.toString() ?? "-").join(" ")}`;
  }
}

function after({ value, found }: Order, op: WordOperation): Order {
  const written = op.kind === "read" ? undefined : atomicResult({ ...op, kind: op.kind }, value);
  return { value: written ?? value, found: new Map(found).set(op, value) };
}
