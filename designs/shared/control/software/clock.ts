/** Time and timers, ns, simulated or real: what software that is also simulated waits by. */
export interface Clock {
  now(): number;
  /** Calls `action` once, `ns` from now. */
  after(ns: number, action: () => void): { cancel(): void };
}
/** Resolves `ns` from now. */
export function pause(clock: Clock, ns: number): Promise<void> {
  return new Promise(resolve => {
    clock.after(ns, resolve);
  });
}
