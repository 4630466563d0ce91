import { Fifo } from "../fifo.ts";
import type { Scheduler } from "./scheduler.ts";
import { Wait } from "./wait.ts";

/** Something that happens once: `set` wakes all waiters, later ones do not wait. `clear` makes it wait again. */
export class Event<T = void> {
  readonly #scheduler: Scheduler;
  #waiting: Wait<T>[] = [];
  #fired: { readonly value: T } | undefined;
  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }
  get isSet(): boolean {
    return this.#fired !== undefined;
  }
  set(value: T): void {
    this.#fired = { value };
    const all = this.#waiting;
    this.#waiting = [];
    for (const w of all) w.resolve(value);
  }
  clear(): void {
    this.#fired = undefined;
  }
  wait(): Promise<T> {
    const w = new Wait<T>(this.#scheduler);
    if (this.#fired) w.resolve(this.#fired.value);
    else this.#waiting.push(w);
    return w.promise;
  }
}

/** One holder at a time, first come first served. */
export class Lock {
  readonly #scheduler: Scheduler;
  readonly #waiting = new Fifo<Wait<void>>();
  #held = false;
  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }
  get held(): boolean {
    return this.#held;
  }
  acquire(): Promise<void> {
    const w = new Wait<void>(this.#scheduler);
    if (w.done) return w.promise;
    if (this.#held) this.#waiting.push(w);
    else {
      this.#held = true;
      w.resolve();
    }
    return w.promise;
  }
  release(): void {
    // Waiters cancelled meanwhile are passed over.
    for (let w = this.#waiting.shift(); w; w = this.#waiting.shift())
      if (!w.done) {
        w.resolve();
        return;
      }
    this.#held = false;
  }
  /** Runs `body` while holding the lock, and releases it however that ends. */
  async with<T>(body: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await body();
    } finally {
      this.release();
    }
  }
}

/** First in, first out; `get` waits while empty, `put` while full. */
export class Queue<T> {
  readonly capacity: number;
  readonly #scheduler: Scheduler;
  readonly #items = new Fifo<T>();
  readonly #getters = new Fifo<Wait<T>>();
  readonly #putters = new Fifo<{ readonly wait: Wait<void>; readonly item: T }>();
  constructor(scheduler: Scheduler, capacity = Infinity) {
    this.#scheduler = scheduler;
    this.capacity = capacity;
  }
  get length(): number {
    return this.#items.length;
  }

  /** Puts without waiting. @returns false when full. */
  offer(item: T): boolean {
    for (let g = this.#getters.shift(); g; g = this.#getters.shift())
      if (!g.done) {
        g.resolve(item);
        return true;
      }
    if (this.#items.length >= this.capacity) return false;
    this.#items.push(item);
    return true;
  }
  put(item: T): Promise<void> {
    const wait = new Wait<void>(this.#scheduler);
    if (wait.done) return wait.promise;
    if (this.offer(item)) wait.resolve();
    else this.#putters.push({ wait, item });
    return wait.promise;
  }
  get(): Promise<T> {
    const w = new Wait<T>(this.#scheduler);
    if (w.done) return w.promise;
    if (this.#items.length === 0) {
      this.#getters.push(w);
      return w.promise;
    }
    w.resolve(this.#items.shift() as T);
    for (let p = this.#putters.shift(); p; p = this.#putters.shift()) {
      if (p.wait.done) continue;
      this.#items.push(p.item);
      p.wait.resolve();
      break;
    }
    return w.promise;
  }
}
