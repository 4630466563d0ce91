/** Counts of a served design's network and clock. */
export interface Totals {
  /** Frames from the network and to it. */
  readonly framesIn: number;
  readonly framesOut: number;
  /** Frames lost for want of room in front of the design, or in the network on the way out. */
  readonly lost: number;
  /** Datagrams that the system dropped at full sockets. */
  readonly overflowed: number;
  /** Datagrams dropped because no frame holds them. */
  readonly tooLong: number;
  readonly cycles: number;
  /** Real time for which the clock ran, and for which it stood still, seconds. */
  readonly busySeconds: number;
  readonly idleSeconds: number;
}

/** What is said of a service that has not begun. */
export const neverServed = "ended while the model was being built; nothing was served";

/** Counts of a served design, as a line. @param periodNs nanoseconds of a cycle */
export function totalsLine(s: Totals, periodNs: number): string {
  const lost = [
    [s.lost, "lost for want of room"],
    [s.overflowed, "lost in the system's full sockets"],
    [s.tooLong, "dropped, longer than a frame"],
  ] as const;
  return `served: ${s.framesIn} frames in, ${s.framesOut} out${lost
    .filter(([n]) => n > 0)
    .map(([n, how]) => `, ${n} ${how}`)
    .join(
      "",
    )}; ${s.cycles} cycles (${((s.cycles * periodNs) / 1000).toFixed(1)} us simulated) in ${s.busySeconds.toFixed(2)} s, asleep for ${s.idleSeconds.toFixed(2)} s`;
}
