import { Cancelled } from "../errors.ts";
import type { Scheduler } from "./scheduler.ts";
import { currentTask, type Task } from "./task.ts";

/**
 * One suspended await of a bench: settled by the scheduler or an event, or cancelled with its task. Thousands are made
 * per millisecond, so the open ones are a linked list through the waits themselves.
 */
export class Wait<T = unknown> {
  readonly promise: Promise<T>;
  readonly task: Task<unknown> | undefined;
  done = false;
  previous: Wait | undefined;
  next: Wait | undefined;
  #resolve!: (v: T) => void;
  #reject!: (e: unknown) => void;
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.task = currentTask.getStore();
    this.promise = new Promise<T>((ok, bad) => {
      this.#resolve = ok;
      this.#reject = bad;
    });
    scheduler.waits.add(this as Wait);
    if (scheduler.over || this.task?.cancelled) this.withdraw();
  }

  resolve(v: T): void {
    if (this.#leave()) this.#resolve(v);
  }
  reject(e: unknown): void {
    if (this.#leave()) this.#reject(e);
  }
  /**
   * Cancels it; perhaps it is not awaited any more, which is no failure. One of the background is left at the end as it
   * is: who began what nobody awaits could not be told of it.
   */
  withdraw(): void {
    if (this.done) return;
    if (this.#scheduler.over && this.task?.isBackground === true) {
      this.#leave();
      return;
    }
    this.promise.catch(() => {
      /* see above */
    });
    this.reject(new Cancelled());
  }

  #leave(): boolean {
    if (this.done) return false;
    this.done = true;
    this.#scheduler.waits.remove(this as Wait);
    return true;
  }
}

/** All waits that are open, in the order in which they began. */
export class OpenWaits {
  size = 0;
  /** Called when one begins. */
  begun: (() => void) | undefined;
  #first: Wait | undefined;
  #last: Wait | undefined;

  add(w: Wait): void {
    w.previous = this.#last;
    if (this.#last) this.#last.next = w;
    else this.#first = w;
    this.#last = w;
    this.size++;
    this.begun?.();
  }
  remove(w: Wait): void {
    if (w.previous) w.previous.next = w.next;
    else this.#first = w.next;
    if (w.next) w.next.previous = w.previous;
    else this.#last = w.previous;
    w.previous = w.next = undefined;
    this.size--;
  }
  /** Cancels those that `which` picks. */
  withdraw(which: (w: Wait) => boolean): void {
    for (let w = this.#first; w;) {
      const next: Wait | undefined = w.next;
      if (which(w)) w.withdraw();
      w = next;
    }
  }
}
