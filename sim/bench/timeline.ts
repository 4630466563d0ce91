/** Items by due time: a binary heap, first come first served among equals. */
export class Timeline<T> {
  readonly #heap: { readonly due: number; readonly order: number; readonly item: T }[] = [];
  #order = 0;

  get size(): number {
    return this.#heap.length;
  }
  /** Due time of the first item; Infinity when there is none. */
  get next(): number {
    return this.#heap[0]?.due ?? Infinity;
  }

  add(due: number, item: T): void {
    const h = this.#heap;
    h.push({ due, order: this.#order++, item });
    for (let i = h.length - 1; i > 0;) {
      const parent = (i - 1) >> 1;
      if (!this.#before(i, parent)) break;
      this.#swap(i, parent);
      i = parent;
    }
  }

  /** Takes the first item when it is due at `now`. */
  take(now: number): T | undefined {
    const h = this.#heap,
      first = h[0];
    if (!first || first.due > now) return undefined;
    const last = h.pop();
    if (h.length > 0 && last) {
      h[0] = last;
      for (let i = 0; ;) {
        let least = i;
        for (const child of [2 * i + 1, 2 * i + 2]) if (child < h.length && this.#before(child, least)) least = child;
        if (least === i) break;
        this.#swap(i, least);
        i = least;
      }
    }
    return first.item;
  }

  #before(i: number, j: number): boolean {
    const a = this.#heap[i],
      b = this.#heap[j];
    return a !== undefined && b !== undefined && (a.due < b.due || (a.due === b.due && a.order < b.order));
  }
  #swap(i: number, j: number): void {
    const a = this.#heap[i],
      b = this.#heap[j];
    if (a && b) {
      this.#heap[i] = b;
      this.#heap[j] = a;
    }
  }
}
