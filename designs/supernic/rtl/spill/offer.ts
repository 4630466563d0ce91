/** Frames of rings in the place of heads of their class queues. Page: docs/supernic/spill.md. */
import {
  arrayOf,
  bit,
  type Bit,
  constant,
  decode,
  enumOf,
  fromBits,
  mux,
  node,
  onehotMux,
  reg,
  toBits,
  uint,
  type UInt,
  unpack,
  type Val,
  when,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import { fairTurn } from "../../../shared/stream/index.ts";
import { classBits, inlets, queueClasses, userClasses } from "../inside/index.ts";
import { MatchOutcome } from "../match/index.ts";
import type { SpillIo } from "./ports.ts";
import { frameBeatBits, gapCycles, showCycles, type SpillParameters, SpillRecord } from "./records.ts";
import { ofRing, type Ring } from "./rings.ts";

/**
 * Chooses a ring; asks for its record; notes it; hides the head in whose place it comes; shows it; gives its beats;
 * hides it before the head is shown again.
 */
const OfferState = enumOf("OfferState", ["choose", "asks", "notes", "hides", "shows", "gives", "leaves"]);

export interface Offer {
  readonly hits: readonly Bit[];
  readonly pending: readonly Bit[];
  /** The merge has taken a frame of this ring in this cycle. */
  readonly hit: UInt;
  /** The ring whose frame is chosen, shown or given. */
  readonly busy: UInt;
  /** Its word on chip. */
  readonly read: { readonly ring: UInt; readonly place: UInt; readonly en: Bit };
  /** What follows from the word, which comes a cycle later, and from who has the inlets' beats. */
  readonly give: (word: UInt<512>, toMerge: readonly Bit[], beatIsMerges: readonly Bit[]) => void;
}

/** Heads as the merge sees them: the gate's, or a ring's frame in the place of one. */
function showHeads(
  io: SpillIo,
  record: Val<ReturnType<typeof SpillRecord>>,
  here: readonly Bit[],
  { shows, hides }: { readonly shows: Bit; readonly hides: Bit },
): void {
  for (let i = 0; i < here.length; i++)
    for (let k = 0; k < queueClasses; k++) {
      const head = io.heads.at(i).at(k),
        to = io.shown.at(i).at(k);
      if (k >= userClasses) {
        to.set(head);
        continue;
      }
      const mine = node((here[i] as Bit).and(record.class.eq(k)), { name: `offer_is_for_${i}_${k}` }),
        instead = node(mine.and(shows), { name: `shown_instead_${i}_${k}` }),
        open = head.valid.and(io.open.bit(i * userClasses + k)).andNot(mine.and(hides));
      to.valid.set(instead.or(open));
      const { facts } = head,
        either = <W extends number>(name: keyof typeof record & keyof typeof facts): UInt<W> =>
          mux(instead, record[name], facts[name]) as UInt<W>;
      to.facts.set({
        outcome: mux(instead, MatchOutcome.core, facts.outcome),
        ports: facts.ports,
        peer: facts.peer,
        uid: either<16>("uid"),
        dag: either("dag"),
        user: either("user"),
        unordered: either<1>("unordered"),
        length: either("length"),
        noL4: either<1>("noL4"),
        flowHash: either("flowHash"),
        tagged: either<1>("tagged"),
        tag: either<16>("tag"),
        shimmed: either<1>("shimmed"),
        ttl: either<4>("ttl"),
      });
    }
}

/** A frame's beats, one after the other, from its ring's words on chip. */
function giveBeats(
  io: SpillIo,
  p: SpillParameters,
  record: Val<ReturnType<typeof SpillRecord>>,
  here: readonly Bit[],
  { gives, any }: { readonly gives: Bit; readonly any: Bit },
) {
  const reads = reg(bit, { init: 0, name: "gives_beat" }),
    left = reg(uint(frameBeatBits(p)), { init: 0, name: "give_left" }),
    ready = reg(bit, { init: 0, name: "give_open" }),
    outs = arrayOf(io, "frames", inlets(p)),
    from = arrayOf(io, "fromQueue", inlets(p)),
    taken = onehotMux(
      here,
      outs.map(o => o.ready),
    ),
    moves = node(reads.not().or(taken.and(ready)), { name: "give_moves" }),
    issues = node(gives.and(ready).and(moves).and(left.any()), { name: "give_reads" }),
    ends = node(gives.and(reads).and(ready).and(taken).andNot(left.any()), { name: "give_ends" });
  when(any, () => {
    left.set(record.beats);
    ready.set(0);
    reads.set(0);
  });
  when(issues, () => left.set(left.sub(1)));
  when(gives.and(moves), () => reads.set(issues));
  when(ends, () => {
    ready.set(0);
    reads.set(0);
  });
  return {
    issues,
    ends,
    give: (word: UInt<512>, toMerge: readonly Bit[], beatIsMerges: readonly Bit[]): void => {
      // A frame of the class queue that was taken before goes first.
      const free = onehotMux(
        here,
        toMerge.map(m => m.not()),
      );
      when(gives.and(free).andNot(ends), () => ready.set(1));
      outs.forEach((out, i) => {
        const queue = from[i] as (typeof from)[number],
          merges = beatIsMerges[i] as Bit,
          mine = node(gives.and(ready).and(here[i] as Bit), { name: `gives_at_${i}` });
        out.valid.set(mux(mine, reads, queue.valid.and(merges)));
        out.payload.set({
          data: mux(mine, word, queue.payload.data).is(512),
          last: mux(mine, left.any().not(), queue.payload.last),
        });
        queue.ready.set(mux(merges, out.ready.andNot(mine), constant(1, 1)));
      });
    },
  };
}

/** One ring's first frame at a time is shown to the merge, as the head of the class queue that it came by. */
export function offer(io: SpillIo, p: SpillParameters, rings: readonly Ring[], closing: UInt): Offer {
  const n = inlets(p),
    Record = SpillRecord(p),
    takes = arrayOf(io, "take", n),
    state = reg(OfferState, { init: "choose", name: "offer_state" }),
    ring = reg(uint(p.rings), { init: 0, name: "offer_ring" }),
    record = reg(Record, { name: "offer_record" }),
    timer = reg(uint(Math.log2(showCycles)), { init: 0, name: "offer_timer" }),
    tick = reg(uint(Math.log2(showCycles) + 1), { init: 0, name: "tired_timer" }),
    isDry = reg(bit, { init: 0, name: "offer_is_dry" });
  const is = (name: "choose" | "asks" | "notes" | "hides" | "shows" | "gives" | "leaves"): Bit => state.is(name);
  const choose = node(is("choose"), { name: "offer_chooses" }),
    asks = rings.map((r, j) =>
      node(choose.and(r.whole.any()).and(r.drains).andNot(r.discards).andNot(r.tired).andNot(closing.bit(j)), {
        name: `asks_offer_${j}`,
      }),
    ),
    chosen = fairTurn("offer", asks);
  // Who was shown for long, or has no tokens, lets the others come first for a while.
  tick.set(tick.add(1));
  const rested = node(tick.any().not(), { name: "all_rested" });
  when(choose, () => {
    ring.set(fromBits(chosen).is(p.rings));
    when(fromBits(chosen).any(), () => state.set("asks"));
  });
  when(is("asks"), () => state.set("notes"));

  const inlet = reg(uint(n), { init: 0, name: "offer_inlet" }),
    here = Array.from({ length: n }, (_, i) => inlet.bit(i)),
    shows = node(is("shows"), { name: "offer_shows" }),
    hides = node(is("hides").or(is("leaves")), { name: "offer_hides" });
  const wasHeld = takes.map((take, i) => {
      const q = reg(bit, { init: 0, name: `take_was_held_${i}` });
      q.set(take.valid.andNot(take.ready));
      return q;
    }),
    hits = takes.map((take, i) =>
      node(
        shows
          .and(here[i] as Bit)
          .and(take.valid)
          .and(take.payload.eq(record.class.zext(classBits)))
          .andNot(wasHeld[i] as Bit),
        { name: `takes_ring_${i}` },
      ),
    ),
    any = node(fromBits(hits).any(), { name: "ring_is_taken" });

  const users = toBits(io.dry).map((d, u) => d.and(record.user.eq(u)));
  isDry.set(fromBits(users).any());
  const gapEnds = node(timer.eq(gapCycles - 1), { name: "gap_ends" }),
    tires = node(isDry.and(shows.or(is("hides").and(gapEnds))).or(shows.and(timer.all())), { name: "offer_tires" });
  timer.set(timer.add(1));
  when(is("notes"), () => {
    timer.set(0);
    state.set("hides");
  });
  when(is("hides").and(gapEnds), () => {
    timer.set(0);
    state.set("shows");
  });
  when(is("leaves").and(gapEnds), () => state.set("choose"));
  when(tires, () => {
    timer.set(0);
    state.set("leaves");
  });
  when(any, () => state.set("gives"));
  rings.forEach((r, j) =>
    when(rested, () => r.tired.set(0)).elseWhen(tires.andNot(any).and(ring.bit(j)), () => r.tired.set(1)),
  );

  showHeads(io, record, here, { shows, hides });
  const gives = node(is("gives"), { name: "offer_gives" }),
    beats = giveBeats(io, p, record, here, { gives, any });
  when(beats.ends, () => state.set("choose"));
  rings.forEach((r, j) => when(ring.bit(j).and(any.or(beats.issues)), () => r.got.set(r.got.add(1))));
  return {
    hits,
    pending: here.map((h, i) => node(h.and(gives), { name: `ring_is_at_${i}` })),
    hit: node(mux(any, ring, constant(0, p.rings)).is(p.rings), { name: "ring_gives" }),
    busy: node(mux(choose, constant(0, p.rings), ring).is(p.rings), { name: "offer_busy" }),
    read: {
      ring,
      place: ofRing(ring, rings, r => r.got),
      en: node(is("asks").or(beats.issues), { name: "reads_word" }),
    },
    give: (word, toMerge, beatIsMerges) => {
      const noted = unpack(Record, word.trunc(widthOf(Record)));
      when(is("notes"), () => {
        record.set(noted);
        inlet.set(decode(noted.inlet, n).is(n));
      });
      beats.give(word, toMerge, beatIsMerges);
    },
  };
}
