/** What is proved of the two queues, at small depths: whole frames of one class, and a bound on how long one waits. */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  cover,
  instance,
  module,
  moduleObeys,
  mux,
  node,
  producerObeys,
  type Proof,
  reg,
  sink,
  source,
  struct,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";
import { TwoQueues } from "./two-queues.ts";

const PATIENCE = 2,
  DEPTH = 2,
  COUNT = 3;

/** The class stands in each beat, so that the way out shows whose beat it is. */
const Beat = struct({ bulk: bit, last: bit });

const harness = module(
  "TwoQueuesProof",
  () => ({ from: sink(Beat), to: source(Beat) }),
  io => {
    const dut = instance(
      "dut",
      TwoQueues({
        shape: Beat,
        last: "last",
        criticalDepth: DEPTH,
        bulkDepth: DEPTH,
        patience: PATIENCE,
        drops: false,
      }),
    );
    dut.from.valid.set(io.from.valid);
    dut.from.payload.set(io.from.payload);
    dut.bulk.set(io.from.payload.bulk);
    io.from.ready.set(dut.from.ready);
    io.to.valid.set(dut.to.valid);
    io.to.payload.set(dut.to.payload);
    dut.to.ready.set(io.to.ready);
    const payloadOf = (s: typeof io.from | typeof io.to) => cat(s.payload.bulk, s.payload.last);
    producerObeys({ valid: io.from.valid, ready: io.from.ready, payload: payloadOf(io.from) }, "from");
    moduleObeys({ valid: io.to.valid, ready: io.to.ready, payload: payloadOf(io.to) }, "to");

    // A frame is of one class from its first beat to its last, on the way in and on the way out.
    const within = (s: typeof io.from | typeof io.to, name: string) => {
      const inside = reg(bit, { init: 0, name: `model_${name}_inside` }),
        was = reg(bit, { init: 0, name: `model_${name}_class` });
      when(s.fire, () => {
        inside.set(s.payload.last.not());
        was.set(s.payload.bulk);
      });
      return node(inside.and(s.valid).and(was.xor(s.payload.bulk)).not(), { name: `model_${name}_of_one_class` });
    };
    assumeAlways(within(io.from, "from"), "who sends keeps to a class within a frame");
    assertAlways(within(io.to, "to"), "a frame leaves as beats of its own class only");

    // Whole frames of bulk that are inside, and critical frames that have begun since one waits.
    const waits = reg(uint(COUNT), { init: 0, name: "model_whole" }),
      passed = reg(uint(COUNT), { init: 0, name: "model_passed" });
    const comes = node(io.from.fire.and(io.from.payload.last).and(io.from.payload.bulk).andNot(dut.lost.bit(1)), {
        name: "model_comes",
      }),
      goes = node(io.to.fire.and(io.to.payload.last), { name: "model_goes" }),
      goesBulk = node(goes.and(io.to.payload.bulk), { name: "model_goes_bulk" });
    waits.set(waits.add(comes.zext(COUNT)).sub(goesBulk.zext(COUNT)));
    passed.set(mux(goesBulk.or(waits.any().not()), passed.and(0), mux(goes, passed.add(1), passed)));
    // One that had begun, one that was chosen in the cycle before the bulk frame was seen, and those of its patience.
    assertAlways(passed.le(PATIENCE + 2), "a bulk frame waits for its patience and two frames more");
    cover(passed.eq(PATIENCE), "a bulk frame waits as long as its patience");
    cover(goesBulk.and(dut.from.ready.not()), "a full queue while a bulk frame leaves");
  },
);

export const fastswapProofs: readonly Proof[] = [
  {
    module: "TwoQueues, a full one waits",
    harness: harness(),
    // Which class a beat in the rings has follows from all that came before: no engine found that in four minutes.
    bounded: 10,
    long: "minutes",
    faults: [
      { what: "a bulk frame never has its turn", from: "bulk_is_due <= passed == 2'd1;", to: "bulk_is_due <= 1'b0;" },
      {
        what: "half a frame can leave",
        from: "critical_ahead != critical_whole",
        to: "critical_ahead != critical_tail",
      },
      {
        what: "a critical frame cuts into a bulk one",
        from: "wire chooses = ~serving | ends;",
        to: "wire chooses = ~serving | ends | (goes & of_bulk & critical_more);",
      },
    ],
  },
];
