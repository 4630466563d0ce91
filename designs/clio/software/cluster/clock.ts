/** Time and timers, ns, simulated or real, for the waits of a cluster's parts. */
export interface ClusterClock {
  now(): number;
  /** Calls `action` once, `ns` from now. */
  after(ns: number, action: () => void): { cancel(): void };
}
/** Resolves `ns` from now. */
export function pause(clock: ClusterClock, ns: number): Promise<void> {
  return new Promise(resolve => {
    clock.after(ns, resolve);
  });
}
