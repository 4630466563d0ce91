/** Packets on their way to their decision. */
import {
  assertAlways,
  type Bit,
  bit,
  cat,
  Fifo,
  fifoWithLevel,
  instance,
  type InstanceOf,
  map,
  node,
  orTree,
  type Ram,
  reg,
  stage,
  stream,
  type StreamIn,
  struct,
  uint,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import type { GbnReceiver } from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnVerdict } from "../../../../shared/go-back-n/wire/index.ts";
import { gbnLifeBits } from "../../../wire/index.ts";
import { headerBits, type TaskPacket } from "../interface.ts";
import { look, sort } from "./classify.ts";
import type { Nodes } from "./nodes.ts";
import { beatBytes, carriedOf, Decided, type GbnTaskParameters, type Life, Looked, Sorted } from "./records.ts";
import { roomOf } from "./room.ts";

/** Packets inside, at most: decisions that wait to be answered, and packets on their way there. */
export const holds = 20;
const depth = 16,
  underWay = 4;
const { header: _, ...withoutHeader } = Decided.fields,
  Waits = struct(withoutHeader);

interface Around {
  readonly nodes: Nodes;
  readonly receiver: InstanceOf<typeof GbnReceiver>;
  readonly lives: Ram<typeof Life>;
  /** Nothing new comes in. */
  readonly stops: Bit;
  /** There is a place for a request that is answered here. */
  readonly freeJob: Bit;
  /** A beat of a reply, or its last one, has left. */
  readonly gone: { readonly beat: Bit; readonly reply: Bit };
}

/**
 * a: as it came. b: what its header says. c: what it is; a session's packet goes to the receiver, whose verdict is
 * there two cycles later. Then its decision waits for its answer.
 */
export function requestsOf(
  p: GbnTaskParameters,
  packets: StreamIn<typeof TaskPacket>,
  { nodes, receiver, lives, stops, freeJob, gone }: Around,
) {
  const open = stream(packets.shape, { name: "let_in" });
  open.valid.set(packets.valid.andNot(stops));
  open.payload.set(packets.payload);
  packets.ready.set(open.ready.andNot(stops));
  const a = stage(open, "forward", { name: "who_a" }),
    b = stage(
      map(a, Looked, v => look(v, nodes, p.sessions), { name: "looked" }),
      "forward",
      { name: "who_b" },
    ),
    is = sort(b.payload),
    sorted = map(b, Sorted, () => is.sorted, { name: "sorted" }),
    // Registered both ways: whether the receiver takes it hangs on its timer.
    c = stage(sorted, "full", { name: "who_c" });
  // Headers wait in memory, in the order of the decisions.
  const headers = instance("headers", Fifo({ shape: uint(headerBits), depth: 2 * depth, style: "distributed" }));
  headers.push.valid.set(sorted.fire);
  headers.push.payload.set(is.header);
  when(sorted.valid, () => assertAlways(headers.push.ready, "a packet that is let in has room for its header"));

  // Asked, and known two cycles later.
  const who = c.payload,
    { says } = who,
    room = reg(bit, { init: 0, name: "decision_room" }),
    crowdedBefore = reg(bit, { init: 0, name: "crowded_before" }),
    session = says.dstSlot.trunc(Math.log2(p.sessions)),
    refused = node(crowdedBefore.and(who.session).andNot(who.control), { name: "is_refused" }),
    asks = node(who.session.andNot(refused), { name: "asks_receiver" });
  receiver.packet.valid.set(c.valid.and(asks).and(room));
  receiver.packet.payload.set({
    session,
    sequence: says.sequence,
    control: who.control,
    peer: {
      identity: cat(who.node, says.ip, says.port, says.srcSlot),
      address: cat(says.mac, who.ingress),
    },
  });
  c.ready.set(room.and(asks.not().or(receiver.packet.ready)));
  const lifeNow = lives.readSync(session, { name: "life_now" }),
    Asked = struct({ ...Sorted.fields, asked: bit }),
    early = reg(Asked, { name: "early" }),
    late = reg(Asked, { name: "late" }),
    life = reg(uint(gbnLifeBits), { name: "late_life" }),
    earlyValid = reg(bit, { init: 0, name: "early_valid" }),
    lateValid = reg(bit, { init: 0, name: "late_valid" });
  earlyValid.set(c.fire);
  lateValid.set(earlyValid);
  early.set({ ...who, asked: asks });
  late.set(early);
  life.set(lifeNow.life);

  // Decided.
  const accepted = node(lateValid.and(late.asked).and(receiver.verdict.what.eq(gbnVerdict.accepted)), {
      name: "is_accepted",
    }),
    delivered = node(accepted.andNot(late.control), { name: "is_delivered" }),
    beats = late.payloadBytes
      .add(2 * beatBytes - 1)
      .shr(Math.log2(beatBytes))
      .trunc(6),
    keeps = wire(bit, { name: "is_kept" }),
    waiting = roomOf(p, keeps, beats, gone),
    manages = node(lateValid.and(late.manages).and(freeJob), { name: "is_answered_here" });
  keeps.set(lateValid.and(late.reply).and(waiting.room));
  crowdedBefore.set(waiting.crowded);
  const decided = stream(Waits, { name: "decided" }),
    { out, level } = fifoWithLevel(decided, depth, { name: "decisions", style: "distributed" });
  room.set(level.le(depth - underWay));
  decided.valid.set(lateValid);
  decided.payload.set({
    ...carriedOf(late),
    drops: orTree([late.session, late.reply, late.lost, late.manages]).andNot(delivered),
    shifts: delivered,
    keeps,
    manages,
    life,
  });
  headers.pop.ready.set(out.fire);
  return {
    out: map(out, Decided, d => ({ ...d, header: headers.pop.payload }), { name: "decision" }),
    late,
    delivered,
    heard: node(accepted.and(late.control), { name: "is_heard" }),
    nack: late.says.nack,
    manages,
    waits: waiting.waits,
    /** Nothing is on its way to its decision. */
    empty: node(orTree([a.valid, b.valid, c.valid, earlyValid, lateValid]).not(), { name: "nothing_under_way" }),
  };
}
