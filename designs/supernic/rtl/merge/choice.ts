import {
  type Bit,
  bit,
  constant,
  decode,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  reg,
  type StreamOut,
  toBits,
  type UInt,
  uint,
  type UIntShape,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { grantsBehind } from "../../../shared/stream/index.ts";
import {
  classBits,
  type FrameFacts,
  inlets,
  payloadCellBits,
  type QueueHeads,
  returnClass,
  twoTurns,
  userClasses,
} from "../inside/index.ts";
import type { Allowed } from "./accounts.ts";
import type { MergeParameters } from "./ports.ts";
import { cellsOf, TakenFacts, takenFacts } from "./records.ts";
import type { Room } from "./room.ts";
import { watchHeads } from "./watch.ts";

/** A head of a class queue: what it needs, and what its user may. */
export interface Candidate {
  readonly valid: Bit;
  readonly facts: Val<ReturnType<typeof FrameFacts>>;
  /** Its user has enough for several of the longest frames; this is known late. */
  readonly has: Bit;
  /** And so has the device: it can go now. */
  readonly fast: Bit;
  /** As it was in the cycle before: it can go alone, when no frame is on its way that the accounts do not show. */
  readonly alone: Bit;
  /** It lacks cells of its user, or room, and nothing else. */
  readonly lacksQuota: Bit;
  readonly lacksRoom: Bit;
}

interface Asked {
  readonly heads: readonly Val<ReturnType<typeof QueueHeads>>[];
  /** By head, inlet by inlet: what its user may take. */
  readonly allowed: readonly Val<ReturnType<typeof Allowed>>[];
  /** No head may go, whatever that says. */
  readonly closed: Bit;
  readonly room: Room;
}

/** All heads of users, by inlet and class. */
export function candidatesOf(
  p: MergeParameters,
  { heads, allowed, closed, room }: Asked,
): readonly (readonly Candidate[])[] {
  const cellBits = payloadCellBits(p);
  return heads.map((queues, i) => {
    const isLoop = i === p.ports,
      kind = isLoop ? { any: room.loop, cells: room.loopCells } : { any: room.arrival, cells: room.arrivalCells };
    return Array.from({ length: userClasses }, (_, k): Candidate => {
      const { valid: waits, facts } = queues.at(k),
        // A result that returns is the switch lane's.
        isOurs = k === returnClass ? node(waits.and(facts.outcome.is("core")), { name: `for_core_${i}` }) : waits,
        valid = node(isOurs.andNot(closed), { name: `waits_${i}_${k}` }),
        need = node(cellsOf(facts.length, cellBits), { name: `need_${i}_${k}` });
      const { plenty: has, one, cells } = allowed[i * userClasses + k] as Val<ReturnType<typeof Allowed>>;
      const quotaFits = need.le(cells),
        roomFits = kind.any.and(need.le(kind.cells));
      const userLets = node(valid.and(has.or(one.and(quotaFits))), { name: `user_lets_${i}_${k}` }),
        roomLets = node(room.plenty.or(roomFits), { name: `room_lets_${i}_${k}` });
      const kept = (name: string, value: Bit): Bit => {
        const q = reg(bit, { init: 0, name: `${name}_${i}_${k}` });
        q.set(value);
        return q;
      };
      return {
        valid,
        facts,
        has,
        fast: node(valid.and(has).and(room.plenty), { name: `fast_${i}_${k}` }),
        alone: kept("alone", userLets.and(roomLets)),
        lacksQuota: kept("lacks_quota", valid.and(one).andNot(quotaFits)),
        lacksRoom: kept("lacks_room", userLets.andNot(roomLets)),
      };
    });
  });
}

/** What has been taken: behind registers, in the cycle behind the choice. */
export interface Taken {
  readonly valid: Bit;
  readonly inlet: UInt;
  readonly facts: Val<typeof TakenFacts>;
}
/** How takes of the cycles before bind those of this one. */
interface Bound {
  /** Frames can be noted. */
  readonly open: Bit;
  readonly room: Room;
  /** No take of a head that goes alone for as long as the accounts do not show it, by class; no take at all. */
  readonly quiet: readonly Bit[];
  readonly quietAll: Bit;
  /** Told of both in the cycle behind a take. */
  readonly note: (alone: readonly Bit[], any: Bit) => void;
}
export interface Chosen extends Taken {
  readonly urgent: Bit;
}

/** What was chosen is offered until it is taken; both follow from registers. */
function offersOf(takes: readonly StreamOut<UIntShape<typeof classBits>>[], chosen: UInt) {
  return takes.map((take, i) => {
    const was = reg(bit, { init: 0, name: `was_held_${i}` }),
      ready = reg(bit, { init: 0, name: `was_ready_${i}` }),
      offered = node(chosen.bit(i).or(was), { name: `was_offered_${i}` }),
      held = node(offered.andNot(ready), { name: `held_${i}` }),
      of = reg(uint(classBits), { name: `held_class_${i}` });
    was.set(held);
    ready.set(take.ready);
    return { held, of, gone: node(offered.and(ready), { name: `gone_${i}` }) };
  });
}

/**
 * Chooses a head in each cycle and takes it. Heads with plenty may be taken in every cycle. Of the others one of each
 * class is named, round robin over the inlets, in the cycle before it may be taken; behind it the accounts are waited
 * for.
 */
export function choose(
  p: MergeParameters,
  candidates: readonly (readonly Candidate[])[],
  takes: readonly StreamOut<UIntShape<typeof classBits>>[],
  bound: Bound,
): Chosen {
  const n = inlets(p),
    classes = Array.from({ length: userClasses }, (_, k) => k);
  const chosen = reg(uint(n), { init: 0, name: "chosen" });
  const offers = offersOf(takes, chosen);

  // Those that may go alone: looked at two cycles before, named in the one before.
  const watch = watchHeads(p, candidates);
  const gone = (i: number, k: number): Bit => offers[i]?.gone.and(offers[i].of.eq(k)) ?? constant(0, 1);
  const lastAlone = classes.map(k => reg(uint(n), { init: 1, name: `last_alone_${k}` })),
    scarce = reg(bit, { init: 0, name: "room_is_scarce" }),
    scarceBefore = reg(bit, { init: 0, name: "room_was_scarce" }),
    apart = node(scarce.or(scarceBefore).not().or(bound.quietAll), { name: "apart" });
  scarce.set(bound.room.plenty.not());
  scarceBefore.set(scarce);
  const named = classes.map(k => {
    const asks = candidates.map((row, i) =>
      node((row[k] as Candidate).alone.andNot(gone(i, k)).andNot(watch.holdsUp(i, k)), {
        name: `asks_alone_${i}_${k}`,
      }),
    );
    return grantsBehind(`alone_${k}`, asks, lastAlone[k] as UInt).map((g, i) => {
      const q = reg(bit, { init: 0, name: `named_${i}_${k}` });
      q.set(g);
      return q;
    });
  });

  // The choice. Behind a take the head is another one.
  const asks = candidates.map((row, i) =>
    row.map((c, k) => {
      const name = named[k]?.[i] ?? constant(0, 1),
        free = bound.quiet[k] ?? constant(0, 1);
      const alone = node(name.and(c.valid).and(free).and(apart).andNot(gone(i, k)), {
        name: `goes_alone_${i}_${k}`,
      });
      // All else is known before the user's account is looked up: so that has the short way.
      const open = node(bound.open.andNot(offers[i]?.held ?? constant(0, 1)), { name: `open_for_${i}_${k}` }),
        early = node(c.valid.and(bound.room.plenty).and(open), { name: `goes_by_user_${i}_${k}` }),
        besides = node(alone.and(open), { name: `goes_besides_${i}_${k}` });
      return { alone, any: node(c.has.and(early).or(besides), { name: `asks_${i}_${k}` }) };
    }),
  );
  const turn = twoTurns(
    "take",
    asks.map(row => row.map(a => a.any)),
  );
  const factsOf = candidates.map((row, i) => {
    const q = reg(TakenFacts, { name: `facts_${i}` });
    // By its number: that is one lookup table a bit for four, where their bits are two.
    const picks = toBits(decode(turn.numbers[i] as UInt, row.length)),
      facts = onehotMux(
        picks,
        row.map(c => c.facts),
      );
    q.set(takenFacts(facts));
    return q;
  });
  chosen.set(fromBits(turn.groups).is(n));
  takes.forEach((take, i) => {
    const group = turn.groups[i] ?? constant(0, 1),
      which = (turn.numbers[i] as UInt).zext(classBits),
      { held, of } = offers[i] as (typeof offers)[number];
    take.valid.set(held.or(group));
    take.payload.set(mux(held, of, which));
    when(group, () => of.set(which));
  });
  // Those that were not fast went alone.
  const by = candidates.map((row, i) =>
    row.map((c, k) => {
      const took = reg(bit, { init: 0, name: `took_alone_${i}_${k}` }),
        group = turn.groups[i] ?? constant(0, 1);
      took.set(group.and(turn.members[i]?.[k] ?? group).andNot(c.fast));
      return took;
    }),
  );
  const tookAlone = classes.map(k => {
    const ofClass = by.map(row => row[k] as Bit);
    when(orTree(ofClass), () => (lastAlone[k] as (typeof lastAlone)[number]).set(fromBits(ofClass).is(n)));
    return orTree(ofClass);
  });
  bound.note(tookAlone, chosen.any());
  watch.step(
    chosen,
    offers.map(o => o.of),
  );
  return {
    valid: chosen.any(),
    inlet: chosen,
    facts: onehotMux(
      factsOf.map((_, i) => chosen.bit(i)),
      factsOf,
    ),
    urgent: watch.urgent,
  };
}
