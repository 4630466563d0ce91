import {
  assertAlways,
  bit,
  constant,
  decode,
  firstSet,
  input,
  module,
  mux,
  node,
  orTree,
  output,
  reg,
  source,
  uint,
  vec,
  when,
} from "../../../hdl-dsl/index.ts";
import { Release, slotBits } from "./slots.ts";

/**
 * The numbers of the free slots. `offer` gives one free slot after the other, the lowest first, from a register: one
 * per cycle. A slot is busy (`busy`, one bit each) from the edge that takes it to the edge that releases it; any number
 * of the `release` inputs can be valid in one cycle. A released slot is offered again 2 cycles later at the earliest.
 * Full (all busy): `offer.valid` is 0. Reset: all free, offered from the second cycle on. Releasing a slot that is not
 * busy is a fault of the surroundings, and asserted.
 */
export const SlotPool = module(
  "SlotPool",
  (p: { slots: number; releases: number }) => ({
    offer: source(uint(slotBits(p))),
    release: input(vec(Release(p), p.releases)),
    busy: output(uint(p.slots)),
  }),
  (io, p) => {
    const taken = reg(uint(p.slots), { init: 0 });
    const offered = reg(uint(slotBits(p)));
    const offering = reg(bit, { init: 0 });

    const held = node(mux(offering, decode(offered, p.slots), constant(0, p.slots)));
    const freed = io.release.toArray().map(r => mux(r.valid, decode(r.slot, p.slots), constant(0, p.slots)));
    const back = node(freed.reduce((a, b) => a.or(b)));
    const claimed = node(mux(io.offer.fire, held, constant(0, p.slots)));
    taken.set(taken.or(claimed).and(back.not()));

    const next = firstSet(taken.or(held).not());
    when(offering.not().or(io.offer.ready), () => {
      offering.set(next.any);
      offered.set(next.index);
    });
    io.offer.valid.set(offering);
    io.offer.payload.set(offered);
    io.busy.set(taken);

    const twice = freed.flatMap((a, i) => freed.slice(i + 1).map(b => a.and(b).any()));
    assertAlways(back.and(taken.not()).any().not(), "a slot that is released was busy");
    if (twice.length > 0) assertAlways(orTree(twice).not(), "a slot is released once");
  },
);
