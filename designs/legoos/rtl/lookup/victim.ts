/** The machine that finds a victim and begins a miss. */
import {
  cat,
  connect,
  decode,
  fsm,
  literalOf,
  mux,
  onehotMux,
  stream,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Job, lineOf } from "../records/records.ts";
import { choose } from "./choose.ts";
import type { Decision } from "./decide.ts";
import type { Misses } from "./misses.ts";
import type { Parts } from "./parts.ts";
import type { SetRead } from "./read.ts";

interface Finding {
  readonly d: Decision;
  readonly known: Misses;
  /** Hits on their way to the line memory. */
  readonly level: UInt;
  readonly sets: SetRead;
}

/** It goes on when the hits before have left. @returns the machine */
export function findVictim({ io, p, memories, orders, stages }: Parts, { d, known, level, sets }: Finding) {
  const { tags } = memories,
    { begun, running } = orders,
    { read, reading } = sets,
    {
      second,
      secondValid,
      secondSet,
      way,
      wayOnehot,
      choice,
      holds,
      turns,
      victimTag,
      victimDirty,
      had,
      drained,
      fetches,
    } = stages;
  reading.set(0);
  begun.set(0);
  // Nothing comes to the queue while the machine is at work.
  drained.set(level.eq(0));
  running.set(0);
  const job = stream(Job(p));
  job.valid.set(0);
  const machine = fsm(["Run", "Choose", "Take", "Read", "Known", "Begin"], "Run", s => ({
    Run: () => {
      running.set(1);
      when(d.begins, () => {
        secondValid.set(1);
        s.go("Choose");
      });
    },
    Choose: () => {
      choice.set(choose(p, secondSet));
      s.go("Take");
    },
    Take: () => {
      const free = choice.free,
        taken = mux(fetches, mux(free, choice.freeWay, choice.victimWay), second.way);
      way.set(taken);
      wayOnehot.set(decode(taken, p.ways));
      holds.set(free.not().or(fetches.not()));
      turns.set(free.not().and(fetches));
      had.set(free.or(choice.victim).or(fetches.not()));
      s.go("Read");
    },
    Read: () => {
      reading.set(1);
      s.go("Known");
      when(had.not(), () => {
        secondValid.set(0);
        s.go("Run");
      });
    },
    Known: () => {
      victimTag.set(
        onehotMux(
          Array.from({ length: p.ways }, (_, w) => wayOnehot.bit(w)),
          read,
        ),
      );
      victimDirty.set(holds.and(secondSet.dirty.and(wayOnehot).any()));
      s.go("Begin");
    },
    Begin: () => {
      job.valid.set(drained);
      when(job.fire, () => {
        begun.set(1);
        secondValid.set(0);
        s.go("Run");
      });
    },
  }));
  job.payload.set({
    miss: known.next,
    place: cat(second.index, way),
    fetch: fetches,
    line: literalOf(Job(p).fields.line, lineOf(p, second.index, second.tag)),
    dirty: victimDirty,
    victim: literalOf(Job(p).fields.victim, lineOf(p, second.index, victimTag)),
  });
  connect(job, io.job);
  tags.forEach((t, w) => t.write(begun.and(fetches).and(wayOnehot.bit(w)), second.index, second.tag));
  return machine;
}
