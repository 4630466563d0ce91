/** The log goes home: an area after another, and then the record says so (section 2.6.2: the checkpoint). */
import { cat, constant, fsm, when } from "../../../../hdl-dsl/index.ts";
import type { Begin } from "./begin.ts";
import type { Shared } from "./shared.ts";
import { CommitState } from "./types.ts";

/** From its first area, whatever was done before: it can be done any number of times. */
export function homeOf(e: Shared, { begins }: Begin): void {
  const { access, table, home } = e;
  fsm(
    ["idle", "look", "ask", "read", "wrote", "signed", "recorded"],
    "idle",
    go => {
      const over = (verdict: "failed" | "corrupt"): void => {
        e.end(verdict);
        go.go("idle");
      };
      const failed = (): void => over("failed");
      return {
        idle: () =>
          when(begins, () => {
            e.part.set(0);
            go.go("look");
          }),
        look: () => go.go("ask"),
        ask: () => {
          access.read(e.at.entry(e.part), cat(home.beats.addGrow(1), constant(0, 6)));
          go.go("read");
        },
        read: () =>
          when(access.done, () =>
            e.otherwise(() => {
              when(e.isSound, () => {
                e.writeHome(home.va, home.beats);
                go.go("wrote");
              }).otherwise(() => over("corrupt"));
            }, failed),
          ),
        wrote: () =>
          when(access.done, () =>
            e.otherwise(() => {
              e.part.set(e.part.add(1));
              go.go("look");
              when(e.lastPart, () => {
                e.record.sign(CommitState.committed);
                go.go("signed");
              });
            }, failed),
          ),
        signed: () =>
          when(e.record.ready, () => {
            e.writeLog(e.at.record, "record", e.nothing);
            go.go("recorded");
          }),
        recorded: () =>
          when(access.done, () =>
            e.otherwise(() => {
              table.set({ state: CommitState.committed });
              e.end("done");
              go.go("idle");
            }, failed),
          ),
      };
    },
    { name: "checkpoint" },
  );
}
