/** What takes one access: UPDATE, FORGET, GRANT, and a look at a logged area. */
import { bit, fsm, reg, when } from "../../../../hdl-dsl/index.ts";
import type { Begin } from "./begin.ts";
import type { Shared } from "./shared.ts";
import { Verdict } from "./types.ts";

interface SingleStarts {
  readonly update: Begin;
  readonly floor: Begin;
  readonly area: Begin;
}

/** @returns whether the answer has an area behind it */
export function singleOf(e: Shared, starts: SingleStarts) {
  const { access, beats, table } = e,
    hasArea = reg(bit, { init: 0, name: "answers_with_area" });
  fsm(
    ["idle", "update", "floor", "area"],
    "idle",
    go => {
      const finish = (good: () => void): void => {
        when(access.done, () => {
          go.go("idle");
          e.end(Verdict.done);
          when(access.failed, () => e.verdict.set(Verdict.failed)).otherwise(good);
        });
      };
      return {
        idle: () => {
          when(starts.update.begins, () => go.go("update"));
          when(starts.floor.begins, () => go.go("floor"));
          when(starts.area.begins, () => {
            hasArea.set(0);
            go.go("area");
          });
        },
        update: () => finish(() => {}),
        // The floor and its owner are in memory before anything is let go.
        floor: () =>
          finish(() => {
            e.floors.put(beats.asked.lane, e.newFloor);
            table.end();
            table.known.set(0);
          }),
        area: () =>
          finish(() => {
            when(e.isSound, () => hasArea.set(1)).otherwise(() => e.verdict.set(Verdict.corrupt));
          }),
      };
    },
    { name: "single" },
  );
  return { hasArea, forget: (): void => hasArea.set(0) };
}
