/**
 * The decision with its credits, whatever the queues say: no credit is taken that is not there, and what is free, on
 * its way and held is the limit. So the table's users keep its contract, and each slot's FIFO has room for what comes.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  input,
  instance,
  module,
  node,
  output,
  past,
  type Proof,
  reg,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { Candidate, Choice, Decision, type DecisionParameters, RegionSlots } from "../scheduler/index.ts";

const p: DecisionParameters = { regions: 2, slots: 2, users: 2, credits: 2 },
  PLACES = p.regions * p.slots,
  BITS = 2;

const harness = module(
  "DecisionProof",
  () => ({
    ready: input(vec(uint(p.users), PLACES)),
    more: input(vec(uint(p.users), PLACES)),
    waits: input(vec(uint(p.users), PLACES)),
    busy: input(vec(uint(p.slots), p.regions)),
    found: input(vec(Candidate(p), 2)),
    limits: input(vec(uint(BITS), PLACES)),
    give: input(vec(uint(p.slots), p.regions)),
    refund: input(RegionSlots(p)),
    choice: output(Choice(p)),
    started: output(bit),
  }),
  io => {
    const dut = instance("dut", Decision(p));
    for (let i = 0; i < PLACES; i++) {
      dut.ready.at(i).set(io.ready.at(i));
      dut.more.at(i).set(io.more.at(i));
      dut.waits.at(i).set(io.waits.at(i));
      dut.limits.at(i).set(io.limits.at(i));
    }
    [0, 1].forEach(k => dut.found.at(k).set(io.found.at(k)));
    for (let r = 0; r < p.regions; r++) {
      dut.busy.at(r).set(io.busy.at(r));
      dut.give.at(r).set(io.give.at(r));
    }
    dut.refund.set(io.refund);
    io.choice.set(dut.choice);
    const { start } = dut;
    io.started.set(start.valid);
    const run = reg(bit, { init: 0, name: "model_run" });
    run.set(1);

    for (let r = 0; r < p.regions; r++)
      for (let s = 0; s < p.slots; s++) {
        const at = `${r}_${s}`,
          limit = io.limits.at(r * p.slots + s),
          comes = node(start.valid.and(start.region.eq(r)).and(start.slots.bit(s)), { name: `model_comes_${at}` }),
          back = node(io.refund.valid.and(io.refund.region.eq(r)).and(io.refund.slots.bit(s)), {
            name: `model_back_${at}`,
          }),
          gone = io.give.at(r).bit(s),
          fewer = node(gone.zext(BITS).add(back.zext(BITS)), { name: `model_fewer_${at}` }),
          packets = reg(uint(BITS), { init: 0, name: `model_packets_${at}` });
        packets.set(packets.add(comes.zext(BITS)).sub(fewer));
        assumeAlways(run.not().or(limit.eq(past(limit, 1))), `the limit stays (${at})`);
        assumeAlways(packets.ge(fewer), `only a packet that is there goes (${at})`);
        assertAlways(dut.held.at(r * p.slots + s).eq(packets), `held is what is there or on its way (${at})`);
        assertAlways(packets.le(limit), `free and held are the limit (${at})`);
        cover(packets.eq(p.credits).and(comes).and(past(comes, 1)), `slot ${at}: two start behind one another`);
      }
    // A run that starts begins with its first slot, and goes on without a gap in the credits it takes.
    cover(start.valid.and(start.slots.all()).and(io.refund.valid), "a whole run starts while credits come back");
  },
);

export const decisionProof: Proof = {
  module: `Decision, ${p.regions} regions of ${p.slots} slots, ${p.users} users`,
  long: true,
  harness: harness(),
  faults: [
    {
      what: "the credits of the start just before are forgotten",
      from: /has_now = [^;]*;/,
      to: "has_now = facts_has;",
    },
    {
      what: "behind a start there is the credit that it took",
      from: "one_back_1_0 ? left_one_1_0 : left_two_1_0",
      to: "left_one_1_0",
    },
    {
      what: "credits that come back together are lost",
      from: /two_back_1_1 = [^;]*;/,
      to: "two_back_1_1 = 1'b0;",
    },
    {
      what: "a start just before counts in the first region only",
      from: "same_region = choice_region == due_region",
      to: "same_region = ~choice_region & ~due_region",
    },
  ],
};
