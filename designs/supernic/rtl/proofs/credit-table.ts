/** Credits: whoever keeps the contract never brings more packets to a slot than its FIFO has room for. */
import {
  assertAlways,
  assumeAlways,
  bit,
  cover,
  input,
  instance,
  module,
  node,
  past,
  type Proof,
  reg,
  struct,
  uint,
} from "../../../../hdl-dsl/index.ts";
import { CreditTable } from "../scheduler/index.ts";

const REGIONS = 2,
  SLOTS = 2,
  CREDITS = 3,
  BITS = 2;
const Slots = struct({ valid: bit, region: uint(1), slots: uint(SLOTS) });

const harness = module(
  "CreditTableProof",
  () => ({
    limit: input(uint(BITS)),
    take: input(Slots),
    refund: input(Slots),
    give0: input(uint(SLOTS)),
    give1: input(uint(SLOTS)),
  }),
  io => {
    const dut = instance("dut", CreditTable({ regions: REGIONS, slots: SLOTS, credits: CREDITS }));
    dut.take.set(io.take);
    dut.refund.set(io.refund);
    dut.give.at(0).set(io.give0);
    dut.give.at(1).set(io.give1);
    const started = reg(bit, { init: 0, name: "started" });
    started.set(1);
    assumeAlways(started.not().or(io.limit.eq(past(io.limit, 1))), "the limit stays");
    for (let r = 0; r < REGIONS; r++) {
      const give = r === 0 ? io.give0 : io.give1;
      for (let s = 0; s < SLOTS; s++) {
        const at = `${r}_${s}`;
        dut.limits.at(r * SLOTS + s).set(io.limit);
        const comes = node(io.take.valid.and(io.take.region.eq(r)).and(io.take.slots.bit(s)), { name: `comes_${at}` }),
          back = node(io.refund.valid.and(io.refund.region.eq(r)).and(io.refund.slots.bit(s)), { name: `back_${at}` }),
          gone = give.bit(s);
        // The packets that are on their way to the slot, or in its FIFO.
        const packets = reg(uint(BITS + 1), { init: 0, name: `packets_${at}` });
        packets.set(
          packets
            .add(comes.zext(BITS + 1))
            .sub(gone.zext(BITS + 1))
            .sub(back.zext(BITS + 1)),
        );
        assumeAlways(comes.not().or(dut.has.at(r).bit(s)), `only what is there is taken (${at})`);
        assumeAlways(
          packets.ge(gone.zext(BITS + 1).add(back.zext(BITS + 1))),
          `only a packet that is there goes (${at})`,
        );
        assertAlways(packets.le(io.limit.zext(BITS + 1)), `the FIFO of slot ${at} has room for each packet`);
        assertAlways(
          started.not().or(
            dut.has
              .at(r)
              .bit(s)
              .eq(packets.lt(io.limit.zext(BITS + 1))),
          ),
          `a credit is there just when there is room (${at})`,
        );
        cover(packets.eq(CREDITS), `slot ${at} is full`);
        cover(gone.and(back).and(comes), `slot ${at}: one comes, two go`);
      }
    }
  },
);

export const creditTableProof: Proof = {
  module: `CreditTable, ${REGIONS} regions of ${SLOTS} slots`,
  harness: harness(),
  faults: [
    { what: "one more than the limit", from: "left_0_1[2:0] > 3'd0", to: "1'b1" },
    { what: "a gift and a refund at once are lost", from: /two_back_1_0 = [^;]*;/, to: "two_back_1_0 = 1'b0;" },
    { what: "every region takes", from: "takes_of_1 = take_valid & take_region", to: "takes_of_1 = take_valid" },
  ],
};
