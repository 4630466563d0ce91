/** What is done with a message: by its kind, and by what is known of it. */
import { constant, node, switchOn, when } from "../../../../hdl-dsl/index.ts";
import { opcodeBits } from "../../../clio/wire/index.ts";
import { bounds, floorBytes, kinds, states } from "../../wire/index.ts";
import type { Begin } from "./begin.ts";
import type { Front } from "./front.ts";
import type { Shared } from "./shared.ts";
import { kindBits, partBits, placeBits } from "./types.ts";

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

/** What the answer tells besides: a place of the table, a lane. */
interface Shows {
  readonly place: () => void;
  readonly lane: () => void;
}

/** What is known of a message and its commit. */
function factsOf(e: Shared, front: Front) {
  const { table } = e;
  return {
    say: (v: Said): void => e.end(v),
    is: (s: keyof typeof states) => front.state.eq(states[s]),
    isClosed: node(e.open.not().andNot(e.isRedo), { name: "is_closed" }),
    contradicts: node(table.known.andNot(front.sameParts), { name: "contradicts" }),
    repeats: node(table.known.and(front.wasHeld), { name: "repeats" }),
  };
}
type Facts = ReturnType<typeof factsOf>;

/** The two steps of a commit. */
function commits(e: Shared, front: Front, starts: Starts, facts: Facts) {
  const { table } = e,
    { asked } = e.beats,
    { say, is, isClosed, contradicts, repeats } = facts;
  const prepare = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(isClosed, () => say("cold"))
      .elseWhen(contradicts, () => say("refused"))
      .elseWhen(repeats, () => {
        // What did not go well the first time is tried again: the record of a whole commit, and a merged one's end.
        when(is("gathering").and(front.allHeld), () => starts.record.begin())
          .elseWhen(is("prepared").and(e.isMerged), () => starts.home.begin())
          .otherwise(() => say("done"));
      })
      .elseWhen(table.conflict.or(front.noPlace), () => say("busy"))
      .otherwise(() => {
        e.writeLog(e.at.entry(asked.part), "head", e.dataBeats);
        starts.log.begin();
      });
  };
  const commit = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(table.known.not().or(is("gathering")), () => say("unknown"))
      .elseWhen(is("committed"), () => say("done"))
      .otherwise(() => starts.home.begin());
  };
  return { prepare, commit };
}

/** What takes one write: of a replica's area, or of a lane's floor and owner. */
function singles(e: Shared, front: Front, starts: Starts, { say, isClosed }: Facts) {
  const { asked } = e.beats;
  const update = (): void => {
    when(front.isOver, () => say("stale"))
      .elseWhen(isClosed, () => say("cold"))
      .otherwise(() => {
        e.writeHome(asked.va, e.dataBeats);
        starts.update.begin();
      });
  };
  const writeFloor = (): void => {
    const bytes = constant(floorBytes, 14);
    e.access.ask({
      ...{ opcode: opcodeBits.WRITE, home: 0, va: e.at.floor(asked.lane), bytes, sends: bytes },
      ...{ beats: e.nothing, lead: "floor", headed: 0 },
    });
    starts.floor.begin();
  };
  const forget = (): void => {
    when(front.isOver, () => say("done")).otherwise(writeFloor);
  };
  const grant = (): void => {
    // A number is given once: what a network kept of an older GRANT gives nobody a lane.
    when(front.isOver.and(front.isGranted), () => say("done"))
      .elseWhen(front.isOver, () => say("stale"))
      // What decided commits owe a closed node is not in its table yet: only recovery gives lanes then.
      .elseWhen(isClosed, () => say("cold"))
      .elseWhen(front.laneIsBusy, () => say("busy"))
      .otherwise(writeFloor);
  };
  return { update, forget, grant };
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

/** A look at what is known: a place of the table, or an area of the asking process's commit. */
function inspectOf(e: Shared, front: Front, starts: Starts, { say, repeats }: Facts, shows: Shows): () => void {
  const { asked } = e.beats;
  return () => {
    when(e.wantsData.not(), () => {
      shows.place();
      shows.lane();
      e.table.place.set(asked.part.trunc(placeBits).is(placeBits));
      say("done");
    })
      .elseWhen(front.isOver, () => say("stale"))
      .elseWhen(repeats.not(), () => say("unknown"))
      .otherwise(() => {
        e.part.set(asked.part.trunc(partBits).resize(partBits + 1));
        e.readLog(e.at.entry(asked.part), bounds.areaBytes);
        starts.area.begin();
      });
  };
}

/** Who may say it comes first: a stranger learns nothing of a lane. */
export function decide(e: Shared, front: Front, starts: Starts, shows: Shows): void {
  const facts = factsOf(e, front),
    { say } = facts;
  const { prepare, commit } = commits(e, front, starts, facts),
    { update, forget, grant } = singles(e, front, starts, facts),
    { recover, open } = beginnings(e, starts, facts),
    inspect = inspectOf(e, front, starts, facts, shows);
  const granted = (): void => {
    shows.lane();
    grant();
  };
  when(front.decides, () => {
    when(front.malformed, () => say("refused"))
      .elseWhen(front.isRecover.andNot(front.mayNot), recover)
      .elseWhen(e.cold.andNot(front.isRecover), () => say("cold"))
      .elseWhen(front.mayNot, () => {
        e.table.known.set(0);
        say("refused");
      })
      .otherwise(() => {
        // Kinds with more bits than the last one's are malformed.
        switchOn(e.beats.asked.kind.trunc(kindBits))
          .is(kinds.prepare, prepare)
          .is(kinds.commit, commit)
          .is(kinds.update, update)
          .is(kinds.forget, forget)
          .is(kinds.open, open)
          .is(kinds.grant, granted)
          .otherwise(inspect);
      });
  });
}
