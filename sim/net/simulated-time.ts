import { afterPromises } from "../host.ts";
import { Timeline } from "../bench/timeline.ts";
import { HangError } from "../errors.ts";

/** How long to wait, ns, and the message about the waiters. */
export interface RunLimits {
  readonly limitNs?: number;
  readonly describe?: () => string;
}
interface Due {
  readonly action: () => void;
  cancelled: boolean;
}

/**
 * Simulated time in ns and what is due in it. Without a source it runs from event to event (`run`), for models without
 * a clock. Given a source (a bench's cycles) it follows that, and the source's owner calls `advance`. Actions due at
 * one time are done in the order in which they were scheduled.
 */
export class SimulatedTime {
  readonly #source: (() => number) | undefined;
  readonly #due = new Timeline<Due>();
  #now = 0;

  /** @param source the time, ns; it never goes back */
  constructor(source?: () => number) {
    this.#source = source;
  }

  now(): number {
    return this.#source?.() ?? this.#now;
  }
  /** Time of the first thing due; Infinity when nothing is. */
  get next(): number {
    return this.#due.next;
  }

  /** Calls `action` once, `ns` from now (at once, but not before this call returns, when 0). */
  after(ns: number, action: () => void): { cancel(): void } {
    const due: Due = { action, cancelled: false };
    this.#due.add(this.now() + Math.max(0, ns), due);
    return {
      cancel: () => {
        due.cancelled = true;
      },
    };
  }

  /** Does what is due until now. */
  advance(): void {
    const now = this.now();
    while (this.#due.next <= now) this.#one(now);
  }

  /**
   * Runs from event to event until `body` settles; all promises have their turn after each event.
   * @throws HangError when nothing is due any more, or `limitNs` have gone by, and `body` still waits
   */
  async run<T>(
    body: Promise<T>,
    { limitNs = Number.POSITIVE_INFINITY, describe = () => "" }: RunLimits = {},
  ): Promise<T> {
    const ended = { value: false },
      from = this.#now;
    const done = (): void => {
      ended.value = true;
    };
    body.then(done, done);
    for (;;) {
      await promisesSettled();
      if (ended.value) return body;
      const at = this.#due.next;
      if (at === Number.POSITIVE_INFINITY) {
        throw new HangError(`nothing is due at ${this.#now} ns, and what was waited for has not come\n${describe()}`);
      }
      if (at - from > limitNs) throw new HangError(`what was waited for has not come in ${limitNs} ns\n${describe()}`);
      this.#now = Math.max(this.#now, at);
      this.#one(this.#now);
    }
  }

  #one(now: number): void {
    const due = this.#due.take(now);
    if (due?.cancelled === false) due.action();
  }
}

/**
 * Resolves when every promise that could settle without an outside event has: a nextTick queued from a microtask runs
 * once the microtasks are done.
 */
function promisesSettled(): Promise<void> {
  return new Promise(resolve => queueMicrotask(() => afterPromises(resolve)));
}
