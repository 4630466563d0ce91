/**
 * Not among the node's proofs (index.ts): with the 100 s for each engine that were tried, none decided it for runs of
 * any length, with the first claim alone neither. More time was not tried. All of it holds for 40 cycles from reset
 * (abc bmc3, with strikes in the unit), in which times of 13 quarters pass.
 * The bench (retry-clients.test.ts) has longer runs.
 *
 * The retry buffer's clients: who may be forgotten, whatever the keys. Bounds from both sides.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  input,
  instance,
  module,
  mux,
  node,
  type Proof,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { idleQuarters, RetryClients } from "../retry/retry-clients.ts";
import { clientPorts, clientSizes, KEY, PLACES, surroundings } from "./retry-clients.ts";

/** Cycles from the end of a silence to the offer, at most: two rounds of the places, and the stages. */
const offeredWithin = 2 * PLACES + 3,
  most = 24;

const timesHarness = module(
  "RetryClientsTimesProof",
  () => ({ ...clientPorts, add: input(struct({ valid: bit })) }),
  io => {
    const dut = instance("dut", RetryClients(clientSizes));
    // Keys say nothing here, and nobody is found who would be kept for that.
    dut.key.set(0);
    dut.look.set(0);
    dut.asks.set(0);
    dut.add.set({ valid: io.add.valid, key: dut.place.index.zext(KEY), same: 0 });
    for (const name of ["touch", "retire", "freed"] as const) (dut[name] as { set(v: unknown): void }).set(io[name]);
    // Who has to go is no part of it: that is a matter of keys.
    dut.strike.set({ valid: 0, index: 0 });
    io.found.set(dut.found);
    io.idle.set(dut.idle);
    surroundings({ ...io, look: constant(0, 1) }, dut);
    assumeAlways(io.freed.not().or(dut.sweeping), "what is given up is swept once");

    // Each place: had or not, and for how long it has been silent, up to `most`. Who enters is heard of at once.
    const entered = reg(bit, { init: 0, name: "model_entered" }),
      where = reg(uint(1), { init: 0, name: "model_where" });
    entered.set(io.add.valid);
    when(io.add.valid, () => where.set(dut.place.index));
    assumeAlways(
      entered.not().or(io.touch.valid.and(io.touch.index.eq(where))),
      "who has entered is heard of in the cycle after",
    );
    const had = [0, 1].map(i => reg(bit, { init: 0, name: `model_had_${i}` })),
      silent = [0, 1].map(i => reg(uint(5), { init: 0, name: `model_silent_${i}` }));
    /** Cycles in which nobody came, went or was heard of: what is looked at goes on undisturbed. */
    const calm = reg(uint(4), { init: 0, name: "model_calm" });
    when(io.add.valid.or(io.retire).or(io.touch.valid), () => calm.set(0)).otherwise(() =>
      calm.set(mux(calm.eq(offeredWithin), calm, calm.add(1))),
    );
    const heard = [0, 1].map(i => node(io.touch.valid.and(io.touch.index.eq(i)), { name: `model_heard_${i}` }));
    for (const i of [0, 1]) {
      const own = had[i] as (typeof had)[number],
        quiet = silent[i] as (typeof silent)[number],
        comes = node(io.add.valid.and(dut.place.index.eq(i)), { name: `model_comes_${i}` }),
        goes = node(io.retire.and(dut.idle.index.eq(i)), { name: `model_goes_${i}` });
      when(comes, () => own.set(1)).elseWhen(goes, () => own.set(0));
      when(comes.or(heard[i] as Bit), () => quiet.set(0)).otherwise(() =>
        quiet.set(mux(quiet.eq(most), quiet, quiet.add(1))),
      );
      assumeAlways((heard[i] as Bit).not().or(own), "only who is known is heard of");
      // A time wraps: who is silent for that long is not judged here.
      assumeAlways(quiet.lt(most).or(own.not()), "nobody is silent for a round of the times");
      assertAlways(
        cat(dut.idle.valid, dut.idle.index.eq(i))
          .all()
          .not()
          .or(own.and(quiet.ge(idleQuarters))),
        `who is offered has been silent for three times TIMEOUT: place ${i}`,
      );
      const other = silent[1 - i] as (typeof silent)[number];
      assertAlways(
        cat(own, quiet.ge(idleQuarters + offeredWithin), calm.eq(offeredWithin), had[1 - i] as Bit)
          .all()
          .not()
          .or(dut.idle.valid),
        `who has been silent for long enough is offered in time: place ${i}`,
      );
      assertAlways(
        cat(dut.idle.valid, dut.idle.index.eq(i), other.ge(quiet.add(offeredWithin)), had[1 - i] as Bit)
          .all()
          .not(),
        `nobody has been silent for much longer than who is offered: place ${i}`,
      );
    }
    cover(cat(dut.idle.valid, dut.idle.index).all(), "the second is offered");
    cover(io.retire, "one is forgotten");
  },
);

export const retryClientsTimesProof: Proof = {
  module: `RetryClients, ${PLACES} places, times`,
  harness: timesHarness(),
  reach: 60,
  faults: [
    {
      what: "a client is offered a quarter too early",
      from: /looked_quarters >= 5'd13/,
      to: "looked_quarters >= 5'd12",
    },
  ],
};
