import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  input,
  type Inside,
  map,
  module,
  mux,
  node,
  output,
  pack,
  ram,
  reg,
  sink,
  source,
  type UInt,
  uint,
  unpack,
  when,
  widthOf,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { openPassQueue } from "../../../shared/stream/index.ts";
import { keptOf, makesFrames, payloadUse, taskTagBits, usesMemory } from "../../wire/index.ts";
import { headerBits, TaskAnswer, TaskPacket, toldOf } from "../tasks/index.ts";
import { bitsOfBytes, carriedBy, countOf, gathered, scattered, TaskView } from "./carried.ts";
import { boundedLevel, level } from "./level.ts";
import { makeEnd, makeEndPortsOf } from "./make-end.ts";
import { memoryEnd, memoryEndPortsOf } from "./memory-end.ts";
import { besideAnswer, outcomeOf } from "./outcome.ts";
import { payloadEnd, payloadEndPortsOf } from "./payload-end.ts";
import { chainOf, ChainPacket, countBits, declaredOf, SlotControl, type SlotParameters, SlotState } from "./records.ts";
import { stateEnd, stateEndPortsOf } from "./state-end.ts";
import { trailerEnd, trailerEndPortsOf } from "./trailer-end.ts";
import { watch } from "./watch.ts";
import { pastLevelBits, pastPlaces, sentLate, wayOut } from "./way-out.ts";

/** Of the first slot: `sentLate` packets may be sent from here on, and `enter` takes each at once. */
const acceptsPort = { accepts: output(bit) };
/** A count of events; wraps. */
function counted(name: string, event: Bit): UInt<typeof countBits> {
  const n = reg(uint(countBits), { init: 0, name: `count_${name}` });
  when(event, () => n.set(n.add(1)));
  return n;
}
const powerOfTwo = (n: number): number => 2 ** Math.max(1, Math.ceil(Math.log2(n)));

export const slotPorts = (p: SlotParameters) => ({
  enter: sink(ChainPacket(chainOf(p))),
  leave: source(ChainPacket(chainOf(p))),
  packet: source(TaskPacket),
  answer: sink(TaskAnswer),
  taskReset: output(bit),
  taskQuiesce: output(bit),
  taskQuiet: input(bit),
  control: input(SlotControl(chainOf(p))),
  state: output(SlotState(chainOf(p))),
  give: output(bit),
  ...(p.slot === 0 ? acceptsPort : ({} as typeof acceptsPort)),
  ...payloadEndPortsOf(declaredOf(p), chainOf(p)),
  ...memoryEndPortsOf(declaredOf(p)),
  ...makeEndPortsOf(declaredOf(p)),
  ...trailerEndPortsOf(declaredOf(p), chainOf(p)),
  ...stateEndPortsOf(declaredOf(p)),
});

/** What is counted: packets that go in, past and out, and what is wrong with them. */
interface Counted {
  readonly takes: Bit;
  readonly skips: Bit;
  readonly leaves: Bit;
  readonly off: Bit;
  readonly busy: Bit;
  readonly stray: Bit;
  readonly outcome: ReturnType<typeof outcomeOf>;
}
function countsOf({ takes, skips, leaves, off, busy, stray, outcome }: Counted) {
  const of = (event: Bit): Bit => node(leaves.and(event));
  return {
    took: counted("took", takes),
    skipped: counted("skipped", skips),
    dropped: counted("dropped", of(outcome.drops.andNot(off))),
    killed: counted("killed", of(off)),
    busyCycles: counted("busy", busy),
    strays: counted("strays", stray),
    outside: counted("outside", of(outcome.outside)),
    grown: counted("grown", of(outcome.grown)),
  };
}

/** In: a register in front of both ways, into the task and past it; whether there is room is known a cycle before. */
function enterSlot(io: Inside<ReturnType<typeof slotPorts>>, p: SlotParameters, carried: ReturnType<typeof carriedBy>) {
  const declared = declaredOf(p),
    Packet = ChainPacket(chainOf(p)),
    width = widthOf(Packet),
    sees = bitsOfBytes(declared.reads);
  const open = reg(bit, { init: 0, name: "open" }),
    comes = reg(bit, { init: 0, name: "comes" }),
    came = reg(uint(countOf(carried.comes)), { name: "came" }),
    who = unpack(Packet, scattered(came, carried.comes, width));
  io.enter.ready.set(open);
  comes.set(io.enter.fire);
  when(io.enter.fire, () => came.set(gathered(pack(io.enter.payload), carried.comes)));
  const mine = node(comes.and(who.run.bit(p.slot)), { name: "mine" }),
    skips = node(comes.andNot(mine), { name: "skips" });
  const told = { ...toldOf(who), seen: gathered(who.header, sees) },
    waits = openPassQueue("waiting", TaskView(declared), powerOfTwo(p.places), mine, told),
    goesPast = gathered(pack(who), carried.past),
    passes = openPassQueue("past", uint(countOf(carried.past)), pastPlaces(p.slot), skips, goesPast);
  const pasts = level("past_level", pastLevelBits(p.slot), skips, node(passes.out.fire, { name: "past_fires" }));
  // One is here, one may come now, and one in the next cycle.
  open.set(pasts.le(pastPlaces(p.slot) - 4));
  if (p.slot === 0) {
    const accepts = reg(bit, { init: 0, name: "accepts_q" });
    // Two are behind the register in front, beside those on their way.
    accepts.set(pasts.le(pastPlaces(p.slot) - 4 - sentLate - 2));
    io.accepts.set(accepts);
  }
  return { open, comes, who, mine, skips, waits, passes, pasts };
}

/**
 * The wrapper of a slot (paper §5.3.2, docs/supernic/region.md): packets whose `run` has the slot go through the task,
 * the others past it. Latency: the task's and 1 cycle, past it 1 cycle; initiation interval the task's, past it 1.
 * Full: `enter` waits while the way past the task is full; for the task there is room, as whoever sends holds a credit
 * (asserted). `give` is a cycle behind the task's taking. A task that is stuck or isolated is in `taskReset`, and all
 * for it leaves as dropped. Reset: nothing is inside, counts are 0. A task that withdraws an answer changes what
 * `leave` offers: whoever takes it must not mind, as the next slot does not. Of a packet only what the chain needs is
 * carried (carried.ts); all else is 0 at `leave`. @throws RangeError for a slot that the chain does not have
 */
export const Slot = module("Slot", slotPorts, (io, p) => void slotOf(io, p), {
  nameOf: p => `Slot_${p.slot}_of_${p.chain.length}_${p.chain.map(d => d.name).join("_")}_c${p.contexts}_f${p.places}`,
});
/** The hardware of a slot. Gives what is in it: the proof says what each place holds. */
export function slotOf(io: Inside<ReturnType<typeof slotPorts>>, p: SlotParameters) {
  const { control } = io,
    declared = declaredOf(p),
    Packet = ChainPacket(chainOf(p)),
    carried = carriedBy(p.chain, p.slot, chainOf(p)),
    width = widthOf(Packet),
    sees = bitsOfBytes(declared.reads);
  const entered = enterSlot(io, p, carried),
    { who, mine, skips, pasts } = entered,
    waiting = entered.waits.out,
    past = entered.passes.out;

  // Into the task, or nowhere. Each is kept from when it comes until its answer is there; for the task a queue has
  // what it sees.
  const { off, stuck, drains, step } = watch(control);
  const depth = powerOfTwo(p.places + declared.holds),
    pointer = uint(addressBits(depth)),
    head = reg(pointer, { init: 0, name: "head" }),
    tail = reg(pointer, { init: 0, name: "tail" }),
    tag = reg(uint(taskTagBits), { init: 0, name: "tag" }),
    headTag = reg(uint(taskTagBits), { init: 0, name: "head_tag" }),
    offered = reg(bit, { init: 0, name: "offered" });
  const leaves = wire(bit, { name: "leaves" }),
    takes = wire(bit, { name: "takes" }),
    { level: inside, some: has, room } = boundedLevel("inside", declared.holds, takes, leaves);
  const gives = node(room.andNot(off).and(control.quiesce.not().or(offered)), { name: "gives" });
  io.packet.valid.set(waiting.valid.and(gives));
  offered.set(io.packet.valid.andNot(io.packet.ready).andNot(off));
  const next = waiting.payload;
  io.packet.payload.set({ ...toldOf(next), tag, header: scattered(next.seen, sees, headerBits) });
  waiting.ready.set(mux(off, drains.and(room), gives.and(io.packet.ready)));
  takes.set(waiting.fire);
  const kept = ram(uint(countOf(carried.kept)), {
    depth,
    collision: "undefined",
    style: "distributed",
    name: "kept",
  });
  kept.write(mine, tail, gathered(pack(who), carried.kept));
  when(mine, () => tail.set(tail.add(1)));
  when(takes, () => tag.set(tag.add(1)));

  // Its payload, if the task has a way to it: a packet leaves when that is done.
  const end =
    payloadUse(declared) === "none"
      ? undefined
      : payloadEnd(io, declared, p.places, p.contexts, {
          ...{ comes: mine, ctx: who.ctx, takes, payloadBytes: next.payloadBytes, leaves, off },
        });
  const made = makesFrames(declared) ? makeEnd(io, off) : undefined,
    memory = usesMemory(declared) ? memoryEnd(io, off) : undefined,
    ifIdle = (event: Bit): Bit => (memory === undefined ? event : event.and(memory.idle));
  const ifDone = (event: Bit): Bit => (end === undefined ? event : event.and(end.done)),
    orElse = (event: Bit, more: Bit | undefined): Bit => (more === undefined ? event : event.or(more));

  // Out of it: the answer of the oldest, or all dropped.
  const named = node(has.and(io.answer.payload.tag.eq(headTag)).andNot(off), { name: "named" }),
    right = node(io.answer.valid.and(named), { name: "right" }),
    oldest = unpack(Packet, scattered(kept.readAsync(head), carried.kept, width)),
    cuts = declared.trailer === "cuts" ? io.taskTrailer.valid : undefined,
    outcome = outcomeOf(oldest, io.answer.payload, off, p, end?.wrong, cuts);
  const there = node(pasts.add(skips.zext(pasts.width)), { name: "past_there" });
  const first = unpack(Packet, scattered(past.payload, carried.past, width)),
    passing = map(past, Packet, () => ({ ...first, header: besideAnswer(first.header, io.answer.payload, p) }));
  const ripe = ifDone(right.or(off.and(has))),
    way = wayOut(passing, there, { valid: ripe, payload: outcome.packet }, io.leave);
  leaves.set(way.leaves);
  if (declared.trailer !== undefined) trailerEnd(io, leaves, outcome.drops, oldest.ctx);
  const nothing = control.quiesce.and(has.not()).andNot(offered).and(io.taskQuiet),
    quiet = node(ifIdle(made === undefined ? nothing : nothing.and(made.empty)), { name: "is_quiet" }),
    asked = keptOf(declared) === undefined ? undefined : stateEnd(io, quiet, off),
    stray = node(orElse(orElse(io.answer.valid.andNot(right).andNot(off), end?.stray), asked), { name: "stray" });
  // Without a right answer it does not matter who looks, so that this is known early in the cycle.
  io.answer.ready.set(named.not().or(ifDone(way.mayLeave)));
  when(leaves, () => {
    head.set(head.add(1));
    headTag.set(headTag.add(1));
  });

  // The task: on or off.
  step({
    has: has.or(waiting.valid.and(gives)),
    offers: orElse(orElse(orElse(ifDone(right), end?.held), memory?.held), made?.held),
    progress: orElse(leaves.or(takes.andNot(has)), end?.progress),
    empty: ifIdle(has.not().andNot(drains.and(waiting.valid))),
  });
  io.taskReset.set(off);
  io.taskQuiesce.set(control.quiesce);
  const given = reg(bit, { init: 0, name: "given" });
  given.set(takes);
  io.give.set(given);

  // What software and the scheduler see; a place is free when its credit goes back.
  const places = level("places", bitsFor(p.places), mine, given),
    busy = reg(bit, { init: 0, name: "busy" });
  busy.set(places.ge(control.busyAt));
  assertAlways(mine.not().or(places.lt(p.places)), "a packet comes with a credit");
  io.state.set({
    busy,
    quiet,
    off,
    stuck,
    waiting: places,
    inside: inside.zext(7),
    counts: countsOf({ takes, skips, leaves, off, busy, stray, outcome }),
  });
  const { waited, before } = way;
  return { ...entered, inside, has, kept, head, tail, tag, headTag, given, places, off, waited, before };
}
