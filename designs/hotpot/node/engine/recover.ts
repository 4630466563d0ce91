/** RECOVER: the floors, then each place of the log (section 2.6.4). */
import {
  bit,
  cat,
  constant,
  fsm,
  type FsmControl,
  node,
  onehotMux,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { cutFields } from "../../../shared/frame/index.ts";
import { bounds, commitRecord, floorBytes, headBytes, laneFloor, states } from "../../wire/index.ts";
import type { Begin } from "./begin.ts";
import type { Shared } from "./shared.ts";
import { CommitState, laneBits, lineBits } from "./types.ts";

const perBeat = headBytes / floorBytes,
  wordBits = Math.log2(perBeat);

/** The word of a line that a number names. */
const wordAt = (line: UInt, at: UInt): UInt =>
  onehotMux(
    Array.from({ length: perBeat }, (_, i) => at.eq(i)),
    Array.from({ length: perBeat }, (_, i) => line.bits(8 * floorBytes * i, 8 * floorBytes)),
  );

const machine = [
  ...(["idle", "floors", "word", "record", "read", "sum", "fold", "judge", "kept", "named", "look"] as const),
  ...(["ask", "area", "own", "next"] as const),
] as const;
type Control = FsmControl<(typeof machine)[number]>;

/** What is known of the record at hand. */
function foundOf(e: Shared) {
  const { beats } = e;
  const record = cutFields(commitRecord, beats.line),
    word = reg(uint(laneBits), { init: 0, name: "floor_word" }),
    state = reg(CommitState, { init: "free", name: "found_state" }),
    kept = (name: string) => reg(bit, { init: 0, name }),
    isSound = kept("record_is_sound"),
    isFormed = kept("record_is_formed"),
    isOver = kept("record_is_over"),
    isOwners = kept("record_is_owners"),
    isArea = kept("area_is_sound"),
    isOwn = kept("area_is_own");
  const lives = node(isSound.and(isFormed).and(isOwners).andNot(isOver), { name: "record_lives" });
  return { record, word, state, isSound, isFormed, isOver, isOwners, isArea, isOwn, lives };
}
type Found = ReturnType<typeof foundOf>;

/** The floors, all of them. */
function floorSteps(e: Shared, { begins }: Begin, { word }: Found, failed: () => void, go: Control) {
  const { access, beats, table, floors } = e;
  return {
    idle: () => {
      word.set(0);
      when(begins, () => {
        table.clear();
        go.go("floors");
      });
    },
    floors: () => when(access.done, () => e.otherwise(() => go.go("word"), failed)),
    word: () => {
      const line = beats.at(word.bits(wordBits, laneBits - wordBits));
      floors.put(word, cutFields(laneFloor, wordAt(line, word.trunc(wordBits))));
      word.set(word.add(1));
      table.place.set(0);
      when(word.all(), () => go.go("record"));
    },
  };
}

/** A record is read and judged. */
function recordSteps(e: Shared, found: Found, failed: () => void, go: Control) {
  const { access, beats, table, floors, digest } = e,
    { record, state, isSound, isFormed, isOver, isOwners, lives } = found;
  return {
    record: () => {
      e.readLog(e.at.record, 0);
      go.go("read");
    },
    read: () =>
      when(access.done, () =>
        e.otherwise(() => {
          digest.begin();
          digest.feed(cat(beats.line.bits(32, lineBits - 32), constant(0, 32)));
          floors.look(record.lane);
          go.go("sum");
        }, failed),
      ),
    sum: () => go.go("fold"),
    fold: () => go.go("judge"),
    judge: () => {
      const isState = record.state.eq(states.prepared).or(record.state.eq(states.committed)),
        isParts = record.parts.any().and(record.parts.le(bounds.parts));
      isSound.set(digest.result.eq(record.crc));
      isFormed.set(isState.and(isParts).and(record.lane.lt(bounds.lanes)));
      isOver.set(record.seq.lt(floors.floor));
      isOwners.set(record.pid.eq(floors.owner));
      go.go("kept");
    },
    kept: () => {
      e.part.set(0);
      go.go("next");
      when(lives, () => {
        table.set({ name: record });
        table.writeMeta(record);
        table.writeCrc(constant(2 ** bounds.parts - 1, bounds.parts), record.crcs);
        state.set(CommitState.prepared);
        when(record.state.eq(states.committed), () => state.set(CommitState.committed));
        go.go("named");
      });
    },
  };
}

/** Its areas, one after another. */
function areaSteps(e: Shared, { state, isArea, isOwn }: Found, failed: () => void, go: Control) {
  const { access, beats, table, digest } = e;
  return {
    named: () => go.go("look"),
    look: () => go.go("ask"),
    ask: () => {
      e.readLog(e.at.entry(e.part), bounds.areaBytes);
      go.go("area");
    },
    area: () =>
      when(access.done, () =>
        e.otherwise(() => {
          const { lane, seq, part } = beats.read;
          isArea.set(digest.result.eq(e.home.crc));
          isOwn.set(
            lane
              .eq(e.home.lane.zext(16))
              .and(seq.eq(e.home.seq))
              .and(part.eq(e.part.zext(8))),
          );
          go.go("own");
        }, failed),
      ),
    own: () => {
      go.go("next");
      when(isArea.and(isOwn), () => {
        table.writeArea(e.part, beats.read.va, beats.read.length.bits(6, e.home.beats.width));
        e.part.set(e.part.add(1));
        go.go("look");
        when(e.lastPart, () => {
          table.set({ state, held: table.whole });
          go.go("next");
        });
      });
    },
  };
}

/**
 * A commit is kept when its record is whole, its lane's floor is not above it, the lane is its process's, and each of
 * its areas has the CRC that the record says. Anything else is no commit. Memory's refusal ends it, and the engine
 * stays cold.
 */
export function recoverOf(e: Shared, begin: Begin): void {
  const { table } = e,
    found = foundOf(e);
  fsm(
    machine,
    "idle",
    go => {
      const failed = (): void => {
        // Nobody is told of a commit whose neighbours are not known.
        table.clear();
        e.end("failed");
        go.go("idle");
      };
      return {
        ...floorSteps(e, begin, found, failed, go),
        ...recordSteps(e, found, failed, go),
        ...areaSteps(e, found, failed, go),
        next: () => {
          table.place.set(table.place.add(1));
          go.go("record");
          when(table.place.all(), () => {
            e.cold.set(0);
            e.start.set(e.beats.asked.seq);
            e.end("done");
            go.go("idle");
          });
        },
      };
    },
    { name: "recovery" },
  );
}
