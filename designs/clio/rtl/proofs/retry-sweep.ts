/**
 * The retry buffer's sweep: a purge looks at every set of its client once and at no other's, and claims a cycle in 16.
 * Ageing goes on where it was.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { RetrySweep } from "../retry/retry-sweep.ts";

const SETS = 4,
  ROW = 2;
/** A purge has one cycle of so many. */
const EVERY = 16;

const sweepHarness = module(
  "RetrySweepProof",
  () => ({ purge: input(struct({ valid: bit, index: bit })), take: input(bit), purged: output(bit) }),
  io => {
    const dut = instance("dut", RetrySweep({ sets: SETS, clients: 2, operationBits: 6 })),
      { step } = dut;
    dut.purge.set(io.purge);
    dut.take.set(io.take);
    io.purged.set(dut.purged);
    const during = reg(bit, { init: 0, name: "model_during" }),
      whose = reg(bit, { init: 0, name: "model_whose" }),
      seen = reg(uint(SETS), { init: 0, name: "model_seen" }),
      ageing = reg(uint(ROW + 1), { init: 0, name: "model_ageing" }),
      unclaimed = reg(uint(5), { init: 0, name: "model_unclaimed" });
    assumeAlways(io.purge.valid.and(during).not(), "one purge at a time");
    assumeAlways(io.take.not().or(step.valid), "a step is taken that is there");

    const looks = node(mux(io.take.and(during), decode(step.row, SETS), constant(0, SETS)), { name: "model_looks" });
    when(dut.purged, () => during.set(0)).elseWhen(during, () => seen.set(seen.or(looks)));
    when(io.purge.valid, () => {
      during.set(1);
      whose.set(io.purge.index);
      seen.set(0);
    });
    when(io.take.andNot(during), () => ageing.set(ageing.add(1)));
    when(step.urgent.or(during.not()), () => unclaimed.set(0)).otherwise(() => unclaimed.set(unclaimed.add(1)));

    assertAlways(step.purge.eq(during), "a purge goes on until it is over");
    assertAlways(during.not().or(step.valid.and(step.client.eq(whose))), "a purge is of its own client");
    assertAlways(seen.and(looks).any().not(), "a purge looks at a set once");
    assertAlways(dut.purged.not().or(during.and(seen.or(looks).all())), "a purge looks at every set");
    assertAlways(during.not().or(seen.all().not()), "a purge is over when it has looked at every set");
    assertAlways(unclaimed.lt(EVERY), "a purge claims a cycle in time");
    assertAlways(during.or(cat(step.client, step.row).eq(ageing)), "ageing goes on where it was");
    cover(dut.purged, "a purge ends");
    cover(ageing.eq(SETS + 1), "the second client ages");
  },
)();

export const retrySweepProof: Proof = {
  module: `RetrySweep, ${SETS} sets, 2 clients`,
  harness: sweepHarness,
  reach: 100,
  long: true,
  faults: [
    { what: "the client of the last purge is purged once more", from: /purge_client <= purge_index;/, to: "" },
    { what: "ageing goes on in a purge", from: /take & ~purging/, to: "take" },
    { what: "a purge is over though its last set was not looked at", from: /(?<=ends = )take & /, to: "" },
    { what: "a purge claims no cycle", from: /(?<=urgent = )purging \? turn/, to: "purging ? 1'b0" },
    { what: "a purge is over a set too early", from: /(?<=ends = take & )\(?&at_row\)?/, to: "at_row[1]" },
  ],
};
