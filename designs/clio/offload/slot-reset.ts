/** How a slot ends what its offload has under way, when the offload is reset alone. */
import {
  assignView,
  bit,
  type Bit,
  encodePriority,
  node,
  reg,
  type Shape,
  stream,
  type StreamIn,
  uint,
  type UInt,
  type Var,
  when,
} from "../../../hdl-dsl/index.ts";

export interface Closing {
  /** The offload is in reset, and nothing of what it says counts. */
  readonly closed: Bit;
  /** The offload's requests are all gone: the state of the slot can be cleared. */
  readonly clear: Bit;
  /** The request `lost_context` is to be answered, for its offload will not. */
  readonly lost: Bit;
  readonly lostContext: UInt;
  /** To be set: nothing of the offload's is under way but requests. */
  readonly drained: Var<typeof bit>;
}

/**
 * From `hold` on the slot is closed. Once it is `drained`, its requests (`used`) are answered one after another, each
 * when `answered` (2 cycles at least). When `hold` has fallen, the slot opens again. The slot does not open in a cycle
 * in which a request is `asked`: that request had found room before, and is answered first.
 */
export function closing(hold: Bit, used: UInt, asked: Bit, answered: Bit): Closing {
  const closed = reg(bit, { init: 0, name: "closed" }),
    drained = reg(bit, { init: 0, name: "drained" }),
    lost = reg(bit, { init: 0, name: "lost_one" });
  const first = encodePriority(used),
    lostContext = reg(uint(first.index.width), { name: "lost_context" });
  const ready = node(closed.and(drained), { name: "answers_lost" }),
    clear = node(ready.and(used.any().not()), { name: "clear" });
  when(ready.and(used.any()).and(lost.not()), () => {
    lost.set(1);
    lostContext.set(first.index);
  }).elseWhen(answered, () => lost.set(0));
  when(hold, () => closed.set(1)).elseWhen(clear.and(asked.not()), () => closed.set(0));
  return { closed, clear, lost, lostContext, drained };
}

/** The stream while `shut` is 0; nothing passes while it is 1. */
export function gated<S extends Shape>(from: StreamIn<S>, shut: Bit, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  out.valid.set(from.valid.and(shut.not()));
  from.ready.set(out.ready.and(shut.not()));
  assignView(out.payload, from.payload, name);
  return out;
}

/** The stream while `away` is 0; transfers that come while it is 1 are taken and discarded. */
export function thrownAway<S extends Shape>(from: StreamIn<S>, away: Bit, name: string): StreamIn<S> {
  const out = stream(from.shape, { name });
  out.valid.set(from.valid.and(away.not()));
  from.ready.set(out.ready.or(away));
  assignView(out.payload, from.payload, name);
  return out;
}

/**
 * Whether the replies that a closed slot waits for are given up: `patience` x 16 cycles have passed, and `quiet` is 1.
 * Then it is 1 for a cycle, and the time begins anew. A patience of all ones: never.
 */
export function givenUp(patience: UInt, waits: Bit, quiet: Bit): Bit {
  const cycles = reg(uint(patience.width + 4), { init: 0, name: "waiting_cycles" }),
    over = reg(bit, { init: 0, name: "waited_enough" });
  const gives = node(over.and(waits).and(quiet), { name: "gives_up" });
  const reached = node(cycles.bits(4, patience.width).ge(patience).and(cycles.bits(0, 4).all()));
  over.set(reached.and(patience.all().not()));
  when(waits.not().or(gives), () => {
    cycles.set(0);
    over.set(0);
  }).elseWhen(cycles.all().not().and(over.not()), () => cycles.set(cycles.add(1)));
  return gives;
}

/** Units of `unit` cycles for which `active` has been 1 since `replied`; it stops at its largest value. */
export function sinceReply(active: Bit, replied: Bit, unit: number, width: number): UInt {
  const cycles = reg(uint(Math.log2(unit)), { init: 0, name: "since_cycles" }),
    units = reg(uint(width), { init: 0, name: "since_units" });
  cycles.set(cycles.add(1));
  when(active.not().or(replied), () => {
    cycles.set(0);
    units.set(0);
  }).elseWhen(cycles.all().and(units.all().not()), () => units.set(units.add(1)));
  return units;
}

/** Whether `idle` has been 1 for `patience` cycles or more, and is; a patience of all ones: never. */
export function stuckFor(patience: UInt, idle: Bit): Bit {
  const cycles = reg(uint(patience.width), { init: 0, name: "idle_cycles" }),
    stuck = reg(bit, { init: 0, name: "stuck" });
  when(idle.not(), () => cycles.set(0)).elseWhen(cycles.all().not(), () => cycles.set(cycles.add(1)));
  stuck.set(idle.and(cycles.ge(patience)).and(patience.all().not()));
  return stuck;
}
