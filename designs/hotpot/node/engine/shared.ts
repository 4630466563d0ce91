/** What the machines of the engine share: the message, the table, memory, and what the node is. One of them works. */
import {
  bit,
  cat,
  constant,
  mux,
  node,
  onehotMux,
  ram,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { opcodeBits } from "../../../clio/wire/index.ts";
import { joinFields } from "../../../shared/frame/index.ts";
import { bounds, entryBytes, headBytes, kinds, laneFloor, logAt } from "../../wire/index.ts";
import { accessOf } from "./access.ts";
import { beatsOf } from "./beats.ts";
import { digestOf } from "./digest.ts";
import { endsOf } from "./ends.ts";
import { recordOf } from "./record.ts";
import { tableOf } from "./table.ts";
import { type CommitParameters, countBits, laneBits, LaneFloor, lineBits, logShift, partBits } from "./types.ts";
import type { Io } from "./ports.ts";

const granuleShift = Math.log2(bounds.granule);

/** Addresses of the log. */
function addressesOf(base: bigint, place: UInt) {
  const top = constant(base >> BigInt(logShift), 64 - logShift),
    at = (offset: UInt): UInt => cat(top, offset.resize(logShift));
  return {
    start: at(constant(0, logShift)),
    floor: (lane: UInt) => at(cat(lane.trunc(laneBits), constant(0, 3))),
    record: at(
      cat(
        constant(logAt.record(0) >> (granuleShift + 3), logShift - 3 - granuleShift),
        place,
        constant(0, granuleShift),
      ),
    ),
    entry: (part: UInt) => {
      const number = cat(place, part.trunc(partBits))
        .zext(2 * partBits + 1)
        .add(1);
      return at(cat(number, constant(0, Math.log2(entryBytes))));
    },
  };
}

/** The floors of the lanes: commits with lower numbers are over, and others are their owner's. */
function floorsOf() {
  const all = ram(LaneFloor, {
      ...{ depth: bounds.lanes, collision: "undefined", style: "distributed", name: "floors" },
    }),
    at = reg(uint(laneBits), { init: 0, name: "floor_at" }),
    now = reg(LaneFloor, { name: "floor" }),
    puts = reg(bit, { init: 0, name: "floor_puts" }),
    value = reg(LaneFloor, { name: "floor_value" });
  puts.set(0);
  all.write(puts, at, value);
  now.set(all.readAsync(at));
  // The answer to a GRANT tells what it came to.
  when(puts, () => now.set(value));
  return {
    /** Its floor and its owner are there two cycles later. */
    look: (lane: UInt): void => at.set(lane.trunc(laneBits).is(laneBits)),
    floor: now.floor,
    owner: now.owner,
    put: (lane: UInt, to: { readonly floor: UInt; readonly owner: UInt }): void => {
      puts.set(1);
      at.set(lane.trunc(laneBits).is(laneBits));
      value.set({ floor: to.floor.is(32), owner: to.owner.is(16) });
    },
  };
}

export function sharedOf(io: Io, p: CommitParameters) {
  const beats = beatsOf(),
    digest = digestOf(),
    { asked } = beats,
    context = reg(uint(Math.log2(p.contexts)), { name: "context" }),
    pid = reg(uint(16), { name: "pid" }),
    part = reg(uint(partBits + 1), { init: 0, name: "part" });
  const looking = {
    matches: reg(bit, { init: 0, name: "matches" }),
    searches: reg(bit, { init: 0, name: "searches" }),
  };
  looking.matches.set(0);
  looking.searches.set(0);
  const table = tableOf({ lane: asked.lane, seq: asked.seq, pid, va: asked.va }, { ...looking, index: part }),
    record = recordOf(table, digest),
    floors = floorsOf(),
    newFloor = {
      floor: node(asked.seq.add(1), { name: "new_floor" }),
      owner: node(mux(asked.kind.eq(kinds.grant), asked.grantee, floors.owner), { name: "new_owner" }),
    };
  const access = accessOf(io, {
    beats,
    digest,
    context,
    leadOf: lead =>
      onehotMux(
        (["head", "record", "floor"] as const).map(l => lead.eq(l)),
        [beats.head, record.line, joinFields(laneFloor, { ...newFloor, spare: 0 }).zext(lineBits)],
      ),
  });
  const ends = endsOf();

  // The area of the commit at hand, and its name, a cycle later.
  const area = table.area(part),
    home = {
      va: reg(uint(64), { name: "home_va" }),
      beats: reg(uint(countBits), { name: "home_beats" }),
      crc: reg(uint(32), { name: "home_crc" }),
      lane: reg(uint(laneBits), { name: "home_lane" }),
      seq: reg(uint(32), { name: "home_seq" }),
    };
  home.va.set(area.va);
  home.beats.set(area.beats);
  home.lane.set(table.lane);
  home.seq.set(table.seq);
  home.crc.set(
    onehotMux(
      table.crcs.map((_, i) => part.eq(i)),
      table.crcs,
    ),
  );
  const isSound = reg(bit, { init: 0, name: "log_is_sound" });
  isSound.set(digest.result.eq(home.crc));
  const bytesOf = (count: UInt): UInt => cat(count, constant(0, granuleShift)).resize(14);
  return {
    io,
    beats,
    digest,
    table,
    access,
    record,
    floors,
    at: addressesOf(p.base, table.place),
    context,
    pid,
    part,
    looking,
    home,
    newFloor,
    verdict: ends.verdict,
    finished: ends.finished,
    isMerged: node(asked.marks.bit(0), { name: "is_merged" }),
    isRedo: node(asked.marks.bit(1), { name: "is_redo" }),
    wantsData: node(asked.marks.bit(2), { name: "wants_data" }),
    lastPart: node(part.addGrow(1).eq(table.meta.parts.zext(partBits + 2)), { name: "is_last_part" }),
    /** What was read last is what the table says of the area at hand: as `access.done` says it is there. */
    isSound,
    /** The CRC of the request, whatever is read since. */
    ownCrc: reg(uint(32), { name: "own_crc" }),
    cold: reg(bit, { init: 1, name: "cold" }),
    open: reg(bit, { init: 0, name: "open" }),
    start: reg(uint(32), { init: 0, name: "start" }),
    /** The work on the message is over. */
    end: ends.end,
    /** Behind all who end a message or ask memory. */
    finish: (): void => {
      ends.finish();
      access.finish();
    },
    dataBeats: asked.length.bits(granuleShift, countBits),
    writeHome: (va: UInt, count: UInt): void =>
      access.ask({
        ...{ opcode: opcodeBits.WRITE, home: 1, va, bytes: bytesOf(count), sends: bytesOf(count), beats: count },
        ...{ lead: "none", headed: 0 },
      }),
    /** Data in the log: the lead, and `count` beats behind it. */
    writeLog: (va: UInt, lead: "head" | "record", count: UInt): void => {
      const bytes = bytesOf(count.addGrow(1));
      access.ask({ opcode: opcodeBits.WRITE, home: 0, va, bytes, sends: bytes, beats: count, lead, headed: 0 });
    },
    readLog: (va: UInt, data: number): void => access.read(va, constant(headBytes + data, 14)),
    nothing: constant(0, countBits),
    otherwise: (good: () => void, failed: () => void): void => when(access.failed, failed).otherwise(good),
  };
}
export type Shared = ReturnType<typeof sharedOf>;
