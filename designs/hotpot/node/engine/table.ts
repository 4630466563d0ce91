/** The table of commits: who they are, which areas they hold, which pages nobody else may have. */
import {
  bit,
  type Bit,
  encodePriority,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  ram,
  reg,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { bounds } from "../../wire/index.ts";
import { Area, CommitState, laneBits, Meta, partBits, placeBits } from "./types.ts";

const each = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i));
const pageShift = Math.log2(bounds.pageBytes);

interface Asked {
  readonly lane: UInt;
  readonly seq: UInt;
  readonly pid: UInt;
  readonly va: UInt;
}

interface Looking {
  readonly matches: Bit;
  readonly searches: Bit;
  readonly index: UInt;
}

/** The commits, and the memories with what they are made of. `at`: of the commit at the place. */
function rowsOf() {
  const place = reg(uint(placeBits), { init: 0, name: "place" }),
    rows = each(bounds.commits, i => ({
      state: reg(CommitState, { init: "free", name: `state_${i}` }),
      lane: reg(uint(laneBits), { name: `lane_${i}` }),
      seq: reg(uint(32), { name: `seq_${i}` }),
      pid: reg(uint(16), { name: `pid_${i}` }),
      held: reg(uint(bounds.parts), { init: 0, name: `held_${i}` }),
      /** The asking process's; the lane's; another commit; the lane's, and not later than what is asked. */
      samePid: reg(bit, { init: 0, name: `same_pid_${i}` }),
      sameLane: reg(bit, { init: 0, name: `same_lane_${i}` }),
      used: reg(bit, { init: 0, name: `used_${i}` }),
      ended: reg(bit, { init: 0, name: `ended_${i}` }),
      areas: ram(Area, {
        ...{ depth: bounds.parts, collision: "undefined", style: "distributed", name: `areas_${i}` },
      }),
    })),
    crcs = each(bounds.parts, i =>
      ram(uint(32), { ...{ depth: bounds.commits, collision: "undefined", style: "distributed", name: `crcs_${i}` } }),
    ),
    metas = ram(Meta, { ...{ depth: bounds.commits, collision: "undefined", style: "distributed", name: "metas" } });
  const here = each(bounds.commits, i => node(place.eq(i), { name: `is_place_${i}` })),
    at = <const W extends number>(of: (r: (typeof rows)[number]) => UInt<W>): UInt<W> => onehotMux(here, rows.map(of));

  return { place, rows, crcs, metas, here, at };
}
type Rows = ReturnType<typeof rowsOf>;

/** Which commit it is. */
function findCommit(asked: Asked, looking: Looking, { place, rows }: Rows) {
  const known = reg(bit, { init: 0, name: "known" }),
    room = reg(bit, { init: 0, name: "has_room" }),
    matches = rows.map((r, i) => {
      // It stands when a message is looked up: a head is there a cycle before.
      const isNamed = reg(bit, { init: 0, name: `is_named_${i}` });
      isNamed.set(r.lane.eq(asked.lane.trunc(laneBits)).and(r.seq.eq(asked.seq)).andNot(r.state.eq("free")));
      return isNamed;
    }),
    found = encodePriority(fromBits(matches)),
    free = encodePriority(fromBits(rows.map(r => r.state.eq("free"))));
  when(looking.matches, () => {
    known.set(found.any);
    room.set(free.any);
    place.set(mux(found.any, found.index, free.index).is(placeBits));
    for (const [i, r] of rows.entries()) {
      r.samePid.set(r.pid.eq(asked.pid));
      r.used.set(
        r.state
          .eq("free")
          .not()
          .andNot(matches[i] as Bit),
      );
      r.sameLane.set(r.lane.eq(asked.lane.trunc(laneBits)));
      r.ended.set(r.lane.eq(asked.lane.trunc(laneBits)).and(r.seq.le(asked.seq)));
    }
  });

  return { known, room };
}

/** Whether a page of it is another one's. */
function findConflict(asked: Asked, looking: Looking, { rows }: Rows) {
  const conflict = reg(bit, { init: 0, name: "conflict" }),
    page = asked.va.shr(pageShift),
    compared = reg(bit, { init: 0, name: "pages_compared" }),
    taken = rows.map((r, i) => {
      const theirs = r.areas.readAsync(looking.index.trunc(partBits)).va.shr(pageShift),
        isHeld = reg(bit, { init: 0, name: `is_held_${i}` }),
        isPage = reg(bit, { init: 0, name: `is_page_${i}` });
      isHeld.set(
        onehotMux(
          each(bounds.parts, p => looking.index.eq(p)),
          each(bounds.parts, p => r.held.bit(p)),
        ),
      );
      isPage.set(theirs.eq(page));
      return node(isPage.and(r.samePid).and(r.used).and(isHeld), { name: `page_taken_${i}` });
    });
  when(looking.matches, () => conflict.set(0));
  compared.set(looking.searches);
  when(compared.and(orTree(taken)), () => conflict.set(1));

  return conflict;
}

/** What is written: all at the place, in one cycle. */
function writesOf({ place, rows, crcs, metas, here }: Rows) {
  const writesArea = reg(bit, { init: 0, name: "writes_area" }),
    areaPart = reg(uint(partBits), { name: "area_part" }),
    area = reg(Area, { name: "new_area" }),
    writesCrc = reg(uint(bounds.parts), { init: 0, name: "writes_crc" }),
    crc = reg(uint(32 * bounds.parts), { name: "new_crcs" }),
    writesMeta = reg(bit, { init: 0, name: "writes_meta" }),
    meta = reg(Meta, { name: "new_meta" });
  writesArea.set(0);
  writesMeta.set(0);
  writesCrc.set(0);
  for (const [i, r] of rows.entries()) r.areas.write(node(writesArea.and(here[i] as Bit)), areaPart, area);
  for (const [i, r] of crcs.entries()) r.write(writesCrc.bit(i), place, crc.bits(32 * i, 32));
  metas.write(writesMeta, place, meta);

  return {
    writeArea: (part: UInt, va: UInt, beats: UInt): void => {
      writesArea.set(1);
      areaPart.set(part.trunc(partBits).is(partBits));
      area.set({ va: va.is(64), beats: beats.is(Area.fields.beats.width) });
    },
    writeCrc: (which: UInt, value: UInt): void => {
      writesCrc.set(which.is(bounds.parts));
      crc.set(value.is(32 * bounds.parts));
    },
    writeMeta: (to: { readonly owners: UInt; readonly replicas: UInt; readonly parts: UInt }): void => {
      writesMeta.set(1);
      meta.set({ owners: to.owners.is(16), replicas: to.replicas.is(16), parts: to.parts.trunc(4).is(4) });
    },
  };
}

/** The row at the place. */
function placeOf({ rows, here, at }: Rows) {
  return {
    state: node(
      fromBits([
        orTree(rows.map((r, i) => (here[i] as Bit).and(r.state.eq("gathering").or(r.state.eq("committed"))))),
        orTree(rows.map((r, i) => (here[i] as Bit).and(r.state.eq("prepared").or(r.state.eq("committed"))))),
      ]),
      { name: "place_state" },
    ),
    lane: node(
      at(r => r.lane),
      { name: "place_lane" },
    ),
    seq: node(
      at(r => r.seq),
      { name: "place_seq" },
    ),
    pid: node(
      at(r => r.pid),
      { name: "place_pid" },
    ),
    held: node(
      at(r => r.held),
      { name: "place_held" },
    ),
    area: (part: UInt) => {
      const all = rows.map(r => r.areas.readAsync(part.trunc(partBits)));
      return {
        va: onehotMux(
          here,
          all.map(a => a.va),
        ),
        beats: onehotMux(
          here,
          all.map(a => a.beats),
        ),
      };
    },
  };
}

/** How rows change. */
function changesOf({ rows, here }: Rows) {
  return {
    /** A row changes: at the place. */
    set: (to: {
      readonly state?: Val<typeof CommitState>;
      readonly held?: UInt;
      readonly name?: { readonly lane: UInt; readonly seq: UInt; readonly pid: UInt };
    }): void => {
      for (const [i, r] of rows.entries())
        when(here[i] as Bit, () => {
          if (to.state !== undefined) r.state.set(to.state);
          if (to.held !== undefined) r.held.set(to.held.is(bounds.parts));
          if (to.name !== undefined) {
            r.lane.set(to.name.lane.trunc(laneBits).is(laneBits));
            r.seq.set(to.name.seq.is(32));
            r.pid.set(to.name.pid.is(16));
          }
        });
    },
    clear: (): void => {
      for (const r of rows) {
        r.state.set(CommitState.free);
        r.held.set(0);
      }
    },
    /** All of the lane up to what is asked are over. */
    end: (): void => {
      for (const r of rows)
        when(r.ended, () => {
          r.state.set(CommitState.free);
          r.held.set(0);
        });
    },
  };
}

/**
 * A commit is found in two cycles. The pages of all commits are looked at in 8: the first area of each, then the
 * second one of each, and so on; what comes of it is there two cycles after the last. `place` is the commit that is
 * worked on.
 */
export function tableOf(asked: Asked, looking: Looking) {
  const all = rowsOf(),
    { place, rows, crcs, metas } = all;
  const { known, room } = findCommit(asked, looking, all),
    conflict = findConflict(asked, looking, all);
  const writes = writesOf(all);
  const said = metas.readAsync(place),
    // A bit for each area that the commit has.
    whole = node(fromBits(each(bounds.parts, i => said.parts.gt(i))), { name: "all_parts" });
  return {
    place,
    known,
    room,
    conflict,
    ...placeOf(all),
    meta: said,
    crcs: crcs.map(r => r.readAsync(place)),
    ...changesOf(all),
    whole,
    /** A commit of the lane is here. */
    laneIsBusy: node(orTree(rows.map(r => r.sameLane.andNot(r.state.eq("free")))), { name: "lane_is_busy" }),
    ...writes,
  };
}
export type Table = ReturnType<typeof tableOf>;
