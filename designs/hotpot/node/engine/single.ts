/** What takes one access: UPDATE, FORGET, GRANT, and a look at a logged area. */
import { bit, fsm, reg, when } from "../../../../hdl-dsl/index.ts";
import type { Begin } from "./begin.ts";
import type { Shared } from "./shared.ts";

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
          when(access.failed, () => e.end("failed")).otherwise(good);
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
        update: () => finish(() => e.end("done")),
        // The floor and its owner are in memory before anything is let go.
        floor: () =>
          finish(() => {
            e.floors.put(beats.asked.lane, e.newFloor);
            table.end();
            table.known.set(0);
            e.end("done");
          }),
        area: () =>
          finish(() => {
            when(e.isSound, () => {
              hasArea.set(1);
              e.end("done");
            }).otherwise(() => e.end("corrupt"));
          }),
      };
    },
    { name: "single" },
  );
  return { hasArea, forget: (): void => hasArea.set(0) };
}
