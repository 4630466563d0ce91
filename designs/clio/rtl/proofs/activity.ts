/**
 * The activity table: no enrolled region was written longer ago than the one that a scan names, none that is written
 * meanwhile is named unawares, and commands have their turn. A region is watched: any of them.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  cover,
  input,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  output,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  ActivityCommand,
  activityOp,
  ActivityResult,
  ActivityStamp,
  ActivityTable,
  ageBits,
  regionBits,
} from "../activity/index.ts";

const SIZE = { regions: 8, stampBits: 6, tickBits: 2 },
  PASS = 9,
  /** Ticks that a pass can take. */
  PASS_TICKS = 3,
  WAIT = 5;

const harness = module(
  "ActivityTableProof",
  () => ({
    stamp: input(ActivityStamp(SIZE)),
    command: sink(ActivityCommand(SIZE)),
    result: source(ActivityResult(SIZE)),
    watched: input(uint(regionBits(SIZE))),
    overdue: output(bit),
  }),
  io => {
    const dut = instance("dut", ActivityTable(SIZE)),
      { payload } = io.command,
      told = dut.result.payload;
    dut.stamp.set(io.stamp);
    dut.command.valid.set(io.command.valid);
    dut.command.payload.set(payload);
    io.command.ready.set(dut.command.ready);
    io.result.valid.set(dut.result.valid);
    io.result.payload.set(told);
    dut.result.ready.set(io.result.ready);
    io.overdue.set(dut.overdue);
    producerObeys(
      { valid: io.command.valid, ready: io.command.ready, payload: cat(payload.op, payload.region) },
      "command",
    );
    moduleObeys(
      {
        valid: io.result.valid,
        ready: io.result.ready,
        payload: cat(told.found, told.touched, told.region, told.age),
      },
      "result",
    );
    const flag = (name: string) => reg(bit, { init: 0, name: `model_${name}` });

    // The watched region stays the same.
    const begun = flag("begun"),
      watched = reg(uint(regionBits(SIZE)), { init: 0, name: "model_watched" });
    begun.set(1);
    watched.set(io.watched);
    assumeAlways(begun.not().or(io.watched.eq(watched)), "one region is watched");

    // Whether it is enrolled, and for how many ticks it has not been written.
    const live = flag("live"),
      enrolling = flag("enrolling"),
      age = reg(uint(ageBits(SIZE)), { init: 0, name: "model_age" }),
      cycles = reg(uint(SIZE.tickBits), { init: 0, name: "model_cycles" }),
      orders = node(io.command.fire.and(payload.region.eq(io.watched)), { name: "model_orders" }),
      written = node(io.stamp.en.and(io.stamp.region.eq(io.watched)), { name: "model_written" }),
      most = 2 ** (SIZE.stampBits - 2);
    cycles.set(cycles.add(1));
    when(orders.and(payload.op.eq(activityOp.withdraw)), () => live.set(0));
    when(orders.and(payload.op.eq(activityOp.enroll)), () => {
      live.set(1);
      enrolling.set(1);
    }).elseWhen(io.stamp.en.not(), () => enrolling.set(0));
    when(written.or(enrolling), () => age.set(0)).elseWhen(cycles.all().and(age.ne(most)), () => age.set(age.add(1)));

    // Cycles since its last write, as far as a pass goes.
    const since = reg(uint(WAIT), { init: 31, name: "model_since" });
    when(written, () => since.set(0)).elseWhen(since.all().not(), () => since.set(since.add(1)));

    const was = flag("was"),
      comes = node(dut.result.valid.andNot(was), { name: "model_comes" }),
      isNamed = node(told.found.and(told.region.eq(io.watched)), { name: "model_is_named" });
    was.set(dut.result.valid.andNot(io.result.ready));
    assertAlways(comes.and(live).andNot(told.found).not(), "an enrolled region is found");
    assertAlways(comes.and(isNamed).andNot(live).not(), "what is found is enrolled");
    assertAlways(
      comes
        .and(live)
        .and(told.age.zext(7).add(PASS_TICKS).lt(age.zext(7)))
        .not(),
      "no enrolled region was written longer ago",
    );
    assertAlways(
      comes
        .and(isNamed)
        .and(since.lt(PASS - 1))
        .andNot(told.touched)
        .and(told.age.ne(0))
        .not(),
      "a region that is written during the scan is not named unawares",
    );

    // Upkeep lets commands through; an enrolled region waits for a cycle without a stamp, a command for a result.
    const anyEnrolls = flag("any_enrolls"),
      busy = flag("busy"),
      waits = reg(uint(WAIT), { init: 0, name: "model_waits" });
    when(io.command.fire.and(payload.op.eq(activityOp.enroll)), () => anyEnrolls.set(1)).elseWhen(
      io.stamp.en.not(),
      () => anyEnrolls.set(0),
    );
    when(io.command.fire.and(payload.op.bit(1)), () => busy.set(1)).elseWhen(io.result.fire, () => busy.set(0));
    waits.set(mux(io.command.valid.andNot(io.command.ready).andNot(anyEnrolls.or(busy)), waits.add(1), waits.and(0)));
    assertAlways(waits.le(2 * PASS), "a command waits for the table to be cleared and for two passes at most");
    cover(comes.and(isNamed).and(told.age.eq(2)), "the watched region is the oldest");
    cover(comes.and(told.touched), "a choice that was written twice in a row");
  },
);

export const activityProof: Proof = {
  module: `ActivityTable, ${SIZE.regions} regions`,
  harness: harness(),
  // Ages follow from all writes before: nothing short of the memories' content decides it for runs of any length.
  bounded: 24,
  reach: 40,
  long: "minutes",
  faults: [
    {
      what: "a write of the choice so far is missed",
      from: "best_touched | (stamp_en & (stamp_region == best_region))",
      to: "best_touched",
    },
    { what: "a withdrawn region stays", from: /~clearing & command_payload_op\[0\]/, to: "~clearing" },
    { what: "the younger of two", from: "(lane_0_age >= lane_1_age)", to: "(lane_0_age <= lane_1_age)" },
    {
      what: "a region beside one that is not enrolled is lost",
      from: "pair_0_takes_a = lane_0_live & ",
      to: "pair_0_takes_a = ",
    },
    { what: "a result does not wait", from: "if (result_valid & result_ready) holds", to: "if (result_valid) holds" },
  ],
};
