/**
 * A slot with any task at all, which answers when and what it likes: each packet leaves once. Packets through the task
 * keep their order, packets past it too, and none out of the task overtakes one that came before it and goes past. What
 * leaves a task that is off is dropped. One packet is watched.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  input,
  module,
  mux,
  node,
  past,
  type Proof,
  reg,
  uint,
  type UInt,
  unpack,
  when,
  widthOf,
} from "../../../../hdl-dsl/index.ts";
import {
  carriedBy,
  chainOf,
  ChainPacket,
  pastPlaces,
  scattered,
  slotOf,
  type SlotParameters,
  slotPorts,
} from "../region/index.ts";
import { type Declared, taskTagBits } from "../../wire/index.ts";

const any: Declared = {
    name: "any",
    reads: 0n,
    writes: 0n,
    growth: 0,
    leavesOut: 0,
    latency: 1,
    interval: 1,
    holds: 2,
    state: "none",
  },
  // With a task behind it, so that what tasks are told is carried on.
  sizes: SlotParameters = { contexts: 2, places: 2, chain: [any, any, any], slot: 1 },
  COUNT = 4;

/** A number that grows and falls by one. */
function count(name: string, more: Bit, less: Bit): UInt<typeof COUNT> {
  const n = reg(uint(COUNT), { init: 0, name });
  n.set(n.add(more.zext(COUNT)).sub(less.zext(COUNT)));
  return n;
}

type InSlot = ReturnType<typeof slotOf>;
/** The pointers, levels and flags of a slot agree: so many wait, so many are in the task, so many go past it. */
function levelsOf(slot: InSlot): { readonly queued: UInt; readonly pasts: UInt } {
  const { waits, passes, inside, places, given } = slot,
    wide = (v: UInt | Bit): UInt => v.zext(COUNT),
    waiting = node(wide(places).sub(wide(given)), { name: "model_waiting" }),
    queued = node(waiting.add(wide(inside)), { name: "model_queued" }),
    pasts = node(wide(slot.pasts), { name: "model_pasts" });
  assertAlways(wide(places).ge(wide(given)), "a credit that comes back is one of a place");
  assertAlways(places.le(sizes.places).and(inside.le(any.holds)), "a place and the task hold what they have room for");
  for (const [what, q, n] of [
    ["the queue to the task", waits, waiting],
    ["the queue past it", passes, pasts],
  ] as const) {
    assertAlways(q.queued.eq(n.any()), `${what} has something when its number says so`);
    assertAlways(q.tail.sub(q.head).eq(n.trunc(q.head.width)), `${what} has as many as its number says`);
    assertAlways(q.behindHead?.eq(q.head.add(1)) ?? constant(0, 1), `${what} knows the place behind its first one`);
  }
  assertAlways(
    slot.tail.sub(slot.head).eq(queued.trunc(slot.head.width)),
    "what was kept waits, or is in the task, and no more",
  );
  assertAlways(slot.tag.sub(slot.headTag).eq(inside.zext(taskTagBits)), "the task has as many tags as packets");
  const open = wide(slot.open),
    onPast = pasts.add(wide(slot.comes)).add(open);
  assertAlways(onPast.le(pastPlaces(sizes.slot) - 1), "there is room past the task for all that may come");
  assertAlways(slot.waited.not().or(slot.has), "an answer that waits is of a packet that is in the task");
  assertAlways(slot.waited.not().or(wide(slot.before).le(pasts)), "an answer waits for no more than go past");
  return { queued, pasts };
}

/** Packets that are kept in a memory: the first at `head`, the bits of a packet that are kept, and their way. */
interface Held {
  readonly store: { readAsync(at: UInt): UInt };
  readonly head: UInt;
  readonly many: UInt;
  readonly bits: bigint;
  readonly through: 0 | 1;
}
/** The packet that is watched, and where it is. */
interface Watched {
  readonly there: Bit;
  /** It goes through the task. */
  readonly way: Bit;
  /** So many are in front of it on its way. */
  readonly ahead: UInt;
}
/** What each place holds: the packet that is watched where it has so many in front of it, and packets of its way. */
function placesOf(slot: InSlot, { there, way, ahead }: Watched): void {
  const { queued, pasts } = levelsOf(slot),
    carried = carriedBy(sizes.chain, sizes.slot, chainOf(sizes)),
    Packet = ChainPacket(chainOf(sizes)),
    isAt = (through: Bit, n: UInt): Bit => there.and(way.eq(through)).and(ahead.eq(n));
  const holds = (what: string, { store, head, many, bits, through }: Held): void => {
    for (let i = 0; i < 2 ** head.width; i++) {
      const place = constant(i, head.width),
        at = node(place.sub(head).zext(COUNT), { name: `model_${what}_${i}` }),
        packet = unpack(Packet, scattered(store.readAsync(place), bits, widthOf(Packet)));
      assertAlways(
        at.ge(many).or(
          packet.arg
            .bit(0)
            .eq(through)
            .and(packet.ctx.bit(0).eq(isAt(constant(through, 1), at))),
        ),
        `place ${i} of what ${what} holds the packet whose turn it is`,
      );
    }
  };
  holds("is_kept", { store: slot.kept, head: slot.head, many: queued, bits: carried.kept, through: 1 });
  const { store, head } = slot.passes;
  holds("goes_past", { store, head, many: pasts, bits: carried.past, through: 0 });
  assertAlways(
    slot.comes.not().or(
      slot.who.arg
        .bit(0)
        .eq(slot.mine)
        .and(slot.who.ctx.bit(0).eq(isAt(slot.mine, mux(slot.mine, queued, pasts)))),
    ),
    "what comes is behind all others",
  );
}

const harness = module(
  "SlotOrderProof",
  () => ({
    ...slotPorts(sizes),
    /** The one that comes is watched. */
    marks: input(bit),
  }),
  io => {
    const dut = slotOf(io, sizes),
      { enter, leave } = io;
    const been = reg(bit, { init: 0, name: "model_been" }),
      marked = node(io.marks.andNot(been), { name: "model_marked" }),
      // It goes through the task. The argument stays with the packet.
      through = node(enter.payload.run.bit(sizes.slot), { name: "model_through" });
    assumeAlways(enter.payload.ctx.bit(0).eq(marked), "the packet that is watched has a context of its own");
    assumeAlways(enter.payload.arg.bit(0).eq(through), "a packet tells which way it goes");

    // What is on each way.
    const isThrough = leave.payload.arg.bit(0),
      pastComes = node(enter.fire.andNot(through), { name: "model_past_comes" }),
      taskComes = node(enter.fire.and(through), { name: "model_task_comes" }),
      pastGoes = node(leave.fire.andNot(isThrough), { name: "model_past_goes" }),
      taskGoes = node(leave.fire.and(isThrough), { name: "model_task_goes" }),
      onPast = count("model_past", pastComes, pastGoes),
      onTask = count("model_task", taskComes, taskGoes),
      credits = count("model_credits", taskComes, dut.given);
    assumeAlways(taskComes.not().or(credits.lt(sizes.places)), "a packet comes with a credit");
    assertAlways(pastGoes.not().or(onPast.any()), "what leaves past the task has come");
    assertAlways(taskGoes.not().or(onTask.any()), "what leaves the task has come");
    assertAlways(dut.given.not().or(credits.any()), "a credit that comes back was out");
    assertAlways(credits.eq(dut.places.zext(COUNT).add(dut.mine.zext(COUNT))), "a credit that is out is of a packet");

    const there = reg(bit, { init: 0, name: "model_there" }),
      way = reg(bit, { name: "model_way" }),
      ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" }),
      aheadPast = reg(uint(COUNT), { init: 0, name: "model_ahead_past" });
    const marks = node(enter.fire.and(marked), { name: "model_marks" }),
      own = node(mux(way, taskGoes, pastGoes), { name: "model_own_goes" }),
      turn = node(there.andNot(ahead.any()), { name: "model_turn" }),
      lessPast = onPast.sub(pastGoes.zext(COUNT));
    when(marks, () => {
      been.set(1);
      there.set(1);
      way.set(through);
      ahead.set(mux(through, onTask.sub(taskGoes.zext(COUNT)), lessPast));
      aheadPast.set(lessPast);
    }).otherwise(() => {
      when(own, () => {
        there.set(there.andNot(turn));
        ahead.set(ahead.sub(there.andNot(turn).zext(COUNT)));
      });
      when(pastGoes.and(aheadPast.any()), () => aheadPast.set(aheadPast.sub(1)));
    });
    assertAlways(there.not().or(been), "who is there has come");
    assertAlways(there.not().or(ahead.lt(mux(way, onTask, onPast))), "who is there is one of those on its way");
    placesOf(dut, { there, way, ahead });
    const { pasts, skips, mine, inside, places, given } = dut,
      wide = (v: UInt | Bit): UInt => v.zext(COUNT);
    assertAlways(onPast.eq(wide(pasts).add(wide(skips))), "who goes past is in its queue, or comes");
    assertAlways(
      onTask.eq(wide(mine).add(wide(places)).sub(wide(given)).add(wide(inside))),
      "who goes to the task comes, waits, or is in it",
    );
    assertAlways(aheadPast.le(wide(pasts)), "who was there first and goes past is in its queue");
    assertAlways(
      there
        .and(way)
        .andNot(ahead.any())
        .and(dut.waited)
        .not()
        .or(aheadPast.le(wide(dut.before))),
      "an answer waits for all that were there first",
    );

    const isMarked = node(leave.fire.and(leave.payload.ctx.bit(0)), { name: "model_is_marked" });
    assertAlways(
      isMarked.eq(own.and(turn)),
      "the one that is watched leaves once, when all before it on its way are gone",
    );
    assertAlways(isMarked.and(way).and(aheadPast.any()).not(), "none out of the task overtakes one that goes past it");
    const { off } = dut;
    assertAlways(
      leave.valid.and(isThrough).and(off).not().or(leave.payload.dropped.and(leave.payload.killed)),
      "what leaves a task that is off is dropped",
    );
    cover(isMarked.and(way).and(past(pastGoes, 1)), "one out of the task waits for one past it");
    cover(leave.fire.and(off).and(isThrough), "one leaves a task that is off");
  },
);

export const slotOrderProof: Proof = {
  module: `Slot, ${sizes.places} places, any task of ${any.holds}`,
  harness: harness(),
  long: "minutes",
  reach: 12,
  faults: [
    { what: "an answer leaves at once", from: /answer_may_go = [^;]*;/, to: "answer_may_go = 1'b1;" },
    {
      what: "what a task answers after it was switched off counts",
      from: "goes_on = (answer_payload_verdict != task_verdict_drop) & ~off",
      to: "goes_on = (answer_payload_verdict != task_verdict_drop)",
    },
    {
      what: "the credit of a packet that is killed comes back twice",
      from: "given <= takes",
      to: "given <= takes | (off & leaves)",
    },
    {
      what: "there is room past the task for two more than it has",
      from: "past_level <= 4'd4",
      to: "past_level <= 4'd6",
    },
    {
      what: "an answer does not wait for who comes with it",
      from: "(answer_waited ? before_answer : past_there) -",
      to: "(answer_waited ? before_answer : past_level) -",
    },
    {
      what: "a task that is off is given more than it has room for",
      from: "off ? drains & inside_has_room :",
      to: "off ? drains :",
    },
  ],
};
