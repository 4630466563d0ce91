/**
 * A slot with any task at all, which answers when and what it likes: each packet leaves once. Packets through the task
 * keep their order, packets past it too, and none out of the task overtakes one that came before it and goes past. What
 * leaves a task that is off is dropped. One packet is watched.
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
  output,
  past,
  type Proof,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Slot, type SlotParameters } from "../region/index.ts";
import { TaskVerdict } from "../tasks/index.ts";
import { type Declared, taskTagBits } from "../../wire/index.ts";

const any: Declared = {
    name: "any",
    reads: 0n,
    writes: 0n,
    growth: 0,
    leavesOut: 0,
    latency: 1,
    interval: 1,
    holds: 2,
    state: "none",
  },
  // With a task behind it, so that what tasks are told is carried on.
  sizes: SlotParameters = { contexts: 2, places: 2, chain: [any, any, any], slot: 1 },
  COUNT = 4;

/** A number that grows and falls by one. */
function count(name: string, more: Bit, less: Bit): UInt<typeof COUNT> {
  const n = reg(uint(COUNT), { init: 0, name });
  n.set(n.add(more.zext(COUNT)).sub(less.zext(COUNT)));
  return n;
}

const harness = module(
  "SlotOrderProof",
  () => ({
    comes: input(bit),
    /** It goes through the task; it is the one that is watched. */
    through: input(bit),
    marks: input(bit),
    leaves: input(bit),
    takes: input(bit),
    answers: input(bit),
    tag: input(uint(taskTagBits)),
    drops: input(bit),
    isolate: input(bit),
    quiesce: input(bit),
    patience: input(uint(2)),
    left: output(bit),
  }),
  io => {
    const dut = instance("dut", Slot(sizes)),
      { enter, leave } = dut;
    const been = reg(bit, { init: 0, name: "model_been" }),
      marked = node(io.marks.andNot(been), { name: "model_marked" });
    enter.valid.set(io.comes);
    enter.payload.set({
      ctx: marked,
      header: 0,
      uid: 0,
      user: 0,
      ingress: 0,
      flowHash: 0,
      headBytes: 14,
      payloadBytes: 0,
      noL4: 0,
      // It stays with the packet.
      arg: io.through.zext(8),
      prepend: 0,
      frontBytes: 0,
      dropFront: 0,
      run: cat(constant(0, 1), io.through, constant(0, 1)),
      mask: 0,
      reply: 0,
      dropped: 0,
      killed: 0,
      refund: 0,
    });
    leave.ready.set(io.leaves);
    dut.packet.ready.set(io.takes);
    dut.answer.valid.set(io.answers);
    dut.answer.payload.set({
      tag: io.tag,
      verdict: mux(io.drops, TaskVerdict.drop, TaskVerdict.forward),
      header: 0,
      mask: 0,
      prepend: 0,
      frontBytes: 0,
      dropFront: 0,
    });
    dut.taskQuiet.set(1);
    dut.control.set({ quiesce: io.quiesce, isolate: io.isolate, busyAt: 2, patience: io.patience.zext(16) });
    io.left.set(leave.fire);

    // What is on each way.
    const isThrough = leave.payload.arg.bit(0),
      pastComes = node(enter.fire.andNot(io.through), { name: "model_past_comes" }),
      taskComes = node(enter.fire.and(io.through), { name: "model_task_comes" }),
      pastGoes = node(leave.fire.andNot(isThrough), { name: "model_past_goes" }),
      taskGoes = node(leave.fire.and(isThrough), { name: "model_task_goes" }),
      onPast = count("model_past", pastComes, pastGoes),
      onTask = count("model_task", taskComes, taskGoes),
      credits = count("model_credits", taskComes, dut.give);
    assumeAlways(taskComes.not().or(credits.lt(sizes.places)), "a packet comes with a credit");
    assertAlways(pastGoes.not().or(onPast.any()), "what leaves past the task has come");
    assertAlways(taskGoes.not().or(onTask.any()), "what leaves the task has come");
    assertAlways(dut.give.not().or(credits.any()), "a credit that comes back was out");

    const there = reg(bit, { init: 0, name: "model_there" }),
      way = reg(bit, { name: "model_way" }),
      ahead = reg(uint(COUNT), { init: 0, name: "model_ahead" }),
      aheadPast = reg(uint(COUNT), { init: 0, name: "model_ahead_past" });
    const marks = node(enter.fire.and(marked), { name: "model_marks" }),
      own = node(mux(way, taskGoes, pastGoes), { name: "model_own_goes" }),
      turn = node(there.andNot(ahead.any()), { name: "model_turn" }),
      lessPast = onPast.sub(pastGoes.zext(COUNT));
    when(marks, () => {
      been.set(1);
      there.set(1);
      way.set(io.through);
      ahead.set(mux(io.through, onTask.sub(taskGoes.zext(COUNT)), lessPast));
      aheadPast.set(lessPast);
    }).otherwise(() => {
      when(own, () => {
        there.set(there.andNot(turn));
        ahead.set(ahead.sub(there.andNot(turn).zext(COUNT)));
      });
      when(pastGoes.and(aheadPast.any()), () => aheadPast.set(aheadPast.sub(1)));
    });
    const isMarked = node(leave.fire.and(leave.payload.ctx.bit(0)), { name: "model_is_marked" });
    assertAlways(
      isMarked.eq(own.and(turn)),
      "the one that is watched leaves once, when all before it on its way are gone",
    );
    assertAlways(isMarked.and(way).and(aheadPast.any()).not(), "none out of the task overtakes one that goes past it");
    const off = dut.state.off;
    assertAlways(
      leave.valid.and(isThrough).and(off).not().or(leave.payload.dropped.and(leave.payload.killed)),
      "what leaves a task that is off is dropped",
    );
    cover(isMarked.and(way).and(past(pastGoes, 1)), "one out of the task waits for one past it");
    cover(leave.fire.and(off).and(isThrough), "one leaves a task that is off");
  },
);

export const slotOrderProof: Proof = {
  module: `Slot, ${sizes.places} places, any task of ${any.holds}`,
  harness: harness(),
  long: "minutes",
  bounded: 10,
  reach: 12,
  faults: [
    { what: "an answer leaves at once", from: /answer_may_go = [^;]*;/, to: "answer_may_go = 1'b1;" },
    {
      what: "what a task answers after it was switched off counts",
      from: "goes_on = (answer_payload_verdict != task_verdict_drop) & ~off",
      to: "goes_on = (answer_payload_verdict != task_verdict_drop)",
    },
    {
      what: "the credit of a packet that is killed comes back twice",
      from: "given <= takes",
      to: "given <= takes | (off & leaves)",
    },
  ],
};
