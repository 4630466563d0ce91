import { Cancelled } from "../errors.ts";
import { Following } from "../host.ts";
import type { Scheduler } from "./scheduler.ts";

/** Task that the running code belongs to; undefined in the bench's main function. */
export const currentTask = new Following<Task<unknown> | undefined>();

/**
 * A spawned part of a bench. Await it for its result; a failure that is not awaited fails the whole bench. A task still
 * running at the end is cancelled: its wait throws `Cancelled`, so its `finally` blocks run.
 */
export class Task<T> implements PromiseLike<T> {
  readonly #promise: Promise<T>;
  readonly #scheduler: Scheduler;
  readonly #children: Task<unknown>[] = [];
  #observed = false;
  #cancelled = false;
  #settled = false;

  /** It is left where it waits when the bench ends, and not cancelled; so is all that was begun in it. */
  readonly isBackground: boolean;

  constructor(scheduler: Scheduler, body: () => Promise<T>, isBackground = false) {
    this.#scheduler = scheduler;
    this.isBackground = isBackground;
    if (!isBackground) currentTask.getStore()?.adopt(this);
    this.#promise = currentTask.run(this, async () => {
      try {
        return await body();
      } finally {
        this.#settled = true;
      }
    });
    this.#promise.catch((e: unknown) => {
      if (!this.#observed && !(this.#cancelled && e instanceof Cancelled)) scheduler.fail(e);
    });
  }

  /** Settles with the task, and does not count as awaiting it. */
  get ended(): Promise<unknown> {
    return this.#promise;
  }
  get cancelled(): boolean {
    return this.#cancelled;
  }
  get settled(): boolean {
    return this.#settled;
  }

  then<A = T, B = never>(
    ok?: ((v: T) => A | PromiseLike<A>) | null,
    bad?: ((e: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#observed = true;
    return this.#promise.then(ok, bad);
  }

  /** Stops the task and those it spawned at the wait where they are. */
  cancel(): void {
    if (this.#settled || this.#cancelled) return;
    this.#cancelled = true;
    for (const c of this.#children) c.cancel();
    this.#scheduler.waits.withdraw(w => w.task === this);
  }

  private adopt(child: Task<unknown>): void {
    this.#children.push(child);
  }
}
