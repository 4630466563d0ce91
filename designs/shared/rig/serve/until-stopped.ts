import { toolsUntil } from "../../../../sim/index.ts";

/** Milliseconds after the end was asked for that are left to what is under way; what is stuck then is left. */
const LINGER_MS = 1000;

/** The service was ended while its model was built. */
class Stopped extends Error {}

/**
 * Runs a service. Tools that compile its model are killed when `stop` settles.
 * @param run gets a signal that is given when `stop` settles
 * @returns undefined when `stop` came while the model was built
 */
export async function untilStopped<T>(
  stop: Promise<unknown>,
  run: (ended: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const ended = new AbortController(),
    reason = new Stopped();
  stop.finally(() => ended.abort(reason)).catch(() => undefined);
  try {
    return await toolsUntil.run(ended.signal, () => run(ended.signal));
  } catch (e) {
    if (e === reason) return undefined;
    throw e;
  }
}

/** Settles when what was under way at `stop` has had its time. */
export async function lingered(stop: Promise<unknown>): Promise<void> {
  await stop.catch(() => undefined);
  await new Promise<void>(resolve => {
    setTimeout(resolve, LINGER_MS).unref();
  });
}
