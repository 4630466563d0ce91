import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  mux,
  node,
  ram,
  reg,
  type Shape,
  stream,
  type StreamIn,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";

/** What happens to a queue in a cycle. */
interface Moves {
  readonly tail: UInt;
  readonly valid: Bit;
  readonly out: { readonly valid: Bit; readonly ready: Bit };
  readonly taken: Bit;
}
/** The first element: whether it is queued, and where. */
interface Front {
  readonly queued: Bit;
  readonly head: UInt;
  /** The place behind it, where that is a register. */
  readonly behindHead?: UInt;
  readonly step: (m: Moves) => void;
}
/** Both are registers. */
function front(name: string, bits: number): Front {
  const queued = reg(bit, { init: 0, name: `${name}_queued` }),
    head = reg(uint(bits), { init: 0, name: `${name}_head` }),
    behindHead = reg(uint(bits), { init: 1 % 2 ** bits, name: `${name}_behind_head` });
  const step = ({ tail, valid, taken }: Moves): void => {
    when(taken, () => {
      head.set(behindHead);
      behindHead.set(behindHead.add(1));
    });
    // One that is queued, and no other: the last one to go.
    const single = node(tail.eq(behindHead), { name: `${name}_single` });
    queued.set(mux(queued, single.not().or(valid).or(taken.not()), valid.and(taken.not())));
  };
  return { queued, head, behindHead, step };
}
/** By what was ready in the cycle before; what would be queued either way is known by then. */
function lateFront(name: string, bits: number): Front {
  const wasReady = reg(bit, { init: 0, name: `${name}_was_ready` }),
    offered = reg(bit, { init: 0, name: `${name}_offered` }),
    more = reg(bit, { init: 0, name: `${name}_more` }),
    before = reg(uint(bits), { init: 0, name: `${name}_before` });
  const queued = node(mux(wasReady, more, offered), { name: `${name}_queued` }),
    head = node(before.add(wasReady.and(offered).zext(bits)), { name: `${name}_head` });
  const step = ({ tail, valid, out }: Moves): void => {
    const single = node(tail.eq(head.add(1)), { name: `${name}_single` });
    wasReady.set(out.ready);
    offered.set(out.valid);
    more.set(queued.and(single.not().or(valid)));
    before.set(head);
  };
  return { queued, head, step };
}

/**
 * A queue behind a register, passed by while it is empty: what the register holds for the one cycle of `valid` stands
 * at the output in that cycle, and is kept if it is not taken. Latency 0, initiation interval 1; the order stays.
 * Whether something is queued is a register, so that the output is there early in the cycle. Full: the caller sees to
 * it that there are never more than `depth` elements (a power of two), which is asserted.
 *
 * `lateReady`: ready may come at the end of the cycle. It goes to one register and nothing else; whose turn it is by
 * that stands a LUT behind registers in the cycle behind, so the output is there a LUT later.
 */
export function passQueue<S extends Shape>(
  name: string,
  shape: S,
  depth: number,
  valid: Bit,
  payload: Val<S>,
  options: { readonly lateReady?: boolean } = {},
): StreamIn<S> {
  return openPassQueue(name, shape, depth, valid, payload, options).out;
}
/** The same with what it is made of: proofs say what each place holds. */
export function openPassQueue<S extends Shape>(
  name: string,
  shape: S,
  depth: number,
  valid: Bit,
  payload: Val<S>,
  { lateReady = false }: { readonly lateReady?: boolean } = {},
) {
  const out = stream(shape, { name }),
    pointer = uint(Math.log2(depth));
  const store = ram(shape, { depth, collision: "undefined", style: "distributed", name: `${name}_store` });
  const { queued, head, behindHead, step } = (lateReady ? lateFront : front)(name, pointer.width),
    tail = reg(pointer, { init: 0, name: `${name}_tail` });

  // All pass through the memory, so that writing waits for nobody's ready; what passes by is skipped by the pointers.
  store.write(valid, tail, payload);
  when(valid, () => tail.set(tail.add(1)));
  out.valid.set(valid.or(queued));
  // Both are of the one shape, which is a parameter: their widths are checked at elaboration.
  assignView(out.payload, mux<unknown, unknown>(queued, store.readAsync(head), payload), "payload");
  const taken = node(out.fire, { name: `${name}_taken` });
  step({ tail, valid, out, taken });
  assertAlways(
    valid.and(queued).and(tail.eq(head)).and(taken.not()).not(),
    `the queue ${name} has room for all that can come`,
  );
  return { out, queued, head, behindHead, tail, store };
}
