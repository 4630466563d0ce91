/** From step to step. */
import { when } from "../../../../../hdl-dsl/index.ts";
import type { Parts } from "./parts.ts";
import type { Turned } from "./pass.ts";

export function takeSteps({ kept: waits, steps }: Parts, turned: Turned): void {
  const {
    look: { op },
    head,
    done: { sends },
    wait,
    passed,
  } = turned;
  const { links, slot } = waits,
    { at, go } = steps,
    { was, due, lost } = head,
    { alone, hint, chased, lane, count } = wait,
    { catches, steps: isPassed, matches, gone, strides, goesOn, freed, dueThen, fewer } = passed;
  when(at.decide, () => {
    chased.set(dueThen);
    lane.set(was.lane);
    count.set(was.waits);
    gone.set(op.skip.and(due));
    strides.set(op.skip.or(lost));
    when(op.reply.and(sends.not()).andNot(catches), () => undefined)
      .elseWhen(isPassed.and(alone.not()), () => go("decide", "sort"))
      // Behind, or due: it goes now.
      .elseWhen(op.skip.and(isPassed.not()), () => go("decide", "release"))
      .elseWhen(op.control.and(alone.not()), () => {
        slot.set(0);
        go("decide", "flush");
      })
      .otherwise(() => go("decide", "select"));
  });
  when(at.sort, () => {
    slot.set(hint);
    go("sort", "check");
  });
  when(at.check, () => go("check", "found"));
  when(at.found, () => {
    chased.set(dueThen);
    when(matches, () => {
      gone.set(1);
      strides.set(0);
      go("found", "release");
    })
      .elseWhen(goesOn.and(count.any()), () => {
        gone.set(0);
        go("found", "sort");
      })
      .otherwise(() => go("found", "select"));
  });
  when(freed, () => {
    count.set(fewer);
    slot.set(links.readAsync(slot));
    go("release", "check");
  });
  when(at.flush, () => go("flush", "flushed"));
  when(at.flushed, () => {
    slot.set(slot.add(1));
    when(slot.all(), () => go("flushed", "select")).otherwise(() => go("flushed", "flush"));
  });
}
