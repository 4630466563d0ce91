import { Cancelled } from "../errors.ts";
import type { Scheduler } from "./scheduler.ts";
import { currentTask, type Task } from "./task.ts";

const handle = Symbol("wait");

/** One suspended await of a bench: settled by the scheduler or an event, or cancelled with its task. */
export class Wait<T = unknown> {
  readonly promise: Promise<T>;
  #resolve!: (v: T) => void;
  #reject!: (e: unknown) => void;
  readonly #scheduler: Scheduler;
  readonly #task: Task<unknown> | undefined;
  done = false;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#task = currentTask.getStore();
    this.promise = new Promise<T>((ok, bad) => { this.#resolve = ok; this.#reject = bad; });
    (this.promise as { [handle]?: Wait<T> })[handle] = this;
    scheduler.waits.add(this as Wait);
    this.#task?.enter(this as Wait);
    if (scheduler.over || this.#task?.cancelled) this.reject(new Cancelled());
  }

  resolve(v: T): void {
    if (this.#leave()) this.#resolve(v);
  }
  reject(e: unknown): void {
    if (!this.#leave()) return;
    if (e instanceof Cancelled) this.promise.catch(() => { /* perhaps nobody listens any more */ });
    this.#reject(e);
  }

  /** Gives up waiting, with nobody listening any more. */
  withdraw(): void { this.reject(new Cancelled()); }

  #leave(): boolean {
    if (this.done) return false;
    this.done = true;
    this.#scheduler.waits.delete(this as Wait);
    this.#task?.leave(this as Wait);
    return true;
  }
}

/** The wait behind a promise that the harness gave, if it is one. */
export function waitOf(p: unknown): Wait | undefined {
  return typeof p === "object" && p !== null ? (p as { [handle]?: Wait })[handle] : undefined;
}
