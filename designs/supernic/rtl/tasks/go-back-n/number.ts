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
import { type GbnTaskParameters, lengthBits, type Life, memoryOf, type Reply, type To } from "./records.ts";

/** Plans that wait for their beats. */
const planned = 4;

/**
 * One reply after the other, 5 cycles each. With a full window it looks again from the start, so that a session may be
 * closed meanwhile. `stops`: none begins.
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
  const head = replies.payload,
    room = node(
      [plans, ways, places].map((f): Bit => f.level.ne(planned)).reduce((x, y) => x.and(y)),
      { name: "room_for_plan" },
    ),
    begins = node(replies.valid.and(room).andNot(o.stops), { name: "number_begins" }),
    life = o.lives.readSync(head.session, { name: "reply_life" }),
    to = o.peers.readSync(head.session, { name: "reply_to" }),
    asked = reg(bit, { init: 0, name: "number_asked" });
  const { granted, request } = o.sender,
    isNow = node(life.life.eq(head.life).and(life.node.eq(head.node)), { name: "is_of_this_life" }),
    gives = node(asked.and(granted.granted), { name: "number_given" });
  const phase = fsm(
    ["Wait", "Life", "Ask", "Number", "Drop"],
    "Wait",
    s => ({
      Wait: () => when(begins, () => s.go("Life")),
      Life: () => when(isNow, () => s.go("Ask")).otherwise(() => s.go("Drop")),
      Ask: () => when(request.ready, () => s.go("Number")),
      Number: () =>
        when(granted.granted, () => s.go("Wait"))
          .elseWhen(granted.closed, () => s.go("Drop"))
          .otherwise(() => s.go("Wait")),
      Drop: () => s.go("Wait"),
    }),
    { name: "number" },
  );
  asked.set(phase.is("Ask").and(request.ready));
  request.valid.set(phase.is("Ask"));
  request.payload.set(head.session);
  const drops = node(phase.is("Drop"), { name: "reply_is_dropped" }),
    ends = node(gives.or(drops), { name: "reply_is_planned" });
  replies.ready.set(ends);
  plans.push.valid.set(ends);
  plans.push.payload.set({
    action: mux(drops, GbnAction.discard, GbnAction.shift),
    mac: to.mac,
    header: joinFields(gbnHeader, {
      type: gbnTypes.data,
      sequence: granted.sequence.resize(wireSequenceBits),
      srcSlot: head.session.resize(wireSlotBits),
      dstSlot: to.slot,
      // The port by which it leaves goes along here, up to the way out (out.ts).
      unused: to.port,
    }).is(8 * gbnBytes),
    ipLength: head.ipLength,
    checksum: head.checksum,
    udpLength: head.udpLength,
  });
  ways.push.valid.set(gives);
  // While a session sends again, its new replies are kept only.
  ways.push.payload.set({ send: granted.now, store: 1 });
  places.push.valid.set(gives);
  places.push.payload.set({
    at: { session: head.session, place: granted.sequence.trunc(Math.log2(p.window)) },
    bytes: head.bytes,
  });
  const given = reg(uint(writtenBits), { init: 0, name: "given" });
  when(gives, () => given.set(given.add(1)));
  return {
    plans: plans.pop,
    ways: ways.pop,
    places: places.pop,
    given,
    gone: ends,
    idle: node(phase.is("Wait"), { name: "gives_no_number" }),
  };
}
