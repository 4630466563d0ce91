/** In front of stage 1: the requests that are to be looked up again, and the choice among all who want a lookup. */
import {
  assertAlways,
  type Bit,
  fifo,
  mux,
  node,
  stream,
  type StreamIn,
  type UInt,
  type UIntShape,
} from "../../../../../hdl-dsl/index.ts";
import { passQueue } from "../../../../shared/stream/index.ts";
import { type Outcome, slotShape, type TranslateParameters } from "./records.ts";

/** Slots of requests between lookups, each with room for every request in flight. */
export interface Waiting {
  /** Requests that go on to their next page. */
  readonly again: StreamIn<UIntShape>;
  /** Requests that found no room in the miss table, or have to look again. */
  readonly parked: StreamIn<UIntShape>;
}

export function waitingRequests(p: TranslateParameters, { goesTo, decision }: Outcome): Waiting {
  const slot = slotShape(p);
  const parked = stream(slot);
  parked.valid.set(goesTo.parked);
  parked.payload.set(decision.slot);
  assertAlways(parked.valid.and(parked.ready.not()).not(), "the queue parked has room for every request in flight");
  return {
    again: passQueue("again", slot, p.slots, goesTo.again, decision.slot),
    parked: fifo(parked, p.slots, { style: "distributed" }),
  };
}

/** Who is looked up in this cycle, if stage 1 is ready: an old request, a shootdown, or else a fresh one. */
export interface Choice {
  /** A request that has been here before: one that goes on, else a parked one. */
  readonly old: Bit;
  readonly oldSlot: UInt;
  readonly shootdown: Bit;
  readonly takesParked: Bit;
  readonly takesShootdown: Bit;
  readonly takesFresh: Bit;
}

/** The ways in besides `waiting`, and what bars them. */
export interface Entrances {
  readonly access: StreamIn<unknown>;
  readonly shootdown: StreamIn<unknown>;
  /** Stage 1 is free. */
  readonly ready: Bit;
  /** The miss table has room. */
  readonly room: Bit;
  /** A parked request is being tried. */
  readonly retrying: Bit;
  /** A shootdown is under way. */
  readonly shooting: Bit;
}

/**
 * In order: a request that goes on to its next page, a parked one, a shootdown, a new one. The choice does not depend
 * on room in stage 1, so that only the enables wait for stage 2's decision.
 */
export function chooseLookup({ again, parked }: Waiting, e: Entrances): Choice {
  const mayRetry = e.room.andNot(e.retrying);
  const wantsParked = node(parked.valid.andNot(again.valid).and(mayRetry));
  const wantsOld = node(again.valid.or(wantsParked));
  const mayShoot = node(wantsOld.not().and(e.shooting.not()));
  const wantsShootdown = node(mayShoot.and(e.shootdown.valid));
  const wantsFresh = node(wantsOld.or(wantsShootdown).not());
  const takesParked = node(e.ready.and(wantsParked));
  again.ready.set(e.ready);
  parked.ready.set(takesParked);
  e.shootdown.ready.set(e.ready.and(mayShoot));
  e.access.ready.set(e.ready.and(wantsFresh));
  return {
    old: wantsOld,
    oldSlot: node(mux(again.valid, again.payload, parked.payload)),
    shootdown: wantsShootdown,
    takesParked,
    takesShootdown: node(e.ready.and(wantsShootdown)),
    takesFresh: node(e.ready.and(wantsFresh).and(e.access.valid)),
  };
}
