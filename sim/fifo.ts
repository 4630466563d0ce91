/** A queue whose cost per item does not grow with its length, as `Array.shift` does. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }
  /** The oldest item, left where it is. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }
  /** All of them, the oldest first; they stay. */
  list(): readonly T[] {
    return this.#items.slice(this.#head) as T[];
  }
  push(item: T): void {
    this.#items.push(item);
  }
  /** Takes the oldest item. */
  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length || this.#head >= 1024) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
