/** A ring of whole frames: half of the two queues. */
import {
  assertAlways,
  bit,
  type Bit,
  constant,
  mux,
  node,
  ram,
  reg,
  type Shape,
  uint,
  type UInt,
  type UIntShape,
  type Val,
  type Var,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";

/** What comes to a ring in a cycle. */
export interface RingInput<S extends Shape> {
  readonly name: string;
  readonly shape: S;
  /** Beats, a power of two. A frame of more than that is lost. */
  readonly depth: number;
  /** A beat is offered, and is the last of its frame. */
  readonly valid: Bit;
  readonly last: Bit;
  readonly beat: Val<S>;
  /** Full: the frame that is coming is lost. Else whoever brings it waits. */
  readonly drops: boolean;
}

/** A ring as its readers see it. */
export interface FrameRing<S extends Shape> {
  /** The beat that is offered is taken, or belongs to a frame that is lost. */
  readonly ready: Bit;
  /** In the cycle of its last beat: the frame is lost. */
  readonly loses: Bit;
  /** The beat at the head. It counts while `holds`. */
  readonly front: Val<S>;
  readonly holds: Bit;
  /** To be set: the head is taken. */
  readonly taken: Var<UIntShape<1>>;
  /** Whether a beat will be at the head in the next cycle. */
  readonly more: Bit;
}

/**
 * Beats of whole frames in block RAM. A frame stands at the head two cycles after its last beat, if nothing is before
 * it. Initiation interval 1. A frame that is lost gives its room back with its last beat. One longer
 * than the ring is lost in either way of being full, so nobody waits for ever.
 */
export function frameRing<S extends Shape>(p: RingInput<S>): FrameRing<S> {
  const bits = Math.log2(p.depth),
    pointer = uint(bits + 1),
    at = (what: string): Var<typeof pointer> => reg(pointer, { init: 0, name: `${p.name}_${what}` });
  const store = ram(p.shape, { depth: p.depth, collision: "undefined", style: "block", name: `${p.name}_store` });
  /** Where the next beat goes; where the frame that is coming began; what is at the head, and behind it. */
  const tail = at("tail"),
    whole = at("whole"),
    head = at("head"),
    next = reg(pointer, { init: 1, name: `${p.name}_next` });
  const lost = reg(bit, { init: 0, name: `${p.name}_lost` });

  const opposite = (a: UInt, b: UInt): Bit => a.xor(b).eq(p.depth);
  const full = node(opposite(tail, head), { name: `${p.name}_full` });
  // Nobody reads a frame that is not whole: one that has filled the ring alone would wait for ever.
  const alone = p.drops ? constant(1, 1) : node(opposite(tail, whole), { name: `${p.name}_alone` });
  const ready = p.drops ? constant(1, 1) : node(full.not().or(alone).or(lost), { name: `${p.name}_ready` });
  const comes = node(p.valid.and(ready), { name: `${p.name}_comes` }),
    bad = node(lost.or(full.and(alone)), { name: `${p.name}_bad` }),
    writes = node(comes.andNot(bad), { name: `${p.name}_writes` }),
    ends = node(comes.and(p.last), { name: `${p.name}_ends` });
  const behind = node(tail.add(1), { name: `${p.name}_behind` });
  store.write(writes, tail.trunc(bits), p.beat);
  when(ends.and(bad), () => tail.set(whole)).elseWhen(writes, () => tail.set(behind));
  when(ends.andNot(bad), () => whole.set(behind));
  when(comes, () => lost.set(bad.andNot(p.last)));
  assertAlways(writes.not().or(opposite(tail, head).not()), `${p.name}: nothing is written over what is not read`);

  const taken = wire(bit, { name: `${p.name}_taken` }),
    ahead = node(mux(taken, next, head), { name: `${p.name}_ahead` }),
    more = node(ahead.ne(whole), { name: `${p.name}_more` }),
    holds = reg(bit, { init: 0, name: `${p.name}_holds` });
  head.set(ahead);
  when(taken, () => next.set(next.add(1)));
  holds.set(more);
  return {
    ready,
    loses: node(ends.and(bad), { name: `${p.name}_loses` }),
    front: store.readSync(ahead.trunc(bits), { name: `${p.name}_front` }),
    holds,
    taken,
    more,
  };
}
