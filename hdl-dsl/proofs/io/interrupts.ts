/** Interrupts: what is claimed was asked for, is claimed once, and nothing that asks is forgotten. */
import { bit, uint } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, assumeAlways, cover, when } from "../../build/statements.ts";
import { stable } from "../../build/past.ts";
import { InterruptController } from "../../lib/index.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";

const SOURCES = 3,
  /** Cycles from an enabled request to an interrupt, when nothing else asks. */
  LATE = 4;

const harness = around("InterruptControllerProof", InterruptController({ sources: SOURCES, priorityBits: 1 }), io => {
  for (const v of [io.enable, io.edges, io.threshold, ...io.priorities.toArray()])
    assumeAlways(stable(v), "settings stay");
  const claim = node(io.claim.and(io.irq), { name: "model_claim" });
  const models = Array.from({ length: SOURCES }, (_, i) => {
    const line = io.lines.bit(i),
      isEdge = io.edges.bit(i);
    const was = reg(bit, { init: 0, name: `model_was_${i}` }),
      pending = reg(bit, { init: 0, name: `model_pending_${i}` }),
      serving = reg(bit, { init: 0, name: `model_serving_${i}` });
    const claimed = node(claim.and(io.best.eq(i)), { name: `model_claimed_${i}` }),
      asks = node(line.and(isEdge).andNot(was).or(line.andNot(isEdge).andNot(serving).andNot(claimed)), {
        name: `model_asks_${i}`,
      });
    was.set(line);
    pending.set(pending.andNot(claimed).or(asks));
    when(claimed, () => serving.set(1)).elseWhen(io.complete.valid.and(io.complete.source.eq(i)), () => serving.set(0));
    const able = node(io.enable.bit(i).and((io.priorities.at(i) as Bit).andNot(io.threshold)), {
      name: `model_able_${i}`,
    });
    return { asking: node(pending.andNot(serving).and(able), { name: `model_asking_${i}` }), serving };
  });
  models.forEach(({ asking }, i) =>
    assertAlways(
      io.irq.not().or(io.best.ne(i)).or(asking),
      `an interrupt of source ${i} is one that asks, and is not served`,
    ),
  );
  assertAlways(io.irq.not().or(io.best.lt(SOURCES)), "an interrupt is a source's");
  const any = models.map(m => m.asking).reduce((a, b) => a.or(b));
  const waited = reg(uint(3), { init: 0, name: "model_waited" });
  when(any.not().or(io.irq), () => waited.set(0)).otherwise(() => waited.set(waited.add(1)));
  assertAlways(waited.lt(LATE), `what asks interrupts within ${LATE} cycles`);
  cover(claim.and((models[2] as (typeof models)[number]).serving), "a claim while another source is served");
});

export const interruptProof: Proof = {
  module: `InterruptController, ${SOURCES} sources`,
  harness,
  reach: 20,
  faults: [
    {
      what: "the claimed source is chosen once more",
      from: "if (claim_1) waited <= 1'd1",
      to: "if (claim_1) waited <= 1'd0",
    },
  ],
};
