/** Who waits for a region, first come, first served. */
import { later } from "./placing.ts";

interface Waiting<K, T> {
  readonly who: K;
  readonly done: Promise<T>;
  readonly answer: (done: T | PromiseLike<T>) => void;
}

/**
 * Asks for the first in line until that is served; behind it the next one is first. `wait` stands between two
 * questions. One who joins twice waits once. An error is the answer of the one for whom it came.
 */
export class WaitingLine<K, T> {
  readonly #line: Waiting<K, T>[] = [];
  readonly #serve: (who: K) => Promise<T | typeof later>;
  readonly #wait: () => Promise<void>;
  #serving = false;

  constructor(serve: (who: K) => Promise<T | typeof later>, wait: () => Promise<void> = () => Promise.resolve()) {
    this.#serve = serve;
    this.#wait = wait;
  }
  get isEmpty(): boolean {
    return this.#line.length === 0;
  }
  has(who: K): boolean {
    return this.#line.some(w => w.who === who);
  }
  /** @returns what came of it, when it was served */
  join(who: K): Promise<T> {
    const known = this.#line.find(w => w.who === who);
    if (known !== undefined) return known.done;
    let answer: Waiting<K, T>["answer"] = () => undefined;
    const done = new Promise<T>(resolve => (answer = resolve));
    this.#line.push({ who, done, answer });
    if (!this.#serving) void this.#run();
    return done;
  }
  /** It does not wait any more. */
  leave(who: K, done: T | PromiseLike<T>): void {
    const at = this.#line.findIndex(w => w.who === who);
    if (at >= 0) this.#line.splice(at, 1)[0]?.answer(done);
  }
  async #run(): Promise<void> {
    this.#serving = true;
    for (let [first] = this.#line; first !== undefined; [first] = this.#line) {
      const served = this.#serve(first.who),
        done = await served.catch(() => undefined);
      if (done === later) await this.#wait();
      else this.leave(first.who, served as Promise<T>);
    }
    this.#serving = false;
  }
}
