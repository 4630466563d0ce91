/**
 * PANIC as its public code does it: a packet that a task has done goes to its next task past the scheduler, and only
 * asks the scheduler where that one has no credit. The device has no such way. So the scheduler's model is given the
 * device's times, held to all that the device shows, and then lets packets push on.
 */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { schedulerModel } from "../../model/index.ts";

const { chaining, pushed, timing } = schedulerModel;
type Timing = schedulerModel.Timing;

/** What the device takes for a sequence, by its lengths. */
export interface Shown {
  readonly whole: readonly number[];
  readonly half: readonly number[];
  readonly each: readonly number[];
}
/** Cycles that a task adds. */
function perTask(of: readonly number[], cycles: readonly number[]): number {
  const last = of.length - 1;
  return ((cycles[last] ?? NaN) - (cycles[0] ?? NaN)) / ((of[last] ?? NaN) - (of[0] ?? NaN));
}

/** The model's times for the device: two of them are told by its shortest sequence and its cycles a task. */
function timesOf(of: readonly number[], { whole, each }: Shown, task: number): Timing {
  const [n = NaN] = of,
    model = of.map(i => chaining(i, task).each),
    slower = { ...timing, back: timing.back + perTask(of, each) - perTask(of, model) };
  return { ...slower, intake: timing.intake + (whole[0] ?? NaN) - chaining(n, task, slower).whole };
}

/**
 * Cycles of a sequence whose packet pushes on. The way between two regions is that of a round of the device without
 * the scheduler in it.
 * @param task cycles of a task @param round of the scheduler, from a return to the next start
 * @throws CheckFailed when the model does not take as long as the device for what both can do
 */
export function pushedOn(of: readonly number[], shown: Shown, task: number, round: number): readonly number[] {
  const times = timesOf(of, shown, task);
  for (const [i, n] of of.entries()) {
    const model = chaining(n, task, times);
    for (const way of ["whole", "half", "each"] as const)
      if (model[way] !== shown[way][i])
        throw new CheckFailed(
          `${n} tasks, ${way}: the scheduler's model takes ${model[way]} cycles, and the device ${shown[way][i] ?? NaN}`,
        );
  }
  const between = perTask(of, shown.each) - perTask(of, shown.whole) - round;
  return of.map(n => pushed(n, task, between, times));
}
