import {
  bit,
  type Bit,
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
  uint,
  type UInt,
  type UIntShape,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  type classBits,
  FrameFacts,
  inlets,
  type QueueHeads,
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
  readonly config: Val<typeof LaneConfig>;
  /** By port, the loop port last: it has room; the class of switched frames is not paused there. */
  readonly room: UInt;
  readonly open: UInt;
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
export function peerOf(config: Val<typeof LaneConfig>, peer: UInt) {
  const all = config.peers.toArray(),
    picks = all.map((_, i) => peer.eq(i));
  return onehotMux(picks, all);
}
/** Ports that a frame of the switched class goes to. */
export function portsOf(p: LaneParameters, config: Val<typeof LaneConfig>, facts: Facts): UInt {
  const n = inlets(p),
    loop = constant(1n << BigInt(p.ports), n),
    peer = decode(peerOf(config, facts.peer).port, p.ports).zext(n);
  return priority(
    [facts.outcome.is("redirect"), peer],
    [facts.outcome.is("unwrap"), loop],
    [facts.outcome.is("ports"), facts.ports.zext(n)],
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
  readonly facts: Facts;
}

/** A frame that was looked at: it may go, as far as those allow that are chosen meanwhile. */
interface Looked {
  readonly can: Bit;
  /** It is not of the smallest size. */
  readonly large: Bit;
}

/** Looks at what waits in one cycle, so that it can be chosen in the next. */
function looks(around: Around) {
  const { p, fits, room, open } = around,
    small = fits[0] ?? room;
  const fitting = (size: UInt): UInt =>
    onehotMux(
      fits.map((_, i) => size.eq(i)),
      [...fits],
    );
  const kept = (name: string, value: Bit): Bit => {
    const q = reg(bit, { init: 0, name });
    q.set(value);
    return q;
  };
  return {
    switched: (name: string, valid: Bit, facts: Facts): Looked => {
      const size = sizeOfLength(p, facts.length),
        closed = portsOf(p, around.config, facts).andNot(open.and(room).and(fitting(size)));
      return { can: kept(`${name}_can`, valid.andNot(closed.any())), large: kept(`${name}_large`, size.any()) };
    },
    own: (valid: Bit, ports: UInt): Looked => ({
      can: kept(
        "own_can",
        valid.andNot(
          ports
            .zext(room.width)
            .andNot(room.and(fits.at(-1) ?? small))
            .any(),
        ),
      ),
      large: constant(1, 1),
    }),
    software: (name: string, valid: Bit): Looked => ({ can: kept(`${name}_can`, valid), large: constant(0, 1) }),
  };
}

/**
 * Round robin over the inlets' switched frames and frames for software, and frames of software. One goes when all its
 * ports are open and have room, also for those that were chosen and have not begun; one for software when its buffer
 * has room, or when that has been waited for long enough. A head is looked at in one cycle and chosen in the next;
 * three cycles later the next one of its inlet is. Behind a frame that is not of the smallest size two cycles pass.
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
    isSoftware = reg(bit, { init: 0, name: "chosen_software" }),
    late = reg(bit, { init: 0, name: "chosen_late" }),
    facts = reg(FrameFacts(p), { name: "chosen_facts" });
  const isOwn = from.bit(n),
    ownSize = constant(2 ** sizeBits - 1, sizeBits),
    size = node(mux(isOwn, ownSize, sizeOfLength(p, facts.length)), { name: "chosen_size" });
  // What was just chosen is in no promise yet, and the frame for software may need all of the buffer.
  const before = (name: string, value: Bit): Bit => {
    const was = reg(bit, { init: 0, name });
    was.set(value);
    return node(value.or(was), { name: `${name}_or_now` });
  };
  const toPorts = node(from.any().andNot(isSoftware), { name: "chosen_for_ports" }),
    any = before("chosen_before", toPorts),
    large = before("large_before", toPorts.and(size.any())),
    apart = ({ large: isLarge }: Looked): Bit => (around.smallAlone ? any.not() : mux(isLarge, any, large).not());
  const buffer = node(around.softwareRoom.andNot(isSoftware), { name: "buffer_room" }),
    toBuffer = node(buffer.or(around.softwareLate), { name: "software_may_go" });

  const rows = heads.map((queues, i) => {
    const held = reg(bit, { init: 0, name: `held_${i}` }),
      which = reg(bit, { init: 0, name: `held_software_${i}` }),
      mayGo = node(around.mayGo.andNot(held), { name: `may_go_${i}` });
    const a = queues.at(switchedClass),
      b = queues.at(softwareClass),
      switched = look.switched(`switched_${i}`, a.valid.andNot(held), a.facts),
      software = look.software(`software_${i}`, b.valid.andNot(held));
    return {
      held,
      which,
      facts: [a.facts, b.facts] as const,
      asks: [
        node(switched.can.and(apart(switched)).and(mayGo), { name: `asks_switched_${i}` }),
        node(software.can.and(toBuffer).and(mayGo), { name: `asks_software_${i}` }),
      ] as const,
    };
  });
  const ownLooked = look.own(own.valid, own.ports),
    ownAsks = node(ownLooked.can.and(own.valid).and(apart(ownLooked)).and(around.mayGo), { name: "own_asks" });
  const turn = twoTurns("lane", [...rows.map(r => [...r.asks]), [ownAsks]]);

  from.set(fromBits(turn.groups).is(n + 1));
  const picks = rows.map((_, i) => (turn.members[i] ?? []).map(m => m.and(turn.groups[i] ?? m)));
  facts.set(
    onehotMux(
      picks.flat(),
      rows.flatMap(r => [...r.facts]),
    ),
  );
  isSoftware.set(orTree(picks.map(([, software]) => software ?? constant(0, 1))));
  late.set(buffer.not());
  rows.forEach((r, i) => {
    const take = takes[i] as StreamOut<UIntShape<typeof classBits>>;
    when(turn.groups[i] as Bit, () => {
      r.held.set(1);
      r.which.set(turn.members[i]?.[1] ?? r.which);
    }).elseWhen(take.ready, () => r.held.set(0));
    take.valid.set(r.held);
    take.payload.set(mux(r.which, constant(softwareClass, 3), constant(switchedClass, 3)));
  });
  return { valid: from.any(), from, isSoftware, late, size, facts, ownTaken: turn.groups[n] as Bit };
}
