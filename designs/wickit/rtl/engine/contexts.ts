/** Contexts as numbers: free ones, and those that wait for the core. */
import {
  arbiter,
  assertAlways,
  bit,
  bitsFor,
  fifoWithLevel,
  mux,
  node,
  reg,
  scope,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, type EngineParameters } from "../../config/index.ts";

/** A context that is new, or that gave way. */
export const Waiting = (p: EngineParameters) => struct({ context: uint(contextBits(p)), fresh: bit });
/** A context whose access has ended. */
export const Completed = (p: EngineParameters) => struct({ context: uint(contextBits(p)), status: uint(4) });

/**
 * Contexts without a request. Each is given out once from a counter, and from a queue when it has come back: after
 * reset nothing has to be filled. Latency 1 from `back` to `offer`.
 */
export function freeContexts(p: EngineParameters) {
  return scope("free", () => {
    const context = uint(contextBits(p)),
      back = stream(context, { name: "back" }),
      offer = stream(context, { name: "offer" });
    const issued = reg(uint(bitsFor(p.contexts)), { init: 0, name: "issued" });
    const { out, level } = fifoWithLevel(back, p.contexts, { style: "distributed", name: "returned" });
    const untouched = node(issued.ne(p.contexts), { name: "untouched" });
    offer.valid.set(untouched.or(out.valid));
    offer.payload.set(mux(untouched, issued.resize(contextBits(p)), out.payload));
    out.ready.set(offer.ready.and(untouched.not()));
    when(offer.fire.and(untouched), () => issued.set(issued.add(1)));
    assertAlways(back.valid.and(back.ready.not()).not(), "a free context finds its place");
    return { back, offer, level: node(level.sub(issued).add(p.contexts), { name: "level" }) };
  });
}

/**
 * Contexts that wait for the core (paper, section 3.4.1): new ones at the back, those whose access has ended in front
 * of all of them. Among the latter the first to end is the first to go on, so that none of them starves. A context is
 * in one place at most, so neither queue fills up (asserted). Latency 1.
 */
export function runQueue(p: EngineParameters) {
  return scope("run", () => {
    const entering = stream(Waiting(p), { name: "entering" }),
      yielding = stream(Waiting(p), { name: "yielding" }),
      completing = stream(Completed(p), { name: "completing" });
    const merged = arbiter([yielding, entering], { policy: "priority", name: "merged" });
    const back = fifoWithLevel(merged, p.contexts, { style: "distributed", name: "waiting" }),
      front = fifoWithLevel(completing, p.contexts, { style: "distributed", name: "completed" });
    assertAlways(merged.valid.and(merged.ready.not()).not(), "a waiting context finds its place");
    assertAlways(completing.valid.and(completing.ready.not()).not(), "a completed context finds its place");
    const width = bitsFor(2 * p.contexts),
      level: UInt = node(back.level.zext(width).add(front.level.zext(width)), { name: "level" });
    return { entering, yielding, completing, back: back.out, front: front.out, level };
  });
}
