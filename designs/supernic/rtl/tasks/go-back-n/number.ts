/** Replies that wait get their numbers: whose they are, whether he is still there, and whether his window has room. */
import {
  bit,
  type Bit,
  Fifo,
  fsm,
  instance,
  type InstanceOf,
  mux,
  node,
  orTree,
  type Ram,
  reg,
  type StreamIn,
  struct,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { joinFields } from "../../../../shared/frame/index.ts";
import {
  FramePlace,
  GbnAction,
  gbnBytes,
  type GbnSender,
  InsertPlan,
  Ways,
  wireSequenceBits,
  wireSlotBits,
  writtenBits,
} from "../../../../shared/go-back-n/rtl/index.ts";
import { gbnHeader, gbnTypes } from "../../../../shared/go-back-n/wire/index.ts";
import { type GbnTaskParameters, lengthBits, type Life, memoryOf, Reply, type To } from "./records.ts";

/** Plans that wait for their beats. */
const planned = 4;

/**
 * One reply after the other, 4 cycles each. It is taken when the one before has its number, and held. With a full
 * window it is looked at again from the start, so that a session may be closed meanwhile. Its number is given in the
 * cycle after the sender's answer, in which the next one is taken. `stops`: none begins.
 */
export function numberOf(
  p: GbnTaskParameters,
  replies: StreamIn<ReturnType<typeof Reply>>,
  o: {
    readonly lives: Ram<typeof Life>;
    readonly peers: Ram<typeof To>;
    readonly sender: InstanceOf<typeof GbnSender>;
    readonly stops: Bit;
  },
) {
  const queue = { depth: planned, style: "distributed" } as const,
    KeptPlace = struct({ at: FramePlace(memoryOf(p)), bytes: uint(lengthBits) });
  const plans = instance("plans", Fifo({ shape: InsertPlan, ...queue })),
    ways = instance("ways", Fifo({ shape: Ways, ...queue })),
    places = instance("places", Fifo({ shape: KeptPlace, ...queue }));
  const held = reg(Reply(p), { name: "numbered_reply" }),
    holds = reg(bit, { init: 0, name: "holds_reply" }),
    // One may just be given to them.
    room = node(
      [plans, ways, places].map((f): Bit => f.level.lt(planned - 1)).reduce((x, y) => x.and(y)),
      { name: "room_for_plan" },
    ),
    begins = node(replies.valid.or(holds).and(room).andNot(o.stops), { name: "number_begins" }),
    whose = node(mux(holds, held.session, replies.payload.session), { name: "whose_reply" }),
    life = o.lives.readSync(whose, { name: "reply_life" }),
    to = o.peers.readSync(whose, { name: "reply_to" }),
    asked = reg(bit, { init: 0, name: "number_asked" });
  const { granted, request } = o.sender,
    isNow = node(life.life.eq(held.life).and(life.node.eq(held.node)), { name: "is_of_this_life" }),
    gives = node(asked.and(granted.granted), { name: "number_given" });
  const phase = fsm(
    ["Wait", "Life", "Ask", "Number", "Drop"],
    "Wait",
    s => ({
      Wait: () => when(begins, () => s.go("Life")),
      Life: () => when(isNow, () => s.go("Ask")).otherwise(() => s.go("Drop")),
      Ask: () => when(request.ready, () => s.go("Number")),
      Number: () => when(granted.closed, () => s.go("Drop")).otherwise(() => s.go("Wait")),
      Drop: () => s.go("Wait"),
    }),
    { name: "number" },
  );
  asked.set(phase.is("Ask").and(request.ready));
  request.valid.set(phase.is("Ask"));
  request.payload.set(held.session);
  const drops = node(phase.is("Drop"), { name: "reply_is_dropped" }),
    waits = node(phase.is("Wait"), { name: "number_waits" });
  // Whatever hinders it: its place in the queue hangs on a register alone.
  replies.ready.set(holds.not());
  when(replies.fire, () => {
    held.set(replies.payload);
    holds.set(1);
  }).elseWhen(gives.or(drops), () => holds.set(0));
  // As they were in the cycle before; the reply is still held, and whose it is still known.
  const gave = reg(bit, { init: 0, name: "number_was_given" }),
    dropped = reg(bit, { init: 0, name: "reply_was_dropped" }),
    number = reg(struct({ sequence: uint(p.sequenceBits), now: bit }), { name: "number_of_reply" }),
    ends = node(gave.or(dropped), { name: "reply_is_planned" });
  gave.set(gives);
  dropped.set(drops);
  number.set({ sequence: granted.sequence, now: granted.now });
  plans.push.valid.set(ends);
  plans.push.payload.set({
    action: mux(dropped, GbnAction.discard, GbnAction.shift),
    mac: to.mac,
    header: joinFields(gbnHeader, {
      type: gbnTypes.data,
      sequence: number.sequence.resize(wireSequenceBits),
      srcSlot: held.session.resize(wireSlotBits),
      dstSlot: to.slot,
      // The port by which it leaves goes along here, up to the way out (out.ts).
      unused: to.port,
    }).is(8 * gbnBytes),
    ipLength: held.ipLength,
    checksum: held.checksum,
    udpLength: held.udpLength,
  });
  ways.push.valid.set(gave);
  // While a session sends again, its new replies are kept only.
  ways.push.payload.set({ send: number.now, store: 1 });
  places.push.valid.set(gave);
  places.push.payload.set({
    at: { session: held.session, place: number.sequence.trunc(Math.log2(p.window)) },
    bytes: held.bytes,
  });
  // At once: who sends again asks how many there are.
  const given = reg(uint(writtenBits), { init: 0, name: "given" });
  when(gives, () => given.set(given.add(1)));
  return {
    plans: plans.pop,
    ways: ways.pop,
    places: places.pop,
    given,
    /** One has left the queue. */
    taken: replies.fire,
    /** None is between two looks. */
    idle: node(waits.andNot(ends), { name: "gives_no_number" }),
    waits: node(orTree([waits.not(), holds, ends]), { name: "reply_has_no_number" }),
  };
}
