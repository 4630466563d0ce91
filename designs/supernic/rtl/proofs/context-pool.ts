/**
 * The contexts: each is free or somebody's, none is given twice, and what users hold and what is free are all. Two
 * proofs, for what counts and what lies in lists are not decided together: one of the numbers, one of a context that is
 * watched, whichever it is.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  connect,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  output,
  past,
  type Proof,
  reg,
  sink,
  struct,
  uint,
  type UInt,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { contextBits, contextCountBits, ContextPool, type PoolParameters, Want } from "../headers/index.ts";

const counted: PoolParameters = { contexts: 8, users: 2 },
  few: PoolParameters = { contexts: 4, users: 2 };

/** Cycles from the one that comes back to the one that is given. */
const SOON = 4;

const ports = (p: PoolParameters) =>
  ({
    want: sink(Want(p)),
    takes: input(bit),
    avoided: input(struct({ valid: bit, bank: uint(1) })),
    release: input(struct({ valid: bit, ctx: uint(contextBits(p)) })),
    given: output(bit),
  }) as const;

/** A number that grows and falls. */
function count(name: string, more: UInt, less: Bit): UInt<4> {
  const n = reg(uint(4), { init: 0, name });
  n.set(n.add(more.resize(4)).sub(less.zext(4)));
  return n;
}

const numbers = module(
  "ContextNumbersProof",
  (p: PoolParameters) => ({ ...ports(p), quotas: input(vec(uint(contextCountBits(p)), p.users)) }),
  (io, p) => {
    const dut = instance("dut", ContextPool(p)),
      { release } = io;
    connect(io.want, dut.want);
    const taken = node(io.takes.and(dut.given.valid), { name: "model_taken" }),
      many = node(mux(io.want.fire, io.want.payload.copies.zext(4).add(1), constant(0, 4)), { name: "model_many" });
    dut.taken.set(taken);
    dut.avoided.set(io.avoided);
    dut.release.set(release);
    for (let u = 0; u < p.users; u++) dut.quotas.at(u).set(io.quotas.at(u));
    io.given.set(dut.given.valid);

    const out = count("model_out", taken, release.valid),
      promised = count("model_promised", many, taken),
      all = node(out.add(promised), { name: "model_all" }),
      back = reg(bit, { init: 0, name: "model_back" });
    back.set(release.valid);
    assumeAlways(release.valid.not().or(out.any()), "what comes back is out");
    assertAlways(dut.free.add(all).add(back.zext(4)).eq(p.contexts), "free, promised and out are all");
    assertAlways(all.le(p.contexts), "no more than all are promised and out");
    assertAlways(
      Array.from({ length: p.users }, (_, u) => dut.held.at(u))
        .reduce<UInt>((a, b) => a.add(b), dut.free)
        .eq(p.contexts),
      "what users hold and what is free are all",
    );
    cover(out.eq(p.contexts), "all are out");
    cover(io.want.fire.and(release.valid).and(taken), "one is promised, one is given, and one comes back");
  },
);

const places = module(
  "ContextPlacesProof",
  (p: PoolParameters & { readonly waits: boolean }) => ({ ...ports(p), watched: input(uint(contextBits(p))) }),
  (io, p) => {
    const dut = instance("dut", ContextPool(p)),
      { release, watched } = io;
    connect(io.want, dut.want);
    const taken = node(io.takes.and(dut.given.valid), { name: "model_taken" });
    dut.taken.set(taken);
    dut.avoided.set(io.avoided);
    dut.release.set(release);
    for (let u = 0; u < p.users; u++) dut.quotas.at(u).set(p.contexts);
    io.given.set(dut.given.valid);
    const started = reg(bit, { init: 0, name: "model_started" });
    started.set(1);
    assumeAlways(started.not().or(watched.eq(past(watched, 1))), "one context is watched");

    const isWatched = (valid: Bit, ctx: UInt): Bit => valid.and(ctx.eq(watched));
    const goes = node(isWatched(taken, dut.given.ctx), { name: "model_goes" }),
      comes = node(isWatched(release.valid, release.ctx), { name: "model_comes" }),
      out = reg(bit, { init: 0, name: "model_out" });
    out.set(goes.or(out.andNot(comes)));
    assumeAlways(comes.not().or(out), "the one that is watched comes back when it is out");
    const lists = [0, 1].map(b => {
      const mine = (valid: Bit, ctx: UInt): Bit => valid.and(ctx.bit(0).eq(b)),
        n = count(`model_outs_${b}`, mine(taken, dut.given.ctx), mine(release.valid, release.ctx)),
        isHere = out.and(watched.bit(0).eq(b));
      assumeAlways(
        mine(release.valid, release.ctx)
          .andNot(comes)
          .not()
          .or(n.gt(isHere.zext(4))),
        `what comes back is out (list ${b})`,
      );
      assertAlways(n.le(p.contexts / 2), `no more than all are out (list ${b})`);
      return n;
    });
    assertAlways(isWatched(dut.given.valid, dut.given.ctx).not().or(out.not()), "what is given is not out");

    cover(out.and(past(out.not(), 1)).and(past(out, 4)), "it is given again soon");
    if (!p.waits) return;

    // None is lost: while one is free, who is promised one gets it.
    const enters = io.want.fire,
      inside = reg(bit, { init: 0, name: "model_inside" }),
      all = lists.reduce((a, b) => a.add(b)).eq(p.contexts),
      waits = reg(uint(3), { init: 0, name: "model_waits" });
    when(enters, () => inside.set(1)).elseWhen(taken.and(dut.given.last), () => inside.set(0));
    when(inside.not().or(dut.given.valid).or(all), () => waits.set(0)).elseWhen(waits.ne(SOON), () =>
      waits.set(waits.add(1)),
    );
    assertAlways(waits.ne(SOON), `what is free is given within ${SOON} cycles`);
  },
);

export const contextPoolProofs: readonly Proof[] = [
  {
    module: `ContextPool's numbers, ${counted.contexts} contexts, ${counted.users} users`,
    harness: numbers(counted),
    own: true,
    by: "abc pdr",
    faults: [
      {
        what: "a context that comes back while a packet enters is forgotten",
        from: "enters ? stay_free - wanted",
        to: "enters ? free_q - wanted",
      },
      {
        what: "a user who gives back while he gets more gets one for nothing",
        from: "more_of_1 ? stays_with_1 + wanted",
        to: "more_of_1 ? held_by_1 + wanted",
      },
      {
        what: "the last packet gets one more than there is",
        from: "contexts_suffice = {1'b0, free_q} >",
        to: "contexts_suffice = {1'b0, free_q} >=",
      },
    ],
  },
  {
    module: `ContextPool, ${counted.contexts} contexts, ${counted.users} users`,
    harness: places({ ...counted, waits: false }),
    long: "minutes",
    by: "abc pdr",
    faults: [
      {
        what: "a context comes back to both lists",
        from: "list_1_back_valid = release_valid & release_ctx[0]",
        to: "list_1_back_valid = release_valid",
      },
      { what: "the first one is given again at the end of the fresh ones", from: "fresh[2]", to: "&fresh" },
    ],
  },
  {
    module: `ContextPool, ${few.contexts} contexts, ${few.users} users`,
    harness: places({ ...few, waits: true }),
    long: true,
    by: "abc pdr",
    faults: [
      {
        what: "the other list gives one away too",
        from: "list_0_offer_ready = taken & ~bank",
        to: "list_0_offer_ready = taken",
      },
      {
        what: "one that is looked for in the bank that has none is not looked for in the other",
        from: "bank_shifted[0] ? likes : ~likes",
        to: "likes",
      },
    ],
  },
];
