/** What is kept of each ring. Page: docs/supernic/spill.md. */
import {
  bit,
  type Bit,
  bitsFor,
  node,
  onehotMux,
  reg,
  toBits,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { dagBits } from "../inside/index.ts";
import type { SpillIo } from "./ports.ts";
import {
  frameBeatBits,
  keptBeats,
  marginBeats,
  ringBeatBits,
  RingState,
  sequenceBits,
  type SpillParameters,
} from "./records.ts";

/** Whether a ring with these beats, from `read` to `written`, has room for a frame and what waits for the memory. */
export const hasRoom = (p: SpillParameters, written: UInt, read: UInt): Bit =>
  written.sub(read).le(2 ** ringBeatBits(p) - marginBeats(p));

/**
 * Registers of a ring. Its beats are counted by numbers that wrap at twice its size. Of them `written` have been asked
 * to be written, `answered` of these were answered, `safe` without an error before them; `asked` have been asked to be
 * read, and `read` have come.
 */
function ringOf(p: SpillParameters, i: number) {
  const beats = uint(ringBeatBits(p) + 1),
    kept = Math.log2(keptBeats(p));
  const flag = (name: string) => reg(bit, { init: 0, name: `${name}_${i}` }),
    number = (name: string, bits: number) => reg(uint(bits), { init: 0, name: `${name}_${i}` });
  const r = {
    held: flag("held"),
    drains: flag("drains"),
    discards: flag("discards"),
    dag: reg(uint(dagBits), { name: `dag_${i}` }),
    written: number("written", beats.width),
    answered: number("answered", beats.width),
    safe: number("safe", beats.width),
    asked: number("asked", beats.width),
    read: number("read", beats.width),
    /** A write has failed: nothing behind `safe` is read, and no frame is taken. */
    spoiled: flag("spoiled"),
    /** Numbers of the next frame that goes in, and that is expected out. */
    next: number("next_frame", sequenceBits(p)),
    due: number("due_frame", sequenceBits(p)),
    /** Frames that wait for the memory; whole ones that wait for the merge. */
    queued: number("queued", bitsFor(keptBeats(p))),
    whole: number("whole", bitsFor(keptBeats(p))),
    /** The parser: beats of its record that have not come, whether that is bad; lost until a chunk begins. */
    left: number("left", frameBeatBits(p)),
    bad: flag("bad"),
    lost: flag("lost"),
    skip: number("skip", 6),
    /** Beats on chip: written, of whole frames, and read. */
    put: number("put", kept + 1),
    kept: number("kept", kept + 1),
    got: number("got", kept + 1),
    /** Its frame has been shown for long. */
    tired: flag("tired"),
    /** It has room for a frame; and on chip for a burst. A cycle late. */
    room: flag("room"),
    burstRoom: flag("burst_room"),
    /** Beats can be read that have not been asked for. A cycle late. */
    more: flag("more"),
    /** Frames in memory that have not begun to come, a cycle late. */
    behind: number("behind", sequenceBits(p)),
  };
  r.room.set(hasRoom(p, r.written, r.read));
  const under = node(r.asked.sub(r.read).resize(kept + 1), { name: `under_way_${i}` }),
    onChip = node(r.put.sub(r.got).add(under), { name: `on_chip_${i}` });
  r.burstRoom.set(onChip.le(keptBeats(p) - 16));
  r.more.set(r.asked.ne(r.safe));
  r.behind.set(r.next.sub(r.due));
  const bits = sequenceBits(p) + 1;
  /** Frames that went in, and neither passed the merge nor were dropped. */
  const inside = node(r.next.sub(r.due).zext(bits).add(r.whole.resize(bits)).add(r.left.any().zext(bits)), {
    name: `inside_${i}`,
  });
  return { ...r, inside };
}
export type Ring = ReturnType<typeof ringOf>;

/** Of the ring that a bit names. */
export const ofRing = <W extends number, R = Ring>(which: UInt, rings: readonly R[], f: (r: R) => UInt<W>): UInt<W> =>
  onehotMux<UInt<W>>(toBits(which).slice(0, rings.length), rings.map(f));
export const ringIs = <R = Ring>(which: UInt, rings: readonly R[], f: (r: R) => Bit): Bit =>
  ofRing<1, R>(which, rings, f);

/** All rings, and what software asks of them. */
export function ringsOf(io: SpillIo, p: SpillParameters): readonly Ring[] {
  const { en, ring, ask, dag } = io.ring;
  return Array.from({ length: p.rings }, (_, i) => {
    const r = ringOf(p, i),
      here = node(en.and(ring.eq(i)), { name: `asked_of_${i}` }),
      same = node(here.and(r.held).and(r.dag.eq(dag)), { name: `asked_of_dag_${i}` }),
      fills = ask.is("fill");
    when(here.and(fills).andNot(r.held), () => {
      r.held.set(1);
      r.dag.set(dag);
      r.drains.set(0);
      r.discards.set(0);
    });
    when(same, () => {
      r.drains.set(ask.is("drain"));
      r.discards.set(r.discards.or(ask.is("discard")));
    });
    // As late as the counts are: so both fit together in every cycle.
    const shown = reg(RingState(p), { init: 0, name: `shown_${i}` });
    shown.set({
      held: r.held,
      dag: r.dag,
      drains: r.drains,
      discards: r.discards,
      inside: r.inside,
      full: r.room.not().or(r.spoiled),
    });
    io.rings.at(i).set(shown);
    return r;
  });
}
