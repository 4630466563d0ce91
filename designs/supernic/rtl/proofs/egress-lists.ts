/**
 * The lists of the egress: a packet that is pushed is picked once, behind all that were in its list before it, with its
 * list and size. One packet is watched from its push to its pick, in one list or another; contexts are used again at
 * once, by any list. Two classes of a port are used; the others, and other ports, have the same hardware.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { userClasses } from "../inside/index.ts";
import { type EgressParameters, Lists } from "../egress/index.ts";

const sizesOf = (contexts: number): EgressParameters & { readonly smallAlone: boolean } => ({
  ports: 2,
  users: 2,
  contexts,
  cells: 4,
  frameBytes: 128,
  macs: 4,
  pauseCycles: 16,
  smallAlone: false,
});
const INLETS = 3,
  COUNT = 3;

const harness = module(
  "EgressListsProof",
  (p: { readonly contexts: number }) => ({
    push: input(struct({ valid: bit, ctx: uint(Math.log2(p.contexts)), class: bit })),
    marks: input(bit),
    fits: input(bit),
    room: input(bit),
    open: input(uint(2)),
    drops: input(uint(2)),
    urgent: input(uint(2)),
    stalls: input(bit),
    picked: output(bit),
  }),
  (io, p) => {
    const BITS = Math.log2(p.contexts),
      dut = instance("dut", Lists(sizesOf(p.contexts))),
      { push } = io;
    const port = constant(1, INLETS),
      ofClass = decode(push.class.zext(2), userClasses);
    dut.push.set({ valid: push.valid, mayPass: 0, ctx: push.ctx, list: { port, class: ofClass }, size: 0 });
    for (let s = 0; s < 4; s++) dut.fits.at(s).set(io.fits.zext(INLETS));
    dut.room.set(io.room.zext(INLETS));
    for (let q = 0; q < INLETS; q++) {
      dut.open.at(q).set(q === 0 ? io.open.zext(userClasses) : constant(0, userClasses));
      dut.drops.at(q).set(q === 0 ? io.drops.zext(userClasses) : constant(0, userClasses));
    }
    dut.urgent.set(io.urgent.zext(userClasses));
    dut.stalls.set(io.stalls);
    const { picked } = dut,
      { packet } = picked;
    io.picked.set(picked.valid);

    const one = (valid: Bit, ctx: typeof push.ctx) => mux(valid, decode(ctx, p.contexts), constant(0, p.contexts)),
      inside = reg(uint(p.contexts), { init: 0, name: "model_inside" }),
      comes = node(one(push.valid, push.ctx), { name: "model_comes" }),
      goes = node(one(picked.valid, packet.ctx.is(BITS)), { name: "model_goes" });
    inside.set(inside.or(comes).andNot(goes));
    assumeAlways(comes.and(inside).any().not(), "a context is in one place: it is pushed when it is in none");
    assertAlways(goes.andNot(inside).any().not(), "what is picked was pushed, and has not been picked");

    // Those of the list that is watched: port 0, class 0.
    const here = (is: Bit, q: typeof packet.list.port, c: typeof packet.list.class): Bit =>
      is.and(q.bit(0)).and(c.bit(0));
    const enters = node(here(push.valid, port.is(INLETS), ofClass.is(userClasses)), { name: "model_enters" }),
      leaves = node(here(picked.valid, packet.list.port, packet.list.class), { name: "model_leaves" }),
      many = reg(uint(COUNT), { init: 0, name: "model_many" }),
      been = reg(bit, { init: 0, name: "model_been" }),
      there = reg(bit, { init: 0, name: "model_there" }),
      ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" }),
      marked = reg(uint(BITS), { name: "model_marked" });
    many.set(many.add(enters.zext(COUNT)).sub(leaves.zext(COUNT)));
    const marks = node(enters.and(io.marks).andNot(been), { name: "model_marks" }),
      turn = node(there.andNot(ahead.any()), { name: "model_turn" });
    when(marks, () => {
      been.set(1);
      there.set(1);
      marked.set(push.ctx);
      ahead.set(many.sub(leaves.zext(COUNT)));
    }).elseWhen(leaves, () => {
      there.set(there.andNot(turn));
      ahead.set(ahead.sub(there.andNot(turn).zext(COUNT)));
    });
    const isMarked = node(picked.valid.and(packet.ctx.eq(marked)).and(there), { name: "model_is_marked" });
    assertAlways(isMarked.eq(leaves.and(turn)), "the one that is watched leaves its own list, behind those before it");
    assertAlways(picked.valid.not().or(packet.list.port.eq(1)), "what is picked has its port");
    assertAlways(packet.size.any().and(picked.valid).not(), "what is picked has its size");
    cover(marks.and(many.eq(p.contexts - 1)), "it comes in last of all");
    cover(leaves.and(turn).and(past(io.drops.any().not(), 3)), "it leaves");
  },
);

const faults = [
  {
    what: "one that comes as the last one goes is behind it",
    from: "push_0_0 & (empties_0_0 | ~some_0_0)",
    to: "push_0_0 & ~some_0_0",
  },
  {
    what: "a list is empty although one comes as the last one goes",
    from: "push_0_0 | (some_0_0 & ~empties_0_0)",
    to: "(push_0_0 | some_0_0) & ~empties_0_0",
  },
  {
    what: "a next packet that waits is written over",
    from: "loads_0 = ~next_valid_0 | served_0",
    to: "loads_0 = 1'b1",
  },
] as const;

export const egressListsProofs: readonly Proof[] = [
  {
    module: "egress Lists, 2 contexts, 2 classes of a port",
    harness: harness({ contexts: 2 }),
    long: true,
    by: "abc pdr",
    faults,
  },
];
