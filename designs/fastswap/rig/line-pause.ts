import type { Pause } from "../../../sim/index.ts";

/**
 * A line behind a port of 64-byte beats: it takes a beat each 512 bits' time, so that what waits for the line waits in
 * the hardware, where its order is decided. @param gbps of the line @param periodNs of the clock
 */
export function linePause(gbps: number, periodNs: number, beatBits = 512): Pause {
  const share = (gbps * periodNs) / beatBits;
  let due = 1;
  return Object.assign(
    () => {
      due += share;
      if (due < 1) return true;
      // A line that was idle has saved nothing.
      due = Math.min(due - 1, 1);
      return false;
    },
    {
      state: {
        get: () => [due],
        set: ([d = 1]: readonly number[]) => {
          due = d;
        },
      },
    },
  );
}
