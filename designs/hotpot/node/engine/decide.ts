/** What is done with a message: by its kind, and by what is known of it. */
import { constant, node, switchOn, when } from "../../../../hdl-dsl/index.ts";
import { opcodeBits } from "../../../clio/wire/index.ts";
import { bounds, floorBytes, kinds, states } from "../../wire/index.ts";
import type { Begin } from "./begin.ts";
import type { Front } from "./front.ts";
import type { Shared } from "./shared.ts";
import { partBits, placeBits, Verdict } from "./types.ts";

export interface Starts {
  readonly log: Begin;
  readonly record: Begin;
  readonly home: Begin;
  readonly update: Begin;
  readonly floor: Begin;
  readonly area: Begin;
  readonly recovery: Begin;
}
type Said = "done" | "busy" | "stale" | "unknown" | "cold" | "refused";

/** What is known of a message and its commit. */
function factsOf(e: Shared, front: Front) {
  const { table } = e;
  return {
    say: (v: Said): void => e.end(Verdict[v]),
    is: (s: keyof typeof states) => table.state.eq(states[s]),
    isClosed: node(e.open.not().andNot(e.isRedo), { name: "is_closed" }),
    isOther: node(table.known.and(front.samePid.not()), { name: "is_other_pid" }),
    contradicts: node(table.known.andNot(front.sameParts), { name: "contradicts" }),
    full: node(table.known.or(table.room).not(), { name: "is_full" }),
    repeats: node(table.known.and(front.wasHeld), { name: "repeats" }),
  };
}
type Facts = ReturnType<typeof factsOf>;

/** The two steps of a commit. */
function commits(e: Shared, front: Front, starts: Starts, facts: Facts) {
  const { table } = e,
    { asked } = e.beats,
    { say, is, isClosed, isOther, contradicts, full, repeats } = facts;
  const prepare = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(isClosed, () => say("cold"))
      .elseWhen(isOther.or(contradicts), () => say("refused"))
      .elseWhen(repeats, () => {
        // What did not go well the first time is tried again: the record of a whole commit, and a merged one's end.
        when(is("gathering").and(front.allHeld), () => starts.record.begin())
          .elseWhen(is("prepared").and(e.isMerged), () => starts.home.begin())
          .otherwise(() => say("done"));
      })
      .elseWhen(table.conflict.or(full), () => say("busy"))
      .otherwise(() => {
        e.writeLog(e.at.entry(asked.part), "head", e.dataBeats);
        starts.log.begin();
      });
  };
  const commit = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(table.known.not().or(is("gathering")), () => say("unknown"))
      .elseWhen(isOther, () => say("refused"))
      .elseWhen(is("committed"), () => say("done"))
      .otherwise(() => starts.home.begin());
  };
  return { prepare, commit };
}

/** What takes one access. */
function singles(e: Shared, front: Front, starts: Starts, { say, isClosed }: Facts) {
  const { table, access } = e,
    { asked } = e.beats;
  const update = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(isClosed, () => say("cold"))
      .otherwise(() => {
        e.writeHome(asked.va, e.dataBeats);
        starts.update.begin();
      });
  };
  const forget = (): void => {
    when(front.isOver, () => say("done"))
      .elseWhen(table.endsOthers, () => say("refused"))
      .otherwise(() => {
        const bytes = constant(floorBytes, 14);
        access.ask({
          ...{ opcode: opcodeBits.WRITE, home: 0, va: e.at.floor(asked.lane), bytes, sends: bytes },
          ...{ beats: e.nothing, lead: "floor", headed: 0 },
        });
        starts.floor.begin();
      });
  };
  return { update, forget };
}

/** A node that begins anew. */
function beginnings(e: Shared, starts: Starts, { say }: Facts) {
  const { table, access } = e,
    { asked } = e.beats;
  const recover = (): void => {
    table.known.set(0);
    when(e.cold.not(), () => {
      say("done");
      when(asked.seq.gt(e.start), () => e.start.set(asked.seq));
    }).otherwise(() => {
      access.ask({
        ...{ opcode: opcodeBits.READ, home: 0, va: e.at.start, bytes: constant(floorBytes * bounds.lanes, 14) },
        ...{ sends: constant(0, 14), beats: e.nothing, lead: "none", headed: 0 },
      });
      starts.recovery.begin();
    });
  };
  const open = (): void => {
    table.known.set(0);
    when(asked.seq.eq(e.start), () => {
      say("done");
      e.open.set(1);
    }).otherwise(() => say("stale"));
  };
  return { recover, open };
}

/** A look at what is known. */
function inspectOf(e: Shared, front: Front, starts: Starts, showPlace: () => void, facts: Facts): () => void {
  const { table } = e,
    { asked } = e.beats,
    { say, isOther, repeats } = facts;
  return () => {
    when(e.wantsData.not(), () => {
      showPlace();
      table.place.set(asked.part.trunc(placeBits).is(placeBits));
      say("done");
    })
      .elseWhen(front.isOver, () => say("stale"))
      .elseWhen(repeats.not(), () => say("unknown"))
      .elseWhen(isOther, () => say("refused"))
      .otherwise(() => {
        e.part.set(asked.part.trunc(partBits).resize(partBits + 1));
        e.readLog(e.at.entry(asked.part), bounds.areaBytes);
        starts.area.begin();
      });
  };
}

export function decide(e: Shared, front: Front, starts: Starts, showPlace: () => void): void {
  const { asked } = e.beats,
    facts = factsOf(e, front),
    { say } = facts;
  const { prepare, commit } = commits(e, front, starts, facts),
    { update, forget } = singles(e, front, starts, facts),
    { recover, open } = beginnings(e, starts, facts),
    inspect = inspectOf(e, front, starts, showPlace, facts);
  when(front.decides, () => {
    when(front.malformed, () => say("refused"))
      .elseWhen(asked.kind.eq(kinds.recover), recover)
      .elseWhen(e.cold, () => say("cold"))
      .otherwise(() => {
        switchOn(asked.kind)
          .is(kinds.prepare, prepare)
          .is(kinds.commit, commit)
          .is(kinds.update, update)
          .is(kinds.forget, forget)
          .is(kinds.open, open)
          .otherwise(inspect);
      });
  });
}
