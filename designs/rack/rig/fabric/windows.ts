/** One window of time after another, in which the threads run side by side. */
import type { SimulatedTime } from "../../../../sim/index.ts";
import type { Elsewhere, SetTimes } from "./elsewhere.ts";
import type { Step } from "./step.ts";

export interface WindowsOptions {
  readonly step: Step;
  readonly elsewhere: readonly Elsewhere[];
  /** Cycles of a window: no line between two members is shorter. */
  readonly length: number;
  readonly times: readonly SimulatedTime[];
  readonly set: SetTimes;
  /** Told of members elsewhere that have started, with the cycle. */
  readonly started: (member: number, cycle: number) => void;
}

/**
 * Runs all members in windows until `isOver` says that it is enough. A frame that is sent in a window arrives in a
 * later one. So the threads tell each other between two windows, and the run is the same as that of one thread.
 * @throws what a member elsewhere throws
 */
export async function runWindows(o: WindowsOptions, isOver: () => boolean): Promise<void> {
  for (let cycle = o.length; !isOver(); cycle += o.length) {
    for (const { members } of o.elsewhere)
      for (const m of members) o.set.advance(m, o.times[m] as SimulatedTime, cycle);
    const windows = o.elsewhere.map(e => e.advance(cycle)),
      here = o.step.until(cycle);
    // What came is told when all stand still, so that its order does not depend on who was faster.
    const [came] = await Promise.all([Promise.all(windows), here]);
    for (const [i, { sent, started }] of came.entries()) {
      for (const passage of sent) {
        o.set.set(passage.member, passage.ns);
        o.elsewhere[i]?.replay(passage);
      }
      for (const s of started) o.started(s.member, s.cycle);
    }
  }
}
