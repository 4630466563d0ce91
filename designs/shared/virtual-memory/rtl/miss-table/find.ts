/** The page's own miss, if it has one, or the one that is opened for it; and the lists of requests that wait. */
import {
  type Bit,
  bit,
  encodeOnehot,
  firstSet,
  fromBits,
  lowestFlat,
  mux,
  node,
  orTree,
  reg,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../../../hdl-dsl/index.ts";
import type { MissTableIo } from "./ports.ts";
import { type Chosen, missOf, type MissTableParameters } from "./records.ts";
import type { Memories, State } from "./state.ts";

/** The miss of the page that was compared in the cycle before. */
export interface Own {
  /** The register of the compare, one bit for each miss. */
  readonly found: Var<ReturnType<typeof uint>>;
  /** It is this one, and does not end now; and it takes requests. */
  readonly same: readonly Bit[];
  readonly joins: readonly Bit[];
  readonly there: Bit;
  readonly joinable: Bit;
  readonly miss: UInt;
}

export function ownMiss(p: MissTableParameters, { poisoned, failed }: State, freeing: readonly Bit[]): Own {
  const found = reg(uint(p.misses), { init: 0 });
  const same = freeing.map((f, i) => node(found.bit(i).andNot(f), { name: `same_${i}` }));
  const joins = same.map((s, i) => node(s.andNot(poisoned.at(i).or(failed.at(i))), { name: `joins_${i}` }));
  const joinable = node(orTree(joins));
  const there = node(orTree(same)),
    foundMiss = node(encodeOnehot(found).is(missOf(p).width));
  return { found, same, joins, there, joinable, miss: foundMiss };
}

/** The miss that is opened next: known ahead. */
export interface Offer extends Chosen {
  readonly opens: Bit;
}

export function offerMiss(
  p: MissTableParameters,
  io: MissTableIo,
  valid: State["valid"],
  freeing: readonly Bit[],
  there: Bit,
): Offer {
  const offer = reg(uint(p.misses), { init: 0 });
  const offerMiss = reg(missOf(p));
  const room = reg(bit, { init: 0 });
  const opens = node(io.add.valid.and(room).andNot(there));
  const free = freeing.map((f, i) => valid.at(i).not().or(f));
  const unused = node(fromBits(free.map((f, i) => f.andNot(offer.bit(i)))));
  const unusedFirst = firstSet(unused);
  when(room.not().or(opens), () => {
    room.set(unusedFirst.any);
    offerMiss.set(unusedFirst.index);
    offer.set(lowestFlat(unused));
  });
  io.room.set(room);
  return { opens, bits: offer, miss: offerMiss };
}

/** The compare sees what is opened in the same cycle, so that a page has one miss at most. */
export function compare(
  io: MissTableIo,
  { valid, keys }: State,
  freeing: readonly Bit[],
  { found }: Own,
  offer: Offer,
): void {
  const again = node(io.add.key.eq(io.key));
  const stands = freeing.map((f, i) => valid.at(i).andNot(f).and(keys.at(i).eq(io.key)));
  const opened = freeing.map((_, i) => offer.opens.and(offer.bits.bit(i)).and(again));
  when(io.advance, () => found.set(fromBits(stands.map((s, i) => s.or(opened[i] as Bit)))));
}

/** A request hangs on its page's miss, behind those that are there. */
export function hang(
  { add }: MissTableIo,
  { keyOf, heads, tails, links }: Memories,
  empty: State["empty"],
  own: Own,
  offer: Offer,
): void {
  const { opens } = offer;
  const joining = node(add.valid.and(own.joinable));
  // An empty list that is joined starts anew: its old tail links to nothing.
  const joinsEmpty = node(orTree(own.joins.map((j, i) => j.and(empty.at(i)))));
  // A wire of its own: Yosys makes registers of a memory that is read inside another's address.
  const joinedTail = node(tails.readAsync(own.miss), { name: "joined_tail" });
  links.write(joining.andNot(joinsEmpty), joinedTail, add.slot);
  const addedMiss = node(mux(own.there, own.miss, offer.miss));
  heads.write(opens.or(joining.and(joinsEmpty)), addedMiss, add.slot);
  tails.write(opens.or(joining), addedMiss, add.slot);
  keyOf.write(opens, offer.miss, add.key);
}
