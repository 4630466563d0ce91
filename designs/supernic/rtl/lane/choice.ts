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
  priority,
  reg,
  type StreamOut,
  type UInt,
  uint,
  type UIntShape,
  type Val,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { pickOf } from "../../../shared/frame/index.ts";
import {
  classBits,
  FrameFacts,
  inlets,
  type QueueHeads,
  returnClass,
  sizeBits,
  softwareClass,
  switchedClass,
  twoTurns,
} from "../inside/index.ts";
import type { LaneConfig, LaneParameters } from "./ports.ts";
import { sizeOfLength } from "./records.ts";

type Facts = Val<ReturnType<typeof FrameFacts>>;
/** Frames that are chosen before a port's promise shows the first of them. */
export const blindChoices = 2;

/** What decides where frames may go. */
export interface Around {
  readonly p: LaneParameters;
  readonly config: Val<ReturnType<typeof LaneConfig>>;
  /** By port, the loop port last: it has room; the class of switched frames, and of redirects, is not paused there. */
  readonly room: UInt;
  readonly open: UInt;
  readonly openRedirect: UInt;
  /** The class that results have there is not paused: of returns at ports of peers, of switched frames elsewhere. */
  readonly openReturned: UInt;
  /** By size, ports for which one more frame may be chosen. */
  readonly fits: readonly UInt[];
  /** Not even the smallest frames may be chosen one after the other. */
  readonly smallAlone: boolean;
  /** Software's buffer has room for a frame; it had none for too long. */
  readonly softwareRoom: Bit;
  readonly softwareLate: Bit;
  /** There may be one frame more in the lane. */
  readonly mayGo: Bit;
}
/** A frame that software sends. */
export interface OwnFrame {
  readonly valid: Bit;
  readonly ports: UInt;
}

/** The entry of a peer. */
export function peerOf(config: Val<ReturnType<typeof LaneConfig>>, peer: UInt) {
  const all = config.peers.toArray();
  return {
    mac: pickOf(
      peer,
      all.map(a => a.mac),
    ),
    port: pickOf(
      peer,
      all.map(a => a.port),
    ),
    far: pickOf(
      peer,
      all.map(a => a.far),
    ).bit(0),
  };
}
/** Ports that a frame of the switched class goes to. */
export function portsOf(p: LaneParameters, config: Val<ReturnType<typeof LaneConfig>>, facts: Facts): UInt {
  const n = inlets(p),
    loop = constant(1n << BigInt(p.ports), n),
    peer = decode(peerOf(config, facts.peer).port, p.ports).zext(n);
  return priority(
    [facts.outcome.is("redirect"), peer],
    [facts.outcome.is("unwrap"), loop],
    [facts.outcome.is("ports", "onward"), facts.ports.zext(n)],
    constant(0, n),
  );
}

/** The frame that has been chosen, a cycle later. */
export interface Chosen {
  readonly valid: Bit;
  /** Inlets, and software behind them, a bit each. */
  readonly from: UInt;
  readonly isSoftware: Bit;
  readonly late: Bit;
  readonly size: UInt;
  /** Its ports, of the switched class and of software's frames. */
  readonly to: UInt;
  readonly facts: Facts;
}

/** What may go, behind registers: as far as those allow that are chosen meanwhile. */
interface Looked {
  readonly can: Bit;
  readonly size: UInt;
  readonly to: UInt;
}
/** A value a cycle later; a bit begins with 0. */
const kept = (name: string, value: UInt): UInt => {
  const q = reg(uint(value.width), { name });
  q.set(value);
  return q;
};
const keptBit = (name: string, value: Bit): Bit => {
  const q = reg(bit, { init: 0, name });
  q.set(value);
  return q;
};

const isOneClass = ({ redirectClass = switchedClass }: LaneParameters): boolean => redirectClass === switchedClass;

/** Looks at what waits: in one cycle where it goes, in the next whether it can. */
function looks({ p, config, fits, room, open, openRedirect, openReturned }: Around) {
  const n = inlets(p);
  const fitting = (size: UInt): UInt => {
    const which = fits.map((_, i) => size.eq(i));
    return onehotMux(which, [...fits]);
  };
  return {
    /** @param of its class queue */
    switched: (name: string, valid: Bit, held: Bit, facts: Facts, of: number): Looked => {
      const there = keptBit(`${name}_there`, valid.andNot(held)),
        size = kept(`${name}_size`, sizeOfLength(p, facts.length)),
        to = kept(`${name}_to`, portsOf(p, config, facts)),
        // That of software is never paused.
        byClass = of === returnClass ? openReturned : constant((1n << BigInt(n)) - 1n, n),
        switchedOpen = (): UInt =>
          isOneClass(p)
            ? open
            : mux(keptBit(`${name}_redirects`, facts.outcome.is("redirect", "onward")), openRedirect, open),
        mayGo = of === switchedClass ? switchedOpen() : byClass,
        closed = node(to.andNot(mayGo.and(room).and(fitting(size))).any(), { name: `${name}_closed` });
      return { can: keptBit(`${name}_can`, there.andNot(held).andNot(closed)), size, to };
    },
    own: (valid: Bit, ports: UInt): Looked => {
      const to = ports.zext(n),
        size = constant(2 ** sizeBits - 1, sizeBits);
      return {
        can: keptBit("own_can", valid.andNot(to.andNot(room.and(fitting(size))).any())),
        size,
        to: kept("own_to", to),
      };
    },
    software: (name: string, valid: Bit, held: Bit): Looked => ({
      can: keptBit(`${name}_can`, valid.andNot(held)),
      size: constant(0, sizeBits),
      to: constant(0, n),
    }),
  };
}

/** What goes apart from what was just chosen; and whether a frame for software may go. */
interface Behind {
  readonly apart: (of: Looked) => Bit;
  readonly toBuffer: Bit;
}

/** What each inlet asks: with a frame to be switched, one for software, a result that returns, a peer's message. */
function rowsOf(
  around: Around,
  heads: readonly Val<ReturnType<typeof QueueHeads>>[],
  look: ReturnType<typeof looks>,
  { apart, toBuffer }: Behind,
) {
  return heads.map((queues, i) => {
    const held = reg(bit, { init: 0, name: `held_${i}` }),
      which = reg(uint(classBits), { init: 0, name: `held_class_${i}` }),
      mayGo = node(around.mayGo.andNot(held), { name: `may_go_${i}` });
    const a = queues.at(switchedClass),
      b = queues.at(softwareClass),
      c = queues.at(returnClass),
      switched = look.switched(`switched_${i}`, a.valid, held, a.facts, switchedClass),
      isPassing = b.facts.outcome.is("ports"),
      software = look.software(`software_${i}`, b.valid.andNot(isPassing), held),
      passing = look.switched(`passing_${i}`, b.valid.and(isPassing), held, b.facts, softwareClass),
      // Others of this class are the core's.
      returns = node(c.valid.and(c.facts.outcome.is("ports", "unwrap", "onward")), { name: `returns_${i}` }),
      returned = look.switched(`returned_${i}`, returns, held, c.facts, returnClass);
    return {
      held,
      which,
      facts: [a.facts, b.facts, c.facts] as const,
      switched,
      returned,
      passing,
      asks: [
        node(switched.can.and(apart(switched)).and(mayGo), { name: `asks_switched_${i}` }),
        node(software.can.and(toBuffer).and(mayGo), { name: `asks_software_${i}` }),
        node(returned.can.and(apart(returned)).and(mayGo), { name: `asks_returned_${i}` }),
        node(passing.can.and(apart(passing)).and(mayGo), { name: `asks_passing_${i}` }),
      ] as const,
    };
  });
}

/**
 * Round robin over the inlets' switched frames, results that return, frames for software and messages that pass to the
 * next peer; and frames of software.
 * One goes when all its ports are open and have room, also for those that were chosen and have not begun; one for
 * software when its buffer has room, or when that has been waited for long enough. A head is looked at in two cycles
 * and chosen in the next; four cycles later the next one of its inlet is. Behind a frame that is not of the smallest
 * size two cycles pass.
 */
export function choose(
  around: Around,
  heads: readonly Val<ReturnType<typeof QueueHeads>>[],
  takes: readonly StreamOut<UIntShape<typeof classBits>>[],
  own: OwnFrame,
): Chosen & { readonly ownTaken: Bit } {
  const { p } = around,
    n = inlets(p),
    look = looks(around);
  const from = reg(uint(n + 1), { init: 0, name: "chosen" }),
    any = reg(bit, { init: 0, name: "chosen_any" }),
    wasAny = keptBit("chosen_before", any),
    wasLarge = reg(bit, { init: 0, name: "large_before" }),
    late = reg(bit, { init: 0, name: "chosen_late" });
  const isSoftware = wire(bit, { name: "chosen_software" }),
    isLarge = wire(bit, { name: "chosen_large" });
  wasLarge.set(isLarge);
  // What was just chosen is in no promise yet, and a frame for software may need all of the buffer.
  const large = node(isLarge.or(wasLarge), { name: "behind_large" }),
    behind = node(any.or(wasAny), { name: "behind_any" }),
    apart = ({ size }: Looked): Bit => (around.smallAlone ? behind.not() : mux(size.any(), behind, large).not());
  const buffer = node(around.softwareRoom.andNot(isSoftware), { name: "buffer_room" }),
    toBuffer = node(buffer.or(around.softwareLate), { name: "software_may_go" });

  const rows = rowsOf(around, heads, look, { apart, toBuffer });
  const ownLooked = look.own(own.valid, own.ports),
    ownAsks = node(ownLooked.can.and(own.valid).and(apart(ownLooked)).and(around.mayGo), { name: "own_asks" }),
    asks = [...rows.map(r => [...r.asks]), [ownAsks]];
  const turn = twoTurns("lane", asks);
  from.set(fromBits(turn.groups).is(n + 1));
  any.set(orTree(asks.flat()));
  late.set(buffer.not());

  // Of each source what it would be, and in the cycle behind the one that it is.
  const was = rows.map((r, i) => {
    const [bySwitched = r.held, bySoftware = r.held, byReturned = r.held, byPassing = r.held] = turn.members[i] ?? [],
      facts = reg(FrameFacts(p), { name: `facts_${i}` });
    facts.set(onehotMux([bySwitched, bySoftware.or(byPassing), byReturned], [...r.facts]));
    const { switched, returned, passing } = r,
      of = [bySwitched, byReturned, byPassing];
    return {
      software: keptBit(`was_software_${i}`, bySoftware),
      size: kept(`was_size_${i}`, onehotMux(of, [switched.size, returned.size, passing.size])),
      to: kept(`was_to_${i}`, onehotMux(of, [switched.to, returned.to, passing.to])),
      facts,
    };
  });
  const picks = was.map((_, i) => from.bit(i)),
    isOwn = from.bit(n),
    size = onehotMux([...picks, isOwn], [...was.map(w => w.size), ownLooked.size]);
  isSoftware.set(orTree(was.map((w, i) => w.software.and(from.bit(i)))));
  isLarge.set(size.any());
  rows.forEach((r, i) => {
    const take = takes[i] as StreamOut<UIntShape<typeof classBits>>;
    when(turn.groups[i] as Bit, () => {
      r.held.set(1);
      const [, bySoftware = r.held, byReturned = r.held, byPassing = r.held] = turn.members[i] ?? [];
      r.which.set(
        priority(
          [bySoftware.or(byPassing), constant(softwareClass, classBits)],
          [byReturned, constant(returnClass, classBits)],
          constant(switchedClass, classBits),
        ),
      );
    }).elseWhen(take.ready, () => r.held.set(0));
    take.valid.set(r.held);
    take.payload.set(r.which);
  });
  return {
    valid: from.any(),
    from,
    isSoftware,
    late,
    size,
    to: onehotMux([...picks, isOwn], [...was.map(w => w.to), kept("own_was_to", ownLooked.to)]),
    facts: onehotMux(
      picks,
      was.map(w => w.facts),
    ),
    ownTaken: turn.groups[n] as Bit,
  };
}
