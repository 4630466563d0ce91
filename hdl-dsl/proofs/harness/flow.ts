/** Flow control: throttled streams and credits. */
import { sink, source } from "../../types/ports.ts";
import { bit, uint } from "../../types/shape.ts";
import { node, reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { assertAlways, cover, when } from "../../build/statements.ts";
import { creditReceiver, creditSender } from "../../queues/credit.ts";
import { connect } from "../../stream/connect.ts";
import { stream } from "../../stream/stream.ts";
import { throttle } from "../../stream/throttle.ts";
import type { Proof } from "./proof.ts";
import { moduleObeys, producerObeys } from "./rules.ts";
import { isQueue } from "./shadow.ts";

const CYCLES = 3;
const throttleHarness = module(
  "ThrottleProof",
  () => ({ from: sink(uint(2)), to: source(uint(2)) }),
  io => {
    connect(throttle(io.from, CYCLES, { name: "dut" }), io.to);
    producerObeys(io.from, "from");
    const waited = moduleObeys(io.to, "to");
    // Cycles since the last transfer; enough at first.
    const since = reg(uint(2), { init: CYCLES, name: "model_since" });
    when(io.to.fire, () => since.set(1)).elseWhen(since.ne(CYCLES), () => since.set(since.add(1)));
    assertAlways(io.to.fire.not().or(since.eq(CYCLES)), `at least ${CYCLES} cycles from transfer to transfer`);
    assertAlways(io.to.valid.eq(io.from.valid.and(since.eq(CYCLES))), "offered as soon as that is over");
    assertAlways(io.to.fire.eq(io.from.fire), "in and out happen together");
    assertAlways(io.to.valid.not().or(io.to.payload.eq(io.from.payload)), "the payload is unchanged");
    cover(waited.and(io.to.fire), "one passes after a stall");
    cover(io.from.valid.and(since.eq(1)), "one comes at once after another");
  },
);

const CREDITS = 3;
/** Both ends with a register between them each way. */
const creditHarness = module(
  "CreditProof",
  () => ({ from: sink(bit), to: source(bit) }),
  io => {
    const back = reg(bit, { init: 0, name: "link_back" });
    const sender = creditSender(io.from, CREDITS, back, { name: "sender" });
    const onWay = reg(bit, { init: 0, name: "link_on_way" }),
      word = reg(bit, { name: "link_word" });
    sender.out.ready.set(1);
    onWay.set(sender.out.valid);
    word.set(sender.out.payload);
    const arriving = stream(bit, { name: "arriving" });
    arriving.valid.set(onWay);
    arriving.payload.set(word);
    const receiver = creditReceiver(arriving, CREDITS, { name: "receiver" });
    back.set(receiver.returned);
    connect(receiver.out, io.to);

    producerObeys(io.from, "from");
    const waited = moduleObeys(io.to, "to");
    const { count, empty, full } = isQueue({
      name: "link",
      capacity: CREDITS,
      offered: io.from.valid,
      value: io.from.payload,
      push: io.from.fire,
      valid: io.to.valid,
      pop: io.to.fire,
      payload: io.to.payload,
    });
    const total = node(sender.left.add(count).zext(3).add(receiver.returned.zext(3)).add(back.zext(3)), {
      name: "model_total",
    });
    assertAlways(total.eq(CREDITS), "every credit is with the sender, with an element, or on its way back");
    const dry = reg(uint(2), { init: 0, name: "model_dry" });
    when(empty.or(io.to.valid), () => dry.set(0)).elseWhen(dry.ne(3), () => dry.set(dry.add(1)));
    assertAlways(dry.lt(2), "an element comes out within 2 cycles when nothing is before it");
    cover(full.and(io.to.ready.not()).and(io.from.valid), "all credits are out");
    cover(waited.and(io.to.fire), "one comes out after a stall");
  },
);

export const flowProofs: readonly Proof[] = [
  {
    module: `throttle, ${CYCLES} cycles`,
    harness: throttleHarness(),
    faults: [{ what: "the wait is one cycle short", from: /dut_wait <= 2'd2/, to: "dut_wait <= 2'd1" }],
  },
  {
    module: `credits, ${CREDITS} over a registered link`,
    harness: creditHarness(),
    faults: [{ what: "a credit that comes back as one is spent is lost", from: /& ~link_back\)/, to: ")" }],
  },
];
