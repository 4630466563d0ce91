/** A ring that is at its end: it is free, or what it lost is counted. Page: docs/supernic/spill.md. */
import {
  bit,
  type Bit,
  constant,
  enumOf,
  fromBits,
  mux,
  node,
  orTree,
  reg,
  type StreamOut,
  uint,
  type UInt,
  type UIntShape,
  when,
} from "../../../../hdl-dsl/index.ts";
import { sequenceBits, type SpillParameters } from "./records.ts";
import { ofRing, type Ring } from "./rings.ts";

/** Looks at a ring after the other; waits until what was begun is seen; counts; opens the gate. */
const CloseState = enumOf("CloseState", ["looks", "waits", "counts", "opens"]);
/** Cycles in which nothing new begins for a ring, until it is looked at again. */
const settleCycles = 8;

/** What goes on for rings, a bit each. */
export interface Busy {
  readonly divert: UInt;
  readonly offer: UInt;
  readonly read: UInt;
}

export interface Closing {
  /** The ring for which nothing may begin. */
  readonly ring: UInt;
  readonly close: (busy: Busy, opens: StreamOut<UIntShape>) => { readonly discarded: UInt };
}

/**
 * A ring is at its end when all that was written has been read, and all that was read has gone; or, when it discards,
 * as soon as nothing of it is under way. What it should have, and has not, is dropped. A ring that drains, and has
 * dropped nothing just now, is free when the gate of its DAG is open.
 */
export function closingOf(p: SpillParameters, rings: readonly Ring[]): Closing {
  const state = reg(CloseState, { init: "looks", name: "close_state" }),
    ring = reg(uint(p.rings), { init: 1, name: "close_ring" }),
    timer = reg(uint(Math.log2(settleCycles)), { init: 0, name: "close_timer" }),
    rest = reg(uint(sequenceBits(p) + 1), { init: 0, name: "close_rest" });
  const next = (): void => {
    state.set("looks");
    ring.set(fromBits(Array.from({ length: p.rings }, (_, j) => ring.bit((j + p.rings - 1) % p.rings))).is(p.rings));
  };
  return {
    ring: node(mux(state.is("looks"), constant(0, p.rings), ring).is(p.rings), { name: "closing" }),
    close: ({ divert, offer, read }, opens) => {
      const ends = rings.map((r, j) => {
        const busy = divert.bit(j).or(offer.bit(j)).or(read.bit(j)).or(r.queued.any()),
          still = r.written.eq(r.answered).and(r.asked.eq(r.read)),
          empty = r.asked.eq(r.safe).and(r.whole.any().not());
        const ended = reg(bit, { init: 0, name: `at_end_${j}` });
        ended.set(
          r.held
            .andNot(busy)
            .and(still)
            .and(r.discards.or(r.drains.and(empty))),
        );
        return ended;
      });
      const end: Bit = node(orTree(ends.map((e, j) => e.and(ring.bit(j)))), { name: "is_at_end" }),
        discards = node(orTree(rings.map((r, j) => r.discards.and(ring.bit(j)))), { name: "close_discards" }),
        over = node(timer.all(), { name: "close_settled" }),
        counts = node(state.is("counts"), { name: "close_counts" });
      timer.set(timer.add(1));
      rest.set(ofRing(ring, rings, r => r.inside));
      when(state.is("looks"), () => {
        timer.set(0);
        when(end, () => state.set("waits")).otherwise(next);
      });
      when(state.is("waits"), () => {
        when(end.not(), next).elseWhen(over, () => state.set("counts"));
      });
      when(counts, () => {
        when(rest.any().or(discards), next).otherwise(() => state.set("opens"));
      });
      opens.valid.set(state.is("opens"));
      opens.payload.set(ofRing(ring, rings, r => r.dag));
      when(opens.valid.and(opens.ready), next);
      rings.forEach((r, j) => {
        const here = ring.bit(j);
        when(counts.and(here), () => {
          r.due.set(r.next);
          r.whole.set(0);
          r.safe.set(r.written);
          r.asked.set(r.written);
          r.read.set(r.written);
          r.put.set(0);
          r.kept.set(0);
          r.got.set(0);
          r.left.set(0);
          r.lost.set(0);
          r.skip.set(0);
          r.spoiled.set(0);
          when(discards, () => r.held.set(0));
        });
        when(opens.valid.and(opens.ready).and(here), () => r.held.set(0));
      });
      return { discarded: node(mux(counts, rest, constant(0, rest.width)), { name: "frames_discarded" }) };
    },
  };
}
