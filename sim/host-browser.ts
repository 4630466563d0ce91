/** What the harness asks of the runtime under it, here a browser. */

let current: unknown;

/**
 * A value that follows the code through its awaits. Browsers have none of their own yet: a callback of a promise runs
 * with the value that stood where it was given. Bundles have their async functions lowered to such callbacks.
 */
export class Following<T> {
  getStore(): T | undefined {
    // One instance there is: that of the running task.
    return current as T | undefined;
  }
  run<R>(value: T, body: () => R): R {
    return during(value, body);
  }
}

function during<R>(value: unknown, body: () => R): R {
  const before = current;
  current = value;
  try {
    return body();
  } finally {
    current = before;
  }
}

type Callback = ((value: never) => unknown) | null | undefined;
const bound = (f: Callback): Callback => {
  if (typeof f !== "function") return f;
  const value = current;
  return v => during(value, () => f(v));
};
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its promise below
const then = Promise.prototype.then as (this: unknown, ok?: Callback, bad?: Callback) => never;
Promise.prototype.then = function (this: Promise<unknown>, ok?: Callback, bad?: Callback): never {
  return then.call(this, bound(ok), bound(bad));
};

/** An await of what is no promise asks it for its result a turn later: with the value that stands now. */
const resolved = Promise.resolve.bind(Promise) as unknown as (v: unknown) => never;
Promise.resolve = (v?: unknown): never => {
  if (v === null || typeof v !== "object" || v instanceof Promise || !("then" in v)) return resolved(v);
  const thenable = v as PromiseLike<unknown>,
    value = current;
  return resolved({
    then: (ok: (x: unknown) => void, bad: (e: unknown) => void) => during(value, () => thenable.then(ok, bad)),
  });
};

/** A variable of the environment: a page has none, and writes no waves. */
export const environment = (name: string): string | undefined => (name === "MNEMO_WAVE" ? "0" : undefined);
/** Says a text beside the output. */
export const say = (text: string): void => console.warn(text);

const { port1: begin, port2: end } = new MessageChannel(),
  waiting: (() => void)[] = [];
// Set as one does in a browser: the types here are those of Node.
Object.assign(end, { onmessage: () => waiting.shift()?.() });
/** Called from a microtask: calls `then` once no promise is left that could settle by itself. */
export function afterPromises(done: () => void): void {
  waiting.push(done);
  begin.postMessage(0);
}
/** Calls `done` after timers and input of the page had their turn. */
export const afterOthers = (done: () => void): void => {
  setTimeout(done, 0);
};

export const fromHere = (path: string): string => path;

/** A page has no files. */
export const addToOwnFile = (): never => {
  throw new Error("a page writes no files");
};
export const waveFile = (): never => {
  throw new Error("a page writes no wave files: read signals in the bench instead");
};
