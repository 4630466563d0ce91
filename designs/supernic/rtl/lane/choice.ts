import {
  bit,
  type Bit,
  constant,
  decode,
  fromBits,
  mux,
  node,
  onehotMux,
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
  softwareClass,
  switchedClass,
  twoTurns,
} from "../inside/index.ts";
import type { LaneConfig, LaneParameters } from "./ports.ts";

/** What decides where frames may go. */
export interface Around {
  readonly p: LaneParameters;
  readonly config: Val<typeof LaneConfig>;
  /** By port, the loop port last: it has room, and the class of switched frames is not paused there. */
  readonly open: UInt;
  /** By port: it has room. */
  readonly room: UInt;
  /** Software's buffer has room for a frame; it had none for too long. */
  readonly softwareRoom: Bit;
  readonly softwareLate: Bit;
}
type Facts = Val<ReturnType<typeof FrameFacts>>;
/** A frame that software sends. */
export interface OwnFrame {
  readonly valid: Bit;
  readonly ports: UInt;
}

/** The entry of a peer. */
function peerOf(config: Val<typeof LaneConfig>, peer: UInt) {
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
  readonly facts: Facts;
}

/**
 * Round robin over the inlets' switched frames and frames for software, and frames of software. One goes when all its
 * ports have room and are open; one for software when its buffer has room, or when that has been waited for long
 * enough. A head is looked at in one cycle and chosen in the next; three cycles later the next one of its inlet is.
 */
export function choose(
  { p, config, open, room, softwareRoom, softwareLate }: Around,
  heads: readonly Val<ReturnType<typeof QueueHeads>>[],
  takes: readonly StreamOut<UIntShape<typeof classBits>>[],
  own: OwnFrame,
  mayGo: Bit,
): Chosen & { readonly ownTaken: Bit } {
  const n = inlets(p),
    isSoftware = reg(bit, { init: 0, name: "chosen_software" }),
    // The one just chosen may need all of it.
    buffer = node(softwareRoom.andNot(isSoftware), { name: "buffer_room" }),
    toBuffer = node(buffer.or(softwareLate), { name: "software_may_go" });
  const rows = heads.map((queues, i) => {
    const held = reg(bit, { init: 0, name: `held_${i}` }),
      which = reg(bit, { init: 0, name: `held_software_${i}` });
    const switched = queues.at(switchedClass),
      software = queues.at(softwareClass);
    const look = (name: string, can: Bit): Bit => {
      const q = reg(bit, { init: 0, name: `${name}_${i}` });
      q.set(can.andNot(held));
      return q.andNot(held).and(mayGo);
    };
    const closed = portsOf(p, config, switched.facts).andNot(open).any();
    return {
      held,
      which,
      facts: [switched.facts, software.facts] as const,
      asks: [
        node(look("switched", switched.valid.andNot(closed)), { name: `asks_switched_${i}` }),
        node(look("software", software.valid.and(toBuffer)).and(toBuffer), {
          name: `asks_software_${i}`,
        }),
      ] as const,
    };
  });
  const ownOpen = reg(bit, { init: 0, name: "own_open" });
  ownOpen.set(own.valid.andNot(own.ports.zext(n).andNot(room).any()));
  const turn = twoTurns("lane", [
    ...rows.map(r => [...r.asks]),
    [node(ownOpen.and(own.valid).and(mayGo), { name: "own_asks" })],
  ]);

  const from = reg(uint(n + 1), { init: 0, name: "chosen" }),
    late = reg(bit, { init: 0, name: "chosen_late" }),
    facts = reg(FrameFacts(p), { name: "chosen_facts" });
  from.set(fromBits(turn.groups).is(n + 1));
  const members = rows.map((_, i) => ({ group: turn.groups[i] as Bit, of: turn.members[i] ?? [] }));
  const picks = members.flatMap(({ group, of }) => of.map(m => group.and(m)));
  facts.set(
    onehotMux(
      picks,
      rows.flatMap(r => [...r.facts]),
    ),
  );
  isSoftware.set(fromBits(picks.filter((_, i) => i % 2 === 1)).any());
  late.set(buffer.not());
  rows.forEach((r, i) => {
    const take = takes[i] as StreamOut<UIntShape<typeof classBits>>,
      { group, of } = members[i] as (typeof members)[number];
    when(group, () => {
      r.held.set(1);
      r.which.set(of[1] ?? group);
    }).elseWhen(take.ready, () => r.held.set(0));
    take.valid.set(r.held);
    take.payload.set(mux(r.which, constant(softwareClass, 3), constant(switchedClass, 3)));
  });
  return { valid: from.any(), from, isSoftware, late, facts, ownTaken: turn.groups[n] as Bit };
}
