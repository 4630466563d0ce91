import {
  arbiter,
  assertAlways,
  bit,
  bitsFor,
  connect,
  constant,
  decode,
  Fifo,
  input,
  instance,
  map,
  module,
  mux,
  node,
  output,
  reg,
  sink,
  source,
  stream,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Release, slotBits } from "../../../shared/frame/index.ts";

export interface FenceParameters {
  readonly slots: number;
  /** Fences that wait at a time, a power of two. */
  readonly fences: number;
}

/**
 * The answer to a fence: everything before the fence has left. With `refused`, too many fences wait, and this one is to
 * be tried again.
 */
export const FenceReply = (p: { readonly slots: number }) => struct({ slot: uint(slotBits(p)), refused: bit });

/**
 * Fences (paper §4.4.5, T3): a fence is answered when every earlier request to memory, of any client, has left
 * the node (its slot is free). Later requests are not held up, and no fence waits for them, for its own slot or
 * for another fence.
 *
 * `entered` and `fence` belong at one point of the pipe, so that the order of cycles is the order of the requests. A
 * request that entered in an earlier cycle than the fence's handshake is before the fence. A request that enters in the
 * same cycle or later is behind it. `busy` are the slots in use; a slot that was given back is seen free for a cycle or
 * more before it enters again.
 *
 * Each waiting fence keeps the slots that were inside when it came and drops those that are free. Since a later fence
 * waits for all that is left of an earlier one's, they end in the order of arrival. Latency from `fence` to `reply`: 2
 * cycles when nothing is inside, else 2 from the first cycle in which the last slot is seen free. Initiation
 * interval: 1. Full (`fences` wait): one more is refused, 1 cycle later (by turns with the others' answers). `fence` is
 * always taken: there is room for a refusal of every slot. Reset: nothing is inside, no fence waits.
 */
export const FenceUnit = module(
  "FenceUnit",
  (p: FenceParameters) => ({
    fence: sink(struct({ slot: uint(slotBits(p)) })),
    /** A request goes to memory. */
    entered: input(Release(p)),
    busy: input(uint(p.slots)),
    reply: source(FenceReply(p)),
    /** Fences that wait. */
    waiting: output(uint(bitsFor(p.fences))),
  }),
  (io, p) => {
    const each = <T>(f: (i: number) => T): T[] => Array.from({ length: p.fences }, (_, i) => f(i));
    const number = uint(Math.max(1, Math.log2(p.fences)));
    const after = (v: UInt): UInt => (p.fences === 1 ? constant(0, 1) : v.add(1));

    // Requests that went to memory and have not left.
    const inside = reg(uint(p.slots), { init: 0 });
    const stillInside = node(inside.and(io.busy));
    inside.set(stillInside.or(mux(io.entered.valid, decode(io.entered.slot, p.slots), constant(0, p.slots))));

    // A ring of fences: the next one comes to `youngest`, and `oldest` is the next to end.
    const oldest = reg(number, { init: 0 });
    const youngest = reg(number, { init: 0 });
    const count = reg(uint(bitsFor(p.fences)), { init: 0 });
    const full = node(count.eq(p.fences));
    const takes = node(io.fence.valid.and(full.not()));
    // A fence that comes sets its own; nobody looks at it before.
    const awaited = reg(vec(uint(p.slots), p.fences));
    const slots = reg(vec(uint(slotBits(p)), p.fences));
    /** Nothing of what it waits for is inside any more. */
    const over = reg(vec(bit, p.fences), { init: each(() => 0) });
    each(i => {
      const here = node(takes.and(youngest.eq(i)), { name: `takes_${i}` });
      awaited.at(i).set(mux(here, stillInside, awaited.at(i).and(io.busy)));
      over.at(i).set(here.not().and(awaited.at(i).any().not()));
      when(here, () => slots.at(i).set(io.fence.payload.slot));
    });

    const done = stream(FenceReply(p));
    done.valid.set(count.ne(0).and(over.at(oldest)));
    done.payload.set({ slot: slots.at(oldest), refused: constant(0, 1) });
    when(takes, () => youngest.set(after(youngest)));
    when(done.fire, () => oldest.set(after(oldest)));
    when(takes.and(done.fire.not()), () => count.set(count.add(1))).elseWhen(done.fire.and(takes.not()), () =>
      count.set(count.sub(1)),
    );
    io.waiting.set(count);

    // One fence too many.
    const refusals = instance(Fifo({ shape: uint(slotBits(p)), depth: p.slots, style: "distributed" }));
    io.fence.ready.set(1);
    refusals.push.valid.set(io.fence.valid.and(full));
    refusals.push.payload.set(io.fence.payload.slot);
    assertAlways(refusals.push.valid.and(refusals.push.ready.not()).not(), "there is room for a refusal of every slot");
    const refused = map(refusals.pop, FenceReply(p), slot => ({ slot, refused: constant(1, 1) }));
    connect(arbiter([done, refused], { name: "replies" }), io.reply);
  },
);
