import { type Served, simulatedSeconds } from "./serve.ts";

/** Counts of a served node, as a line. */
export function totals({ framesIn, framesOut, lost, cycles, busySeconds, idleSeconds }: Served): string {
  return `served: ${framesIn} frames in, ${framesOut} out${lost === 0 ? "" : `, ${lost} lost for want of room`}; ${cycles} cycles (${(
    simulatedSeconds(cycles) * 1e6
  ).toFixed(1)} us simulated) in ${busySeconds.toFixed(2)} s, asleep for ${idleSeconds.toFixed(2)} s`;
}
