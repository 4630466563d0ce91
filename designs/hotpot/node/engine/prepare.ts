/** PREPARE of an area: into the log, a try of its home, the table; and records of whole commits. */
import { bit, cat, constant, fromBits, fsm, node, reg, when } from "../../../../hdl-dsl/index.ts";
import { opcodeBits } from "../../../clio/wire/index.ts";
import { bounds } from "../../wire/index.ts";
import type { Begin } from "./begin.ts";
import type { Front } from "./front.ts";
import type { Shared } from "./shared.ts";
import { CommitState, partBits } from "./types.ts";

interface PrepareStarts {
  /** The area's log has been asked for. */
  readonly log: Begin;
  /** All areas are held, and the record is to be written. */
  readonly record: Begin;
  /** A merged commit goes on. */
  readonly home: Begin;
}
/**
 * Nothing is kept of an area before its log is written and its home can be written.
 */
export function prepareOf(e: Shared, front: Front, starts: PrepareStarts): void {
  const { asked } = e.beats,
    { table, access } = e,
    part = asked.part.trunc(partBits),
    completes = reg(bit, { init: 0, name: "completes" }),
    mine = node(constant(1, bounds.parts).shl(part), { name: "own_part" });
  // With this area the commit has all of its own; the table says so two cycles later.
  completes.set(fromBits(Array.from({ length: bounds.parts }, (_, i) => asked.parts.gt(i))).eq(front.held.or(mine)));
  fsm(
    ["idle", "logged", "probed", "held", "whole", "signed", "recorded"],
    "idle",
    go => {
      const failed = (): void => {
        e.end("failed");
        go.go("idle");
      };
      const probe = (): void => {
        access.ask({
          ...{ opcode: opcodeBits.ATOMIC_FAA, home: 1, va: asked.va, lead: "zero", headed: 1 },
          ...{ bytes: constant(8, 14), sends: constant(8, 14), beats: e.nothing },
        });
        go.go("probed");
      };
      const keep = (): void => {
        when(table.known.not(), () => {
          table.set({ state: CommitState.gathering, name: { lane: asked.lane, seq: asked.seq, pid: e.pid } });
          table.writeMeta(asked);
        });
        table.set({ held: front.held.or(mine) });
        table.known.set(1);
        table.writeArea(part, asked.va, e.dataBeats);
        table.writeCrc(mine, cat(...Array.from({ length: bounds.parts }, () => e.ownCrc)));
        go.go("held");
      };
      return {
        idle: () => when(starts.log.begins, () => go.go("logged")).elseWhen(starts.record.begins, () => go.go("whole")),
        logged: () => when(access.done, () => e.otherwise(probe, failed)),
        probed: () => when(access.done, () => e.otherwise(keep, failed)),
        held: () => go.go("whole"),
        whole: () => {
          go.go("idle");
          when(completes, () => {
            e.record.sign(CommitState.prepared);
            go.go("signed");
          }).otherwise(() => e.end("done"));
        },
        signed: () =>
          when(e.record.ready, () => {
            e.writeLog(e.at.record, "record", e.nothing);
            go.go("recorded");
          }),
        recorded: () =>
          when(access.done, () =>
            e.otherwise(() => {
              table.set({ state: CommitState.prepared });
              go.go("idle");
              when(e.isMerged, () => starts.home.begin()).otherwise(() => e.end("done"));
            }, failed),
          ),
      };
    },
    { name: "prepare" },
  );
}
