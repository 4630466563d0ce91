import {
  assertAlways,
  bit,
  constant,
  input,
  module,
  mux,
  node,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";

export interface JoinParameters {
  /** Packets inside at once: a power of two of 2 or more. */
  readonly contexts: number;
  /** Branches of a stage, at most: 2 or more. */
  readonly branches: number;
}
export const joinContextBits = (p: Pick<JoinParameters, "contexts">): number => Math.log2(p.contexts);
export const pendingBits = (p: Pick<JoinParameters, "branches">): number => Math.ceil(Math.log2(p.branches + 1));

/** A stage that begins: how many branches the packet is sent through at once. */
export const StageBegins = (p: JoinParameters) =>
  struct({ valid: bit, ctx: uint(joinContextBits(p)), branches: uint(pendingBits(p)) });
/** A branch that is back, or a packet whose branches are: `dropped` when one of them dropped it. */
export const StageBack = (p: JoinParameters) => struct({ ctx: uint(joinContextBits(p)), dropped: bit });

/**
 * Joins the branches of a stage: `done` has a packet when its last branch is back, once, and tells whether any branch
 * dropped it. Latency 1 from the last `back` to `done`, initiation interval 1, branches of one packet back to back
 * included. `begin` is always taken. `back` waits while a packet that is done is not taken, and after a reset until the
 * table is clear, a cycle a context. Reset: nothing is pending. (Design: supernic.md, parallel branches with join;
 * paper §5.3.2.)
 *
 * A packet's stage must not begin before the one before it is done. A branch comes back in a later cycle than its stage
 * began, and only if it did: the latter is asserted.
 */
export const Join = module(
  "Join",
  (p: JoinParameters) => ({
    begin: input(StageBegins(p)),
    back: sink(StageBack(p)),
    done: source(StageBack(p)),
  }),
  (io, p) => {
    const bits = pendingBits(p),
      ctx = uint(joinContextBits(p));
    // Who begins writes one list, who comes back the other; the last one back leaves its entry as it found it.
    const began = ram(uint(bits), { depth: p.contexts, collision: "undefined", style: "distributed" }),
      backs = ram(struct({ count: uint(bits), dropped: bit }), {
        depth: p.contexts,
        collision: "new",
        style: "distributed",
      });
    began.write(io.begin.valid, io.begin.ctx, io.begin.branches);

    const clearing = reg(bit, { init: 1, name: "clearing" }),
      cleared = reg(ctx, { init: 0, name: "cleared" });
    when(clearing, () => {
      cleared.set(cleared.add(1));
      when(cleared.all(), () => clearing.set(0));
    });

    const comes = reg(bit, { init: 0, name: "comes" }),
      who = reg(StageBack(p), { name: "who" });
    const branches = began.readSync(io.back.payload.ctx, { en: io.back.fire, name: "branches" }),
      earlier = backs.readSync(io.back.payload.ctx, { en: io.back.fire, name: "earlier" });
    const now = node(earlier.count.add(1), { name: "back_now" }),
      last = node(now.eq(branches), { name: "is_last" }),
      dropped = node(earlier.dropped.or(who.dropped), { name: "was_dropped" }),
      moves = node(comes.not().or(last.not()).or(io.done.ready), { name: "moves" }),
      counts = node(comes.and(moves), { name: "counts" });
    io.back.ready.set(moves.andNot(clearing));
    when(moves, () => comes.set(io.back.fire));
    when(io.back.fire, () => who.set(io.back.payload));
    io.done.valid.set(comes.and(last));
    io.done.payload.set({ ctx: who.ctx, dropped });
    const clean = node(clearing.or(last), { name: "is_clean" });
    backs.write(counts.or(clearing), mux(clearing, cleared, who.ctx), {
      count: mux(clean, constant(0, bits), now),
      dropped: clean.not().and(dropped),
    });
    assertAlways(counts.not().or(now.le(branches)), "a branch that comes back had begun");
  },
);
